package crossbind.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The clock of an epoch. Runs from its making until stop. With parts it also times each part of each step,
 * the device synchronised between; without, nothing is timed inside.
 */
final class Stopwatch {
    private final Runnable synchronize;
    private final Map<String, List<Long>> parts = new LinkedHashMap<>();
    private long start;
    private long mark;

    Stopwatch(Runnable synchronize, List<String> parts) {
        this.synchronize = synchronize;
        parts.forEach(part -> this.parts.put(part, new ArrayList<>()));
        synchronize.run();
        start = System.nanoTime();
        mark = start;
    }

    /** The next part begins here. */
    void mark() {
        if (!parts.isEmpty()) {
            mark = System.nanoTime();
        }
    }

    /** The part ends here and the next one begins. */
    void lap(String part) {
        if (!parts.isEmpty()) {
            synchronize.run();
            long now = System.nanoTime();
            parts.get(part).add(now - mark);
            mark = now;
        }
    }

    /** Does something that counts for nothing. */
    void paused(Runnable action) {
        synchronize.run(); // or work of before would be waited for in the pause
        long begin = System.nanoTime();
        action.run();
        long pause = System.nanoTime() - begin;
        start += pause;
        mark += pause;
    }

    /** Adds the members of a timings event. */
    ObjectNode stop(ObjectNode event) {
        synchronize.run();
        event.put("total_ns", System.nanoTime() - start);
        parts.forEach((part, times) -> times.forEach(event.putArray(part + "_ns")::add));
        return event;
    }

    /** Adds each step as the sum of its parts. */
    ObjectNode steps(ObjectNode event) {
        int count = parts.values().iterator().next().size();
        var steps = event.putArray("steps_ns");
        for (int step = 0; step < count; step++) {
            int number = step;
            steps.add(parts.values().stream().mapToLong(times -> times.get(number)).sum());
        }
        return event;
    }
}
