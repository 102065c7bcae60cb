package crossbind.worker;

import java.util.Map;

/**
 * The losses of docs/layers.md, from outputs on the host, in double precision: not those of the binding, so
 * that test losses are comparable.
 */
final class Losses {
    private Losses() {}

    /** Of all samples together; the outputs are finite. */
    static double sum(String loss, Tensor outputs, Map<String, long[]> targets) {
        float[] values = outputs.floats();
        int rows = outputs.rows();
        int width = rows == 0 ? 0 : values.length / rows;
        double sum = 0;
        for (int row = 0; row < rows; row++) {
            sum += ofSample(loss, values, row * width, width, row, targets);
        }
        return sum;
    }

    private static double ofSample(
            String loss, float[] values, int begin, int width, int row, Map<String, long[]> targets) {
        return switch (loss) {
            case "cross_entropy" -> crossEntropy(values, begin, width, 1, targets.get("label")[row]);
            case "binary_cross_entropy" -> binary(values[begin], targets.get("label")[row]);
            case "span_cross_entropy" -> { // outputs are [length, 2]
                double start = crossEntropy(values, begin, width / 2, 2, targets.get("start")[row]);
                double end = crossEntropy(values, begin + 1, width / 2, 2, targets.get("end")[row]);
                yield (start + end) / 2;
            }
            default -> throw new Unsupported("loss " + loss);
        };
    }

    /** Of as many logits, a step apart. */
    private static double crossEntropy(float[] values, int begin, int count, int step, long label) {
        double largest = Double.NEGATIVE_INFINITY;
        for (int index = 0; index < count; index++) {
            largest = Math.max(largest, values[begin + index * step]);
        }
        double sum = 0;
        for (int index = 0; index < count; index++) {
            sum += Math.exp(values[begin + index * step] - largest);
        }
        return largest + Math.log(sum) - values[begin + (int) label * step];
    }

    private static double binary(double logit, long label) {
        return Math.max(logit, 0) - logit * label + Math.log1p(Math.exp(-Math.abs(logit)));
    }
}
