package crossbind.tensorflow;

import crossbind.worker.Tensor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tensorflow.Operand;
import org.tensorflow.RawTensor;
import org.tensorflow.Result;
import org.tensorflow.Session;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.op.Op;
import org.tensorflow.op.Ops;
import org.tensorflow.op.core.AssignVariableOp;
import org.tensorflow.op.core.Placeholder;
import org.tensorflow.op.core.ReadVariableOp;
import org.tensorflow.op.core.VarHandleOp;
import org.tensorflow.types.TFloat32;

/**
 * Resource variables by their names in the protocol: parameters, running statistics, moments. TensorFlow has
 * them in its own layout; what comes in and goes out is canonical.
 *
 * <p>They are not ref variables, which an update changes while the backward pass still reads them.
 */
final class Variables {
    private final Ops tf;
    private final Session session;
    private final Map<String, Variable> variables = new LinkedHashMap<>();

    /** Each is read by one operation, so that all of a step sees the value from before its update. */
    private record Variable(
            Layout layout,
            long[] shape,
            Operand<?> handle,
            ReadVariableOp<TFloat32> read,
            Placeholder<TFloat32> given,
            AssignVariableOp assign) {}

    Variables(Ops tf, Session session) {
        this.tf = tf;
        this.session = session;
    }

    /** The shape is canonical. */
    void add(String name, Layout layout, long[] shape) {
        Shape here = Shape.of(layout.toNative(shape));
        Operand<?> handle = tf.varHandleOp(TFloat32.class, here, VarHandleOp.sharedName(name));
        Placeholder<TFloat32> given = tf.placeholder(TFloat32.class, Placeholder.shape(here));
        variables.put(name, new Variable(layout, shape, handle, tf.readVariableOp(handle, TFloat32.class),
                given, tf.assignVariableOp(handle, given)));
    }

    /** Another one of the same shape: a moment. */
    void addLike(String name, String model) {
        add(name, layout(model), variables.get(model).shape());
    }

    Layout layout(String name) {
        return variables.get(name).layout();
    }

    Operand<?> handle(String name) {
        return variables.get(name).handle();
    }

    Operand<TFloat32> read(String name) {
        return variables.get(name).read();
    }

    Op assign(String name, Operand<TFloat32> value) {
        return tf.assignVariableOp(handle(name), value);
    }

    void load(Map<String, Tensor> canonical) {
        List<RawTensor> given = new ArrayList<>();
        Session.Runner runner = session.runner();
        try {
            canonical.forEach((name, values) -> {
                Variable variable = variables.get(name);
                RawTensor here = Transfer.toNative(variable.layout().toNative(values));
                given.add(here);
                runner.feed(variable.given(), here).addTarget(variable.assign());
            });
            if (!runner.isEmpty()) { // plain SGD has no moments, and TensorFlow no runs of nothing
                runner.run().close();
            }
        } finally {
            given.forEach(RawTensor::close);
        }
    }

    Map<String, Tensor> export(Collection<String> names) {
        Map<String, Operand<?>> reads = new LinkedHashMap<>();
        Map<String, Tensor> canonical = new LinkedHashMap<>();
        names.forEach(name -> reads.put(name, read(name)));
        fetch(session.runner(), reads).forEach(
                (name, values) -> canonical.put(name, layout(name).toCanonical(values)));
        return canonical;
    }

    Tensor zeros(String name) {
        long[] shape = variables.get(name).shape();
        int count = 1;
        for (long size : shape) {
            count = Math.multiplyExact(count, Math.toIntExact(size));
        }
        return Tensor.of(new float[count], shape);
    }

    /** What a run gives, on the host, in TensorFlow's layout. */
    static Map<String, Tensor> fetch(Session.Runner runner, Map<String, Operand<?>> wanted) {
        wanted.values().forEach(runner::fetch);
        Map<String, Tensor> values = new LinkedHashMap<>();
        if (runner.isEmpty()) {
            return values;
        }
        try (Result result = runner.run()) {
            int index = 0;
            for (String name : wanted.keySet()) {
                values.put(name, Transfer.toHost(result.get(index++)));
            }
        }
        return values;
    }
}
