package crossbind.worker;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/**
 * Lines from a channel. The stream that the JDK makes of a channel cannot be read while another thread
 * writes to the same channel.
 */
final class LineReader {
    private final ReadableByteChannel channel;
    private final int longest;
    private final ByteBuffer buffer = ByteBuffer.allocate(1 << 16).limit(0);

    /** Lines have at most that many bytes, with their ends. */
    LineReader(ReadableByteChannel channel, int longest) {
        this.channel = channel;
        this.longest = longest;
    }

    /** The next line without its end; null: there is none. */
    byte[] next() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (buffer.hasRemaining() || fill()) {
            byte each = buffer.get();
            if (each == '\n') {
                return line.toByteArray();
            }
            line.write(each);
            if (line.size() >= longest) {
                throw new IOException("a line is too long");
            }
        }
        if (line.size() > 0) {
            throw new IOException("a line has no end");
        }
        return null;
    }

    private boolean fill() throws IOException {
        buffer.clear();
        int count = channel.read(buffer);
        buffer.flip();
        return count > 0;
    }
}
