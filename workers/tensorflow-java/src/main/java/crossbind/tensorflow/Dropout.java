package crossbind.tensorflow;

import java.util.List;
import org.tensorflow.Operand;
import org.tensorflow.op.Ops;
import org.tensorflow.types.TFloat32;
import org.tensorflow.types.TInt64;

/** Masks of dropout: each is drawn from the seed, the number of the draw and that of the layer alone. */
final class Dropout {
    private final Ops tf;
    private final long seed;
    private final Operand<TInt64> draw;
    private long layers;

    Dropout(Ops tf, long seed, Operand<TInt64> draw) {
        this.tf = tf;
        this.seed = seed;
        this.draw = draw;
    }

    Operand<TFloat32> apply(Operand<TFloat32> x, double rate) {
        Operand<TInt64> stream = tf.constant(seed + (layers++ << 32)); // seeds have 32 bits
        Operand<TFloat32> drawn = tf.random.statelessRandomUniform(
                tf.shape(x), tf.stack(List.of(stream, draw)));
        Operand<TFloat32> kept = tf.dtypes.cast(
                tf.math.greaterEqual(drawn, tf.constant((float) rate)), TFloat32.class);
        return tf.math.mul(x, tf.math.mul(kept, tf.constant((float) (1 / (1 - rate)))));
    }
}
