package crossbind.tensorflow;

import crossbind.worker.Graph;
import crossbind.worker.Unsupported;
import java.util.List;
import org.tensorflow.Operand;
import org.tensorflow.op.Ops;
import org.tensorflow.op.core.Unstack;
import org.tensorflow.types.TFloat32;
import org.tensorflow.types.TInt64;

/** Losses: the mean over the batch, from the outputs and the targets in the order of the graph. */
final class Losses {
    private Losses() {}

    static Operand<TFloat32> build(
            Ops tf, Graph graph, Operand<TFloat32> outputs, List<? extends Operand<TInt64>> targets) {
        return switch (graph.loss()) {
            case "cross_entropy" -> crossEntropy(tf, graph, outputs, targets.get(0));
            case "binary_cross_entropy" -> binary(tf, outputs, targets.get(0));
            case "span_cross_entropy" -> { // half for each end, as people train BERT
                List<? extends Operand<TFloat32>> ends = tf.unstack(outputs, 2L, Unstack.axis(2L)).output();
                Operand<TFloat32> sum = tf.math.add(
                        crossEntropy(tf, graph, ends.get(0), targets.get(0)),
                        crossEntropy(tf, graph, ends.get(1), targets.get(1)));
                yield tf.math.mul(sum, tf.constant(0.5f));
            }
            default -> throw new Unsupported("loss " + graph.loss());
        };
    }

    /** The operation that takes the labels as they are has no gradient in the native library. */
    private static Operand<TFloat32> crossEntropy(
            Ops tf, Graph graph, Operand<TFloat32> outputs, Operand<TInt64> label) {
        Operand<TFloat32> wanted = tf.oneHot(
                label, tf.constant((int) graph.classes()), tf.constant(1f), tf.constant(0f));
        return tf.math.mean(
                tf.nn.softmaxCrossEntropyWithLogits(outputs, wanted).loss(), tf.constant(0));
    }

    /** max(x, 0) − x·z + log(1 + exp(−|x|)), which does not overflow. */
    private static Operand<TFloat32> binary(Ops tf, Operand<TFloat32> outputs, Operand<TInt64> label) {
        Operand<TFloat32> x = tf.reshape(outputs, tf.constant(new int[] {-1}));
        Operand<TFloat32> wanted = tf.dtypes.cast(label, TFloat32.class);
        Operand<TFloat32> rest = tf.math.log1p(tf.math.exp(tf.math.neg(tf.math.abs(x))));
        Operand<TFloat32> line = tf.math.sub(tf.nn.relu(x), tf.math.mul(x, wanted));
        return tf.math.mean(tf.math.add(line, rest), tf.constant(0));
    }
}
