package crossbind.worker;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where crossbind listens: {@code unix:PATH} or {@code tcp:HOST:PORT}. */
final class Endpoint {
    private static final Pattern UNIX = Pattern.compile("unix:(.+)");
    private static final Pattern TCP = Pattern.compile("tcp:(?:\\[(.+)]|(.+)):(\\d{1,5})");

    private Endpoint() {}

    static SocketChannel connect(String endpoint) throws IOException {
        Matcher unix = UNIX.matcher(endpoint);
        if (unix.matches()) {
            return SocketChannel.open(UnixDomainSocketAddress.of(unix.group(1)));
        }
        Matcher tcp = TCP.matcher(endpoint);
        if (!tcp.matches()) {
            throw new IOException("'" + endpoint + "' is neither unix:PATH nor tcp:HOST:PORT");
        }
        String host = tcp.group(1) != null ? tcp.group(1) : tcp.group(2);
        InetSocketAddress address = new InetSocketAddress(host, Integer.parseInt(tcp.group(3)));
        if (address.isUnresolved()) {
            throw new IOException("there is no host '" + host + "'");
        }
        SocketChannel channel = SocketChannel.open(address);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        return channel;
    }
}
