package crossbind.pytorch;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.pooling.Pool;
import crossbind.worker.Graph;
import java.util.function.UnaryOperator;

/** Pools. Those of PyTorch pad evenly, and at most half a window: other pads are put on before. */
final class Pools {
    private static final Shape NO_PADS = new Shape(0, 0);

    private Pools() {}

    static Layers.Layer max(Graph.Node node) {
        Pads pads = Pads.of(node);
        Shape kernel = Layers.pair(node, "kernel");
        Shape stride = Layers.pair(node, "stride");
        return Layers.plain(canPad(pads, kernel)
                ? Pool.maxPool2dBlock(kernel, stride, pads.even(), false)
                : pads.before(Double.NEGATIVE_INFINITY, Pool.maxPool2dBlock(kernel, stride, NO_PADS, false)));
    }

    static Layers.Layer average(Graph.Node node) {
        Pads pads = Pads.of(node);
        Shape kernel = Layers.pair(node, "kernel");
        Shape stride = Layers.pair(node, "stride");
        UnaryOperator<NDArray> pool = canPad(pads, kernel)
                ? image -> Pool.avgPool2d(image, kernel, stride, pads.even(), false, true)
                : image -> Pool.avgPool2d(pads.apply(image, 0), kernel, stride, NO_PADS, false, true);
        // DJL's engine for PyTorch counts the padding, whatever it is told.
        return node.truth("count_padding") || pads.areNone()
                ? Layers.each(pool)
                : Layers.each(image -> pool.apply(image).div(pool.apply(image.onesLike())));
    }

    private static boolean canPad(Pads pads, Shape kernel) {
        return pads.isEven() && 2 * pads.top() <= kernel.get(0) && 2 * pads.left() <= kernel.get(1);
    }
}
