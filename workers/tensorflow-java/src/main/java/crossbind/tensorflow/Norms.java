package crossbind.tensorflow;

import org.tensorflow.Operand;
import org.tensorflow.op.Ops;
import org.tensorflow.op.math.Mean;
import org.tensorflow.op.nn.FusedBatchNorm;
import org.tensorflow.types.TFloat32;

/** Normalizations. */
final class Norms {
    private Norms() {}

    static Operand<TFloat32> batch(Layer layer) {
        boolean isImage = layer.node().output().length == 3;
        boolean training = layer.pass().trains();
        long features = layer.node().integer("features");
        Operand<TFloat32> mean = layer.parameter("running_mean");
        Operand<TFloat32> variance = layer.parameter("running_var");
        Operand<TFloat32> none = layer.tf().constant(new float[0]);
        FusedBatchNorm<TFloat32, TFloat32> norm = layer.tf().nn.fusedBatchNorm(
                isImage ? layer.x() : layer.reshaped(layer.x(), 1, 1, features),
                layer.parameter("weight"),
                layer.parameter("bias"),
                training ? none : mean,
                training ? none : variance,
                FusedBatchNorm.epsilon(layer.node().number("epsilon")),
                FusedBatchNorm.isTraining(training));
        if (training) {
            layer.becomes("running_mean", moved(layer, mean, norm.batchMean()));
            layer.becomes("running_var", moved(layer, variance, newVariance(layer, norm)));
        }
        return isImage ? norm.y() : layer.reshaped(norm.y(), features);
    }

    /** TensorFlow gives the unbiased one. */
    private static Operand<TFloat32> newVariance(Layer layer, FusedBatchNorm<TFloat32, TFloat32> norm) {
        if (layer.node().word("running_variance").equals("unbiased")) {
            return norm.batchVariance();
        }
        Ops tf = layer.tf();
        Operand<TFloat32> numbers = tf.math.div(
                tf.dtypes.cast(tf.size(layer.x()), TFloat32.class),
                layer.constant(layer.node().integer("features")));
        Operand<TFloat32> share = tf.math.div(tf.math.sub(numbers, layer.constant(1)), numbers);
        return tf.math.mul(norm.batchVariance(), share);
    }

    private static Operand<TFloat32> moved(Layer layer, Operand<TFloat32> old, Operand<TFloat32> fresh) {
        Ops tf = layer.tf();
        double weight = layer.node().fields().get("momentum").doubleValue();
        return tf.math.add(
                tf.math.mul(old, layer.constant(1 - weight)), tf.math.mul(fresh, layer.constant(weight)));
    }

    static Operand<TFloat32> layer(Layer layer) {
        Ops tf = layer.tf();
        return Layers.overLast(layer, x -> {
            Operand<TFloat32> mean = tf.math.mean(x, tf.constant(-1), Mean.keepDims(true));
            Operand<TFloat32> variance = tf.math.mean(
                    tf.math.squaredDifference(x, mean), tf.constant(-1), Mean.keepDims(true));
            Operand<TFloat32> scale = tf.math.rsqrt(
                    tf.math.add(variance, tf.constant(layer.node().number("epsilon"))));
            Operand<TFloat32> normal = tf.math.mul(tf.math.sub(x, mean), scale);
            return tf.math.add(
                    tf.math.mul(normal, layer.parameter("weight")), layer.parameter("bias"));
        });
    }
}
