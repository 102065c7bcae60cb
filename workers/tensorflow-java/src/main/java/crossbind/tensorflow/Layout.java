package crossbind.tensorflow;

import crossbind.worker.Graph;
import crossbind.worker.Tensor;
import java.nio.FloatBuffer;
import java.util.Arrays;

/**
 * How TensorFlow has a tensor of the graph: the one place that converts between the canonical layout and its
 * own, in both directions. What holds for a parameter holds for its gradient and moments too.
 */
enum Layout {
    SAME(),
    /** Samples first: NCHW there, NHWC here. */
    IMAGES(0, 2, 3, 1),
    /** OIHW there, HWIO here. */
    KERNELS(2, 3, 1, 0),
    /** [out, in] there, [in, out] here. */
    MATRICES(1, 0);

    private final int[] axes; // of the canonical tensor, in the order that they have here

    Layout(int... axes) {
        this.axes = axes;
    }

    /** Of samples with that shape, the batch first. */
    static Layout ofSamples(long[] shape) {
        return shape.length == 3 ? IMAGES : SAME;
    }

    static Layout ofParameter(Graph.Node node, Graph.Parameter parameter) {
        return switch (node.type()) {
            case "conv2d" -> parameter.shape().length == 4 ? KERNELS : SAME;
            case "linear", "lstm", "gru", "self_attention" -> parameter.shape().length == 2 ? MATRICES : SAME;
            default -> SAME;
        };
    }

    long[] toNative(long... canonical) {
        return this == SAME ? canonical : Arrays.stream(axes).mapToLong(axis -> canonical[axis]).toArray();
    }

    Tensor toNative(Tensor canonical) {
        return permuted(canonical, axes);
    }

    Tensor toCanonical(Tensor values) {
        int[] back = new int[axes.length];
        for (int i = 0; i < axes.length; i++) {
            back[axes[i]] = i;
        }
        return permuted(values, back);
    }

    private static Tensor permuted(Tensor from, int[] axes) {
        if (axes.length == 0) {
            return from;
        }
        long[] shape = Arrays.stream(axes).mapToLong(axis -> from.shape()[axis]).toArray();
        if (keepsOrder(from.shape(), axes)) {
            return new Tensor(from.type(), shape, from.bytes());
        }
        long[] strides = Arrays.stream(axes).mapToLong(axis -> stride(from.shape(), axis)).toArray();
        float[] values = new float[from.count()];
        fill(values, 0, from.bytes().asFloatBuffer(), 0, shape, strides, 0);
        return Tensor.of(values, shape);
    }

    /** Whether only axes of one element change places, like the channel of a gray image. */
    private static boolean keepsOrder(long[] shape, int[] axes) {
        int[] moved = Arrays.stream(axes).filter(axis -> shape[axis] > 1).toArray();
        return Arrays.equals(moved, Arrays.stream(moved).sorted().toArray());
    }

    private static long stride(long[] shape, int axis) {
        return Arrays.stream(shape, axis + 1, shape.length).reduce(1, (a, b) -> a * b);
    }

    /** Writes one slice along the axes from that one on; where it ends. */
    private static int fill(
            float[] to, int begin, FloatBuffer from, int offset, long[] shape, long[] strides, int axis) {
        int position = begin;
        int stride = (int) strides[axis];
        int place = offset;
        for (int i = 0; i < shape[axis]; i++, place += stride) {
            if (axis == shape.length - 1) {
                to[position++] = from.get(place);
            } else {
                position = fill(to, position, from, place, shape, strides, axis + 1);
            }
        }
        return position;
    }
}
