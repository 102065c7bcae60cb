package crossbind.worker;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/** The training or the test samples. */
public record Split(String name, int size, Samples samples) {

    /** The targets of some samples, by name. */
    Map<String, long[]> labels(long[] ids) {
        Map<String, long[]> labels = new LinkedHashMap<>();
        samples.targets().forEach((name, values) -> {
            var all = values.bytes().asLongBuffer();
            labels.put(name, LongStream.of(ids).map(id -> all.get((int) id)).toArray());
        });
        return labels;
    }

    List<long[]> inFileOrder(int batchSize) {
        return cut(LongStream.range(0, size).toArray(), batchSize);
    }

    /** An epoch's batches: consecutive pieces, the last one may be shorter. */
    static List<long[]> cut(long[] ids, int batchSize) {
        List<long[]> batches = new ArrayList<>();
        for (int begin = 0; begin < ids.length; begin += batchSize) {
            batches.add(Arrays.copyOfRange(ids, begin, Math.min(ids.length - begin, batchSize) + begin));
        }
        return batches;
    }
}
