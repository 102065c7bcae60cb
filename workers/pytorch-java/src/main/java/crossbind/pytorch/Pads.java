package crossbind.pytorch;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Block;
import ai.djl.nn.LambdaBlock;
import ai.djl.nn.SequentialBlock;
import com.fasterxml.jackson.databind.JsonNode;
import crossbind.worker.Graph;

/** Pads of an image; the layers of PyTorch have them only alike on opposite sides. */
record Pads(long top, long left, long bottom, long right) {

    static Pads of(Graph.Node node) {
        JsonNode pads = node.fields().get("pads");
        return new Pads(pads.get(0).longValue(), pads.get(1).longValue(),
                pads.get(2).longValue(), pads.get(3).longValue());
    }

    boolean isEven() {
        return top == bottom && left == right;
    }

    boolean areNone() {
        return isEven() && top == 0 && left == 0;
    }

    Shape even() {
        return new Shape(top, left);
    }

    NDArray apply(NDArray image, double value) {
        return image.pad(new Shape(left, right, top, bottom), value);
    }

    Block block(double value) {
        return LambdaBlock.singleton(image -> apply(image, value), "pad");
    }

    Block before(double value, Block block) {
        return new SequentialBlock().add(block(value)).add(block);
    }
}
