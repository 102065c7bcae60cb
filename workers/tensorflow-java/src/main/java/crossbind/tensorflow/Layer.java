package crossbind.tensorflow;

import crossbind.worker.Graph;
import java.util.List;
import org.tensorflow.Operand;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.op.Op;
import org.tensorflow.op.Ops;
import org.tensorflow.types.TFloat32;
import org.tensorflow.types.TInt64;

/** A layer of the graph while it is made of operations: its fields, inputs and parameters, in one pass. */
record Layer(Pass pass, Graph.Node node, List<Operand<?>> inputs) {

    Ops tf() {
        return pass.tf();
    }

    Operand<TFloat32> x() {
        return x(0);
    }

    Operand<TFloat32> x(int index) {
        return inputs.get(index).asOutput().expect(TFloat32.class);
    }

    Operand<TInt64> integers(int index) {
        return inputs.get(index).asOutput().expect(TInt64.class);
    }

    boolean has(String parameter) {
        return node.parameters().stream().anyMatch(each -> each.name().equals(whole(parameter)));
    }

    Operand<TFloat32> parameter(String name) {
        return pass.variables().read(whole(name));
    }

    /** What a running statistic is after the step. */
    void becomes(String parameter, Operand<TFloat32> value) {
        Op update = pass.variables().assign(whole(parameter), value);
        pass.updates().add(update);
    }

    private String whole(String parameter) {
        return node.name() + "." + parameter;
    }

    /** Samples of that shape out of as many numbers. */
    Operand<TFloat32> reshaped(Operand<TFloat32> x, long... sample) {
        return tf().reshape(x, tf().constant(Shape.of(-1).append(Shape.of(sample))));
    }

    Operand<TFloat32> constant(double value) {
        return tf().constant((float) value);
    }
}
