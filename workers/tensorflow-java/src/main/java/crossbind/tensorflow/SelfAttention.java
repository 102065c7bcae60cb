package crossbind.tensorflow;

import org.tensorflow.Operand;
import org.tensorflow.op.Ops;
import org.tensorflow.op.train.BatchMatMul;
import org.tensorflow.types.TBool;
import org.tensorflow.types.TFloat32;
import org.tensorflow.types.TInt64;

/** Attention of several heads, with or without a mask. */
final class SelfAttention {
    /** Behind the softmax nothing is left of it. */
    private static final float MASKED = -1e9f;

    private SelfAttention() {}

    static Operand<TFloat32> build(Layer layer) {
        Ops tf = layer.tf();
        long steps = layer.node().output()[0];
        long width = layer.node().integer("width");
        double depth = (double) width / layer.node().integer("heads");
        Operand<TFloat32> query = tf.math.mul(heads(layer, "query"), layer.constant(1 / Math.sqrt(depth)));
        Operand<TFloat32> scores = tf.train.batchMatMul(
                query, heads(layer, "key"), TFloat32.class, BatchMatMul.adjY(true));
        if (layer.inputs().size() > 1) {
            scores = tf.select(keep(layer), scores, tf.constant(MASKED));
        }
        Operand<TFloat32> mixed = tf.train.batchMatMul(
                tf.nn.softmax(scores), heads(layer, "value"), TFloat32.class);
        Operand<TFloat32> joined = layer.reshaped(swapped(layer, mixed), steps, width);
        return Layers.affine(layer, joined, "output.weight", "output.bias", -1, steps, width);
    }

    /** [samples, heads, steps, depth]. */
    private static Operand<TFloat32> heads(Layer layer, String name) {
        long heads = layer.node().integer("heads");
        long[] shape = {-1, layer.node().output()[0], heads, layer.node().integer("width") / heads};
        return swapped(layer, Layers.affine(layer, layer.x(), name + ".weight", name + ".bias", shape));
    }

    /** Steps and heads change places. */
    private static Operand<TFloat32> swapped(Layer layer, Operand<TFloat32> x) {
        return layer.tf().linalg.transpose(x, layer.tf().constant(new int[] {0, 2, 1, 3}));
    }

    private static Operand<TBool> keep(Layer layer) {
        Ops tf = layer.tf();
        Operand<TInt64> mask = tf.reshape(
                layer.integers(1), tf.constant(new long[] {-1, 1, 1, layer.node().output()[0]}));
        return tf.math.notEqual(mask, tf.constant(0L));
    }
}
