package crossbind.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** What the procedures say while they run, and how they hear that they should stop: of one request. */
final class Reporter {
    private static final long PROGRESS_INTERVAL_NS = 250_000_000;

    private final Consumer<ObjectNode> send;
    private final BooleanSupplier cancelled;
    private long lastProgress = System.nanoTime();

    Reporter(Consumer<ObjectNode> send, BooleanSupplier cancelled) {
        this.send = send;
        this.cancelled = cancelled;
    }

    static ObjectNode event(String type) {
        return Connection.JSON.createObjectNode().put("type", type);
    }

    void send(ObjectNode event) {
        send.accept(event);
    }

    /** At most four a second are sent. */
    void progress(int epoch, int step, int steps) {
        long now = System.nanoTime();
        if (now - lastProgress >= PROGRESS_INTERVAL_NS) {
            lastProgress = now;
            send(event("progress").put("epoch", epoch).put("step", step).put("steps", steps));
        }
    }

    void checkCancelled() {
        if (cancelled.getAsBoolean()) {
            throw new Failed("cancelled", "given up on request");
        }
    }
}
