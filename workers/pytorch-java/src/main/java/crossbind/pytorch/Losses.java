package crossbind.pytorch;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.index.NDIndex;
import ai.djl.training.loss.Loss;
import crossbind.worker.Unsupported;

/** Losses of DJL: the mean over the batch, from the outputs and the targets in the order of the graph. */
final class Losses {
    private static final Loss CROSS_ENTROPY = Loss.softmaxCrossEntropyLoss("loss", 1, -1, true, true);
    private static final Loss BINARY_CROSS_ENTROPY = Loss.sigmoidBinaryCrossEntropyLoss("loss", 1, false);

    private Losses() {}

    static NDArray evaluate(String loss, NDArray outputs, NDList targets) {
        return switch (loss) {
            case "cross_entropy" -> CROSS_ENTROPY.evaluate(targets, new NDList(outputs));
            case "binary_cross_entropy" -> BINARY_CROSS_ENTROPY.evaluate(targets, new NDList(outputs));
            case "span_cross_entropy" -> {
                NDArray start = end(outputs, 0, targets.get(0));
                yield start.add(end(outputs, 1, targets.get(1))).div(2);
            }
            default -> throw new Unsupported("loss " + loss);
        };
    }

    /** One of the two ends of a span. */
    private static NDArray end(NDArray outputs, int which, NDArray target) {
        NDArray scores = outputs.get(new NDIndex("..., {}", which));
        return CROSS_ENTROPY.evaluate(new NDList(target), new NDList(scores));
    }
}
