package crossbind.tensorflow;

import crossbind.worker.Failed;
import crossbind.worker.FloatBetas;
import crossbind.worker.Graph;
import crossbind.worker.Job;
import crossbind.worker.Samples;
import crossbind.worker.Tensor;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import org.tensorflow.Operand;
import org.tensorflow.RawTensor;
import org.tensorflow.Result;
import org.tensorflow.Session;
import org.tensorflow.types.TFloat32;

/** Built from the graph and its parameters. A training step is one run of a session. */
final class TrainingModel extends InferenceModel {
    private static final String LOSS = "loss"; // no name in the protocol: those have a dot

    private final Network network;
    private Network.Step step;
    private Network.Step stepWithoutDropout;
    private Operand<TFloat32> evaluationLoss;
    private Map<String, Operand<TFloat32>> inputGradients;
    private long draws; // since the last reset: one of each training step, and of each probe with dropout

    TrainingModel(Job job, Threads threads) {
        super(job, threads);
        network = new Network(job.graph(), job.settings().seed(), config);
        network.load(job.weights());
    }

    @Override
    public Map<String, Object> effective() {
        Map<String, Object> effective = new HashMap<>(super.effective());
        effective.putAll(FloatBetas.departures(job.graph()));
        return effective;
    }

    @Override
    public void reset() {
        if (job.settings().variant().equals("savedmodel")) {
            throw Failed.badRequest("the variant 'savedmodel' trains what comes 'serialized'");
        }
        typedErrors(() -> {
            step();
            load(job.weights(), Map.of());
            draws = 0;
            return null;
        });
    }

    private Network.Step step() {
        if (step == null) {
            step = network.addStep(true);
        }
        return step;
    }

    private Network.Step stepWithoutDropout() {
        if (stepWithoutDropout == null) {
            stepWithoutDropout = network.addStep(false);
        }
        return stepWithoutDropout;
    }

    private void load(Map<String, Tensor> parameters, Map<String, Tensor> moments) {
        network.load(parameters);
        network.loadMoments(moments);
    }

    /** All of the step: its parts have no run of their own. */
    @Override
    public Step<RawTensor> forward(Batch batch) {
        return typedErrors(() -> {
            try (RawTensor number = Transfer.scalar(++draws)) { // which in a training is that of the step
                Result result = keep(network.runner(batch)
                        .feed(network.step(), number)
                        .feed(network.draw(), number)
                        .fetch(step.outputs().get(job.graph().last().name()))
                        .fetch(step.loss())
                        .addTarget(step.update())
                        .run());
                return new Step<>(result.get(0).asRawTensor(), result.get(1).asRawTensor());
            }
        });
    }

    @Override
    public void backward() {
        // Done with the forward.
    }

    @Override
    protected Result infer(Batch batch) {
        return network.runner(batch).fetch(evaluated()).run();
    }

    /** The final output. */
    private Operand<TFloat32> evaluated() {
        return network.evaluation().get(job.graph().last().name());
    }

    @Override
    public Map<String, Tensor> export() {
        return network.export();
    }

    @Override
    public Probed probe(State state, Samples samples, Mode mode) {
        return typedErrors(() -> {
            try (Batch batch = Batch.of(samples)) {
                return switch (mode) {
                    case EVALUATION -> probeEvaluation(state, batch);
                    case STEP -> probeStep(stepWithoutDropout(), draws, state, batch);
                    case STEP_WITH_DROPOUT -> probeStep(step(), ++draws, state, batch);
                };
            }
        });
    }

    private Probed probeStep(Network.Step probed, long draw, State state, Batch batch) {
        load(state.parameters(), state.moments());
        Map<String, Operand<?>> wanted = wanted(probed.outputs());
        probed.gradients().forEach((name, gradient) -> wanted.put(name + ".grad", gradient));
        wanted.put(LOSS, probed.loss());
        try (RawTensor number = Transfer.scalar(state.step()); RawTensor drawn = Transfer.scalar(draw)) {
            Session.Runner runner = network.runner(batch)
                    .feed(network.step(), number)
                    .feed(network.draw(), drawn)
                    .addTarget(probed.update());
            Map<String, Tensor> found = Variables.fetch(runner, wanted);
            probed.gradients().keySet().forEach(name ->
                    found.computeIfPresent(name + ".grad", (key, here) ->
                            network.layout(name).toCanonical(here)));
            found.putAll(network.exportMoments());
            return probed(found);
        }
    }

    private Probed probeEvaluation(State state, Batch batch) {
        network.load(state.parameters());
        Map<String, Operand<?>> wanted = wanted(network.evaluation());
        if (!batch.targets().isEmpty()) {
            wanted.put(LOSS, evaluationLoss());
        }
        return probed(Variables.fetch(network.runner(batch), wanted));
    }

    private Operand<TFloat32> evaluationLoss() {
        if (evaluationLoss == null) {
            evaluationLoss = network.addLoss(network.evaluation());
        }
        return evaluationLoss;
    }

    @Override
    protected Answer withGradients(Batch batch) {
        if (inputGradients == null) {
            inputGradients = network.addInputGradients(evaluationLoss());
        }
        Session.Runner runner = network.runner(batch).fetch(evaluated());
        inputGradients.values().forEach(runner::fetch);
        try (Result result = runner.run()) {
            Map<String, Tensor> gradients = new LinkedHashMap<>();
            for (String input : inputGradients.keySet()) {
                Tensor here = Transfer.toHost(result.get(1 + gradients.size()));
                gradients.put(input, Layout.ofSamples(here.rowShape()).toCanonical(here));
            }
            return new Answer(Transfer.toHost(result.get(0)), gradients);
        }
    }

    private Map<String, Operand<?>> wanted(Map<String, ? extends Operand<?>> outputs) {
        Map<String, Operand<?>> wanted = new LinkedHashMap<>();
        outputs.forEach((layer, output) -> wanted.put(layer + ".out", output));
        return wanted;
    }

    /** Outputs are still in TensorFlow's layout. */
    private Probed probed(Map<String, Tensor> found) {
        for (Graph.Node node : job.graph().nodes()) {
            found.computeIfPresent(node.name() + ".out", (key, here) ->
                    Layout.ofSamples(node.output()).toCanonical(here));
        }
        Tensor loss = found.remove(LOSS);
        found.putAll(network.export());
        return new Probed(found,
                loss == null ? OptionalDouble.empty() : OptionalDouble.of(loss.floats()[0]));
    }

    @Override
    public void close() {
        super.close();
        network.close();
    }
}
