package crossbind.tensorflow;

import crossbind.worker.Graph;
import crossbind.worker.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tensorflow.Operand;
import org.tensorflow.Session;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.op.Op;
import org.tensorflow.op.Ops;
import org.tensorflow.op.core.Gradients;
import org.tensorflow.op.core.Placeholder;
import org.tensorflow.proto.ConfigProto;
import org.tensorflow.types.TFloat32;
import org.tensorflow.types.TInt64;
import org.tensorflow.types.family.TNumber;

/** The graph as operations of TensorFlow, with a session. What trains is added when it is first asked for. */
final class Network implements AutoCloseable {
    private final Graph graph;
    private final org.tensorflow.Graph operations = new org.tensorflow.Graph();
    private final Session session;
    private final Ops tf = Ops.create(operations);
    private final Map<String, Placeholder<? extends TNumber>> inputs = new LinkedHashMap<>();
    private final Map<String, Placeholder<TInt64>> targets = new LinkedHashMap<>();
    private final Placeholder<TInt64> step = tf.placeholder(TInt64.class, Placeholder.shape(Shape.scalar()));
    private final Placeholder<TInt64> draw = tf.placeholder(TInt64.class, Placeholder.shape(Shape.scalar()));
    private final Variables variables;
    private final Dropout dropout;
    private final Pass evaluation;
    private Optimizer optimizer;

    /** A training step: update changes everything that it changes. Gradients are those of the parameters. */
    record Step(
            Map<String, Operand<TFloat32>> outputs,
            Operand<TFloat32> loss,
            Map<String, Operand<TFloat32>> gradients,
            Op update) {}

    Network(Graph graph, long seed, ConfigProto config) {
        this.graph = graph;
        session = new Session(operations, config);
        variables = new Variables(tf, session);
        dropout = new Dropout(tf, seed, draw);
        for (Graph.Input input : graph.inputs()) {
            Class<? extends TNumber> type = input.entries().isPresent() ? TInt64.class : TFloat32.class;
            inputs.put(input.name(), tf.placeholder(type, Placeholder.shape(batchOf(input.shape()))));
        }
        graph.targets().forEach(target ->
                targets.put(target, tf.placeholder(TInt64.class, Placeholder.shape(Shape.of(-1)))));
        for (Graph.Node node : graph.nodes()) {
            node.parameters().forEach(each ->
                    variables.add(each.name(), Layout.ofParameter(node, each), each.shape()));
        }
        evaluation = pass(Pass.Mode.EVALUATION);
    }

    private static Shape batchOf(long[] sample) {
        Shape canonical = Shape.of(-1).append(Shape.of(sample));
        return Shape.of(Layout.ofSamples(sample).toNative(canonical.asArray()));
    }

    private Pass pass(Pass.Mode mode) {
        return new Pass(tf, variables, mode, dropout).through(graph, inputs);
    }

    /** What each layer gives in evaluation mode. */
    Map<String, Operand<TFloat32>> evaluation() {
        return evaluation.outputs();
    }

    /** Adds a training step to the operations. */
    Step addStep(boolean withDropout) {
        Pass pass = pass(withDropout ? Pass.Mode.TRAINING : Pass.Mode.PROBING);
        Operand<TFloat32> loss = addLoss(pass.outputs());
        Map<String, Operand<TFloat32>> gradients = gradients(loss);
        if (optimizer == null) {
            optimizer = new Optimizer(tf, graph, variables, step);
        }
        List<Op> updates = new ArrayList<>(pass.updates());
        updates.addAll(optimizer.updates(gradients));
        return new Step(pass.outputs(), loss, gradients, tf.withControlDependencies(updates).noOp());
    }

    Operand<TFloat32> addLoss(Map<String, Operand<TFloat32>> outputs) {
        return Losses.build(tf, graph, outputs.get(graph.last().name()), List.copyOf(targets.values()));
    }

    private Map<String, Operand<TFloat32>> gradients(Operand<TFloat32> loss) {
        List<String> trained = graph.parameters().stream()
                .filter(Graph.Parameter::trainable)
                .map(Graph.Parameter::name)
                .toList();
        return named(trained, tf.gradients(loss, trained.stream().map(variables::read).toList()));
    }

    /** Adds the gradients by the real inputs of a loss, times the number of samples. */
    Map<String, Operand<TFloat32>> addInputGradients(Operand<TFloat32> loss) {
        List<String> real = graph.realInputs().stream().map(Graph.Input::name).toList();
        Operand<TInt64> target = targets.values().iterator().next();
        Operand<TFloat32> samples = tf.dtypes.cast(tf.size(target), TFloat32.class);
        return named(real, tf.gradients(
                loss, real.stream().map(inputs::get).toList(), Gradients.dx(List.of(samples))));
    }

    private static Map<String, Operand<TFloat32>> named(List<String> names, Gradients gradients) {
        Map<String, Operand<TFloat32>> named = new LinkedHashMap<>();
        gradients.forEach(gradient ->
                named.put(names.get(named.size()), gradient.asOutput().expect(TFloat32.class)));
        return named;
    }

    /** A run on a batch; it may have no targets. */
    Session.Runner runner(Batch batch) {
        Session.Runner runner = session.runner();
        batch.inputs().forEach((name, values) -> runner.feed(inputs.get(name), values));
        batch.targets().forEach((name, values) -> runner.feed(targets.get(name), values));
        return runner;
    }

    /** The number of the step, counted from 1. */
    Placeholder<TInt64> step() {
        return step;
    }

    /** The number of the draw, which decides the masks of dropout. */
    Placeholder<TInt64> draw() {
        return draw;
    }

    void load(Map<String, Tensor> parameters) {
        variables.load(parameters);
    }

    /** Those that are not there become zero. */
    void loadMoments(Map<String, Tensor> given) {
        Map<String, Tensor> moments = new LinkedHashMap<>();
        optimizer.moments().forEach(name ->
                moments.put(name, given.containsKey(name) ? given.get(name) : variables.zeros(name)));
        variables.load(moments);
    }

    Map<String, Tensor> export() {
        return variables.export(graph.parameters().stream().map(Graph.Parameter::name).toList());
    }

    Map<String, Tensor> exportMoments() {
        return variables.export(optimizer.moments());
    }

    Layout layout(String parameter) {
        return variables.layout(parameter);
    }

    @Override
    public void close() {
        session.close();
        operations.close();
    }
}
