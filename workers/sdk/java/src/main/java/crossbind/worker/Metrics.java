package crossbind.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;

/** What is said about outputs, the same for every binding: computed on the host, outside of every timer. */
final class Metrics {
    private Metrics() {}

    /**
     * Samples whose largest output (the lowest index among equals) is the label; with one output, output > 0
     * means 1; with spans, both ends.
     */
    static long countCorrect(Tensor outputs, Map<String, long[]> targets) {
        float[] values = outputs.floats();
        requireFinite(values);
        int rows = outputs.rows();
        int width = rows == 0 ? 0 : values.length / rows;
        long correct = 0;
        for (int row = 0; row < rows; row++) {
            correct += isCorrect(values, row * width, width, row, targets) ? 1 : 0;
        }
        return correct;
    }

    static void requireFinite(float[] outputs) {
        for (float output : outputs) {
            if (!Float.isFinite(output)) {
                throw Failed.notFinite("an output is not finite");
            }
        }
    }

    private static boolean isCorrect(
            float[] values, int begin, int width, int row, Map<String, long[]> targets) {
        long[] labels = targets.get("label");
        if (labels == null) { // outputs are [length, 2]
            return argmax(values, begin, width, 2) == targets.get("start")[row]
                    && argmax(values, begin + 1, width - 1, 2) == targets.get("end")[row];
        }
        long guess = width > 1 ? argmax(values, begin, width, 1) : values[begin] > 0 ? 1 : 0;
        return guess == labels[row];
    }

    private static int argmax(float[] values, int begin, int width, int step) {
        int best = 0;
        for (int index = 1; index * step < width; index++) {
            if (values[begin + index * step] > values[begin + best * step]) {
                best = index;
            }
        }
        return best;
    }

    /** The evidence of a batch: canonical, little-endian, float32 or int64. */
    static void addHashes(ObjectNode event, Samples reached) {
        event.put("inputs_sha256", sha256(reached.inputs()));
        event.put("labels_sha256", sha256(reached.targets()));
    }

    private static String sha256(Map<String, Tensor> tensors) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            tensors.values().forEach(tensor -> digest.update(tensor.bytes()));
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException error) {
            throw new IllegalStateException("every Java has SHA-256", error);
        }
    }
}
