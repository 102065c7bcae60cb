package crossbind.pytorch;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.pooling.Pool;
import crossbind.worker.Graph;

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
        boolean counted = Layers.truth(node, "count_padding");
        if (canPad(pads, kernel)) {
            return Layers.plain(Pool.avgPool2dBlock(kernel, stride, pads.even(), false, counted));
        }
        return Layers.each(image -> {
            NDArray means = Pool.avgPool2d(pads.apply(image, 0), kernel, stride, NO_PADS, false, true);
            if (counted) {
                return means;
            }
            NDArray ones = pads.apply(image.onesLike(), 0);
            return means.div(Pool.avgPool2d(ones, kernel, stride, NO_PADS, false, true));
        });
    }

    private static boolean canPad(Pads pads, Shape kernel) {
        return pads.isEven() && 2 * pads.top() <= kernel.get(0) && 2 * pads.left() <= kernel.get(1);
    }
}
