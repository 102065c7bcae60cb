package crossbind.worker;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The line to crossbind: reads lines in a thread of its own, writes them. Requests are taken from it one by
 * one; cancel is noted at once, and bye or the end of the connection while a request runs ends the process:
 * nobody waits for the answer.
 */
final class Connection {
    static final int LONGEST_LINE = 8 << 20;
    static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final Set<String> WITHOUT_ID = Set.of("welcome", "bye");

    private final SocketChannel channel;
    private final BlockingQueue<JsonNode> requests = new LinkedBlockingQueue<>();
    private final Set<JsonNode> pending = ConcurrentHashMap.newKeySet();
    private final Set<JsonNode> cancelled = ConcurrentHashMap.newKeySet();

    Connection(SocketChannel channel) {
        this.channel = channel;
        Thread reader = new Thread(this::read, "reader");
        reader.setDaemon(true);
        reader.start();
    }

    JsonNode next() {
        try {
            return requests.take();
        } catch (InterruptedException error) {
            throw new IllegalStateException("nobody interrupts this thread", error);
        }
    }

    void finished(JsonNode id) {
        pending.remove(id);
        cancelled.remove(id);
    }

    boolean isCancelled(JsonNode id) {
        return cancelled.contains(id);
    }

    /** Failed: a number is not finite, or the line would be too long. */
    void send(ObjectNode message) {
        String type = message.get("type").textValue();
        for (JsonNode member : message) {
            if (member.isDouble() && !Double.isFinite(member.doubleValue())) {
                throw Failed.notFinite("a number of '" + type + "' is not finite");
            }
        }
        try {
            byte[] line = (JSON.writeValueAsString(message) + "\n").getBytes("UTF-8");
            if (line.length > LONGEST_LINE) {
                throw new Failed("internal",
                        "'%s' has %d bytes, a line at most %d".formatted(type, line.length, LONGEST_LINE));
            }
            ByteBuffer bytes = ByteBuffer.wrap(line);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException error) {
            end(1, "crossbind is gone");
        }
    }

    void close() throws IOException {
        channel.close();
    }

    private void read() {
        try {
            LineReader lines = new LineReader(channel, LONGEST_LINE);
            for (byte[] line = lines.next(); line != null; line = lines.next()) {
                JsonNode message = parse(line);
                take(message);
                if (message.get("type").textValue().equals("bye")) {
                    return;
                }
            }
            end(1, "crossbind closed the connection");
        } catch (IOException error) {
            end(1, "the connection is broken: " + error.getMessage());
        }
    }

    private void take(JsonNode message) {
        String type = message.get("type").textValue();
        JsonNode id = message.path("id");
        if (type.equals("cancel")) {
            if (pending.contains(id)) {
                cancelled.add(id);
            }
        } else if (type.equals("bye") && !pending.isEmpty()) {
            end(0, "crossbind said bye during a request");
        } else {
            if (!WITHOUT_ID.contains(type)) {
                pending.add(id);
            }
            requests.add(message);
        }
    }

    private static JsonNode parse(byte[] line) throws IOException {
        JsonNode message = JSON.readTree(line);
        if (!message.isObject() || !message.path("type").isTextual()) {
            throw new IOException("a line is not a JSON object with a 'type'");
        }
        if (!message.path("id").isIntegralNumber() && !WITHOUT_ID.contains(message.get("type").textValue())) {
            throw new IOException("a request has no integer 'id'");
        }
        return message;
    }

    /** From any thread, at once: an orderly exit would wait for the thread that computes. */
    private static void end(int code, String reason) {
        System.err.println("worker: " + reason);
        System.out.flush();
        Runtime.getRuntime().halt(code);
    }
}
