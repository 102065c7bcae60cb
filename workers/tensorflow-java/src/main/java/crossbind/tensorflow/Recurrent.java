package crossbind.tensorflow;

import crossbind.worker.Unsupported;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.tensorflow.Operand;
import org.tensorflow.op.Ops;
import org.tensorflow.op.core.Stack;
import org.tensorflow.op.core.Unstack;
import org.tensorflow.types.TFloat32;

/** Recurrent layers, unrolled: the native library has no gradient of a loop. */
final class Recurrent {
    /** More steps than this are not trained: the operations of all steps and their gradients are too many. */
    private static final long LONGEST_TRAINING = 32;

    private final Layer layer;
    private final Ops tf;
    private final UnaryOperator<Operand<TFloat32>> gate;
    private final List<Operand<TFloat32>> inputs; // what they contribute to the gates, step by step
    private final Operand<TFloat32> start;

    private Recurrent(Layer layer, long gates) {
        long steps = layer.node().output()[0];
        if (layer.pass().trains() && steps > LONGEST_TRAINING) {
            throw new Unsupported("while gradient");
        }
        this.layer = layer;
        tf = layer.tf();
        gate = layer.node().word("recurrent_activation").equals("sigmoid")
                ? tf.math::sigmoid
                : this::hardSigmoid;
        long width = gates * layer.node().integer("hidden");
        Operand<TFloat32> all = Layers.affine(layer, layer.x(), "weight_ih", "bias_ih", -1, steps, width);
        inputs = List.copyOf(tf.unstack(all, steps, Unstack.axis(1L)).output());
        start = tf.zerosLike(split(inputs.get(0), gates).get(0));
    }

    /** Gates i f g o. */
    static Operand<TFloat32> lstm(Layer layer) {
        return new Recurrent(layer, 4).lstm();
    }

    /** Gates r z n. */
    static Operand<TFloat32> gru(Layer layer) {
        return new Recurrent(layer, 3).gru(layer.node().truth("reset_after"));
    }

    private Operand<TFloat32> lstm() {
        List<Operand<TFloat32>> outputs = new ArrayList<>();
        Operand<TFloat32> hidden = start;
        Operand<TFloat32> cell = start;
        for (Operand<TFloat32> input : inputs) {
            List<Operand<TFloat32>> gates = split(tf.math.add(input, recurrent(hidden)), 4);
            Operand<TFloat32> added = tf.math.mul(gate.apply(gates.get(0)), tf.math.tanh(gates.get(2)));
            cell = tf.math.add(tf.math.mul(gate.apply(gates.get(1)), cell), added);
            hidden = tf.math.mul(gate.apply(gates.get(3)), tf.math.tanh(cell));
            outputs.add(hidden);
        }
        return tf.stack(outputs, Stack.axis(1L));
    }

    private Operand<TFloat32> gru(boolean resetAfter) {
        List<Operand<TFloat32>> outputs = new ArrayList<>();
        Operand<TFloat32> hidden = start;
        for (Operand<TFloat32> input : inputs) {
            List<Operand<TFloat32>> given = split(input, 3);
            List<Operand<TFloat32>> kept = split(recurrent(hidden), 3);
            Operand<TFloat32> reset = gate.apply(tf.math.add(given.get(0), kept.get(0)));
            Operand<TFloat32> update = gate.apply(tf.math.add(given.get(1), kept.get(1)));
            Operand<TFloat32> past = resetAfter
                    ? tf.math.mul(reset, kept.get(2))
                    : candidate(tf.math.mul(reset, hidden));
            Operand<TFloat32> fresh = tf.math.tanh(tf.math.add(given.get(2), past));
            hidden = tf.math.add(
                    tf.math.mul(update, hidden),
                    tf.math.mul(tf.math.sub(layer.constant(1), update), fresh));
            outputs.add(hidden);
        }
        return tf.stack(outputs, Stack.axis(1L));
    }

    /** What the state contributes to all gates. */
    private Operand<TFloat32> recurrent(Operand<TFloat32> hidden) {
        Operand<TFloat32> product = tf.linalg.matMul(hidden, layer.parameter("weight_hh"));
        return layer.has("bias_hh") ? tf.nn.biasAdd(product, layer.parameter("bias_hh")) : product;
    }

    /** What it contributes to the third gate of a GRU, where it is reset before the product. */
    private Operand<TFloat32> candidate(Operand<TFloat32> reset) {
        Operand<TFloat32> product = tf.linalg.matMul(reset, split(layer.parameter("weight_hh"), 3).get(2));
        return layer.has("bias_hh")
                ? tf.nn.biasAdd(product, split(layer.parameter("bias_hh"), 3).get(2))
                : product;
    }

    private List<Operand<TFloat32>> split(Operand<TFloat32> gates, long count) {
        return List.copyOf(tf.split(tf.constant(-1), gates, count).output());
    }

    private Operand<TFloat32> hardSigmoid(Operand<TFloat32> x) {
        Operand<TFloat32> line = tf.math.add(tf.math.mul(x, layer.constant(0.2)), layer.constant(0.5));
        return tf.math.minimum(tf.math.maximum(line, layer.constant(0)), layer.constant(1));
    }
}
