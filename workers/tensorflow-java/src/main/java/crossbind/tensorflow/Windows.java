package crossbind.tensorflow;

import crossbind.worker.Graph;
import java.util.List;
import java.util.stream.LongStream;
import org.tensorflow.Operand;
import org.tensorflow.op.Ops;
import org.tensorflow.types.TFloat32;
import org.tensorflow.types.TInt32;

/** What slides a window over an image. Pads that TensorFlow's operations do not have are put on before. */
final class Windows {
    private Windows() {}

    static Operand<TFloat32> convolution(Layer layer) {
        boolean same = isSame(layer);
        Operand<TFloat32> output = layer.tf().nn.conv2d(
                same ? layer.x() : padded(layer, layer.x(), 0),
                layer.parameter("weight"),
                window(layer, "stride"),
                same ? "SAME" : "VALID");
        return layer.has("bias") ? layer.tf().nn.biasAdd(output, layer.parameter("bias")) : output;
    }

    static Operand<TFloat32> maxPool(Layer layer) {
        boolean same = isSame(layer);
        return layer.tf().nn.maxPool(
                same ? layer.x() : padded(layer, layer.x(), Float.NEGATIVE_INFINITY),
                sizes(layer, "kernel"),
                sizes(layer, "stride"),
                same ? "SAME" : "VALID");
    }

    static Operand<TFloat32> averagePool(Layer layer) {
        Ops tf = layer.tf();
        if (layer.node().truth("count_padding") || !hasPads(layer.node())) {
            return average(layer, padded(layer, layer.x(), 0), "VALID");
        }
        if (isSame(layer)) { // TensorFlow's does not count it
            return average(layer, layer.x(), "SAME");
        }
        Operand<TFloat32> counted = average(layer, padded(layer, tf.onesLike(layer.x()), 0), "VALID");
        return tf.math.div(
                average(layer, padded(layer, layer.x(), 0), "VALID"),
                tf.stopGradient(counted)); // OnesLike has no gradient, and would be asked for it
    }

    private static Operand<TFloat32> average(Layer layer, Operand<TFloat32> x, String padding) {
        return layer.tf().nn.avgPool(x, window(layer, "kernel"), window(layer, "stride"), padding);
    }

    static Operand<TFloat32> padded(Layer layer, Operand<TFloat32> x, float value) {
        if (!hasPads(layer.node())) {
            return x;
        }
        int[] pads = LongStream.of(layer.node().integers("pads")).mapToInt(Math::toIntExact).toArray();
        int[][] byAxis = {{0, 0}, {pads[0], pads[2]}, {pads[1], pads[3]}, {0, 0}}; // the gradient wants int32
        return layer.tf().pad(x, layer.tf().constant(byAxis), layer.tf().constant(value));
    }

    private static boolean hasPads(Graph.Node node) {
        return LongStream.of(node.integers("pads")).anyMatch(pad -> pad != 0);
    }

    /** Whether the pads are what TensorFlow's SAME gives that image. */
    private static boolean isSame(Layer layer) {
        long[] pads = layer.node().integers("pads");
        long[] kernel = layer.node().integers("kernel");
        long[] stride = layer.node().integers("stride");
        for (int axis = 0; axis < 2; axis++) {
            long size = layer.x().shape().get(axis + 1);
            long windows = (size + stride[axis] - 1) / stride[axis];
            long total = Math.max((windows - 1) * stride[axis] + kernel[axis] - size, 0);
            if (pads[axis] != total / 2 || pads[axis + 2] != total - total / 2) {
                return false;
            }
        }
        return true;
    }

    private static List<Long> window(Layer layer, String field) {
        long[] sizes = layer.node().integers(field);
        return List.of(1L, sizes[0], sizes[1], 1L);
    }

    private static Operand<TInt32> sizes(Layer layer, String field) {
        long[] sizes = layer.node().integers(field);
        return layer.tf().constant(new int[] {1, (int) sizes[0], (int) sizes[1], 1});
    }
}
