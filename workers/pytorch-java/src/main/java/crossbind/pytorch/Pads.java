package crossbind.pytorch;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Block;
import ai.djl.nn.LambdaBlock;
import ai.djl.nn.SequentialBlock;
import crossbind.worker.Graph;

/** Pads of an image; the layers of PyTorch have them only alike on opposite sides. */
record Pads(long top, long left, long bottom, long right) {

    static Pads of(Graph.Node node) {
        long[] pads = node.integers("pads");
        return new Pads(pads[0], pads[1], pads[2], pads[3]);
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
