package crossbind.tensorflow;

import com.fasterxml.jackson.databind.JsonNode;
import crossbind.worker.Graph;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.tensorflow.Operand;
import org.tensorflow.op.Op;
import org.tensorflow.op.Ops;
import org.tensorflow.types.TFloat32;
import org.tensorflow.types.TFloat64;
import org.tensorflow.types.TInt64;

/** TensorFlow's own updates, as the graph says, and the variables of their moments. */
final class Optimizer {
    private final Ops tf;
    private final Graph graph;
    private final Variables variables;
    private final Operand<TInt64> step;
    private final JsonNode fields;
    private final List<String> moments = new ArrayList<>();

    /** The step is counted from 1. */
    Optimizer(Ops tf, Graph graph, Variables variables, Operand<TInt64> step) {
        this.tf = tf;
        this.graph = graph;
        this.variables = variables;
        this.step = step;
        this.fields = graph.optimizer();
        for (Graph.Parameter parameter : graph.parameters()) {
            if (parameter.trainable()) {
                kinds().forEach(kind -> addMoment(parameter.name(), kind));
            }
        }
    }

    private List<String> kinds() {
        return isAdam() ? List.of(".state.m", ".state.v") : hasMomentum() ? List.of(".state.m") : List.of();
    }

    private boolean isAdam() {
        return fields.get("type").textValue().equals("adam");
    }

    private boolean hasMomentum() {
        return fields.path("momentum").asDouble() != 0;
    }

    private void addMoment(String parameter, String kind) {
        variables.addLike(parameter + kind, parameter);
        moments.add(parameter + kind);
    }

    /** The names of all moments. */
    List<String> moments() {
        return moments;
    }

    /** One step of each parameter, from its gradient. */
    List<Op> updates(Map<String, Operand<TFloat32>> gradients) {
        List<Op> updates = new ArrayList<>();
        for (Graph.Parameter parameter : graph.parameters()) {
            if (parameter.trainable()) {
                updates.add(update(parameter, gradients.get(parameter.name())));
            }
        }
        return updates;
    }

    private Op update(Graph.Parameter parameter, Operand<TFloat32> gradient) {
        String name = parameter.name();
        double decay = graph.decay(parameter);
        if (decay == 0) {
            return apply(name, gradient);
        }
        if (fields.get("weight_decay").get("form").textValue().equals("coupled")) {
            return apply(name, tf.math.add(gradient, times(variables.read(name), decay)));
        }
        double share = fields.get("rate").doubleValue() * decay;
        return tf.withControlDependencies(apply(name, gradient)).assignSubVariableOp(
                variables.handle(name), times(variables.read(name), share));
    }

    private Operand<TFloat32> times(Operand<TFloat32> x, double factor) {
        return tf.math.mul(x, tf.constant((float) factor));
    }

    private Op apply(String name, Operand<TFloat32> gradient) {
        Operand<?> parameter = variables.handle(name);
        if (isAdam()) {
            return tf.train.resourceApplyAdam(
                    parameter, variables.handle(name + ".state.m"), variables.handle(name + ".state.v"),
                    power("beta1"), power("beta2"), number("rate"), number("beta1"), number("beta2"),
                    number("epsilon"), gradient);
        }
        if (hasMomentum()) {
            return tf.train.resourceApplyMomentum(
                    parameter, variables.handle(name + ".state.m"), number("rate"), gradient,
                    number("momentum"));
        }
        return tf.train.resourceApplyGradientDescent(parameter, number("rate"), gradient);
    }

    private Operand<TFloat32> number(String field) {
        return tf.constant(fields.get(field).floatValue());
    }

    /** What is left of a beta after all steps: of that which the update has, in float32. */
    private Operand<TFloat32> power(String beta) {
        Operand<TFloat64> held = tf.constant((double) fields.get(beta).floatValue());
        return tf.dtypes.cast(tf.math.pow(held, tf.dtypes.cast(step, TFloat64.class)), TFloat32.class);
    }
}
