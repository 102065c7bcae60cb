package crossbind.pytorch;

import ai.djl.Device;
import ai.djl.engine.Engine;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.nn.Block;
import ai.djl.nn.Parameter;
import ai.djl.pytorch.engine.PtEngine;
import ai.djl.pytorch.jni.JniUtils;
import ai.djl.training.GradientCollector;
import ai.djl.training.ParameterStore;
import ai.djl.training.dataset.Batch;
import crossbind.worker.Job;
import crossbind.worker.Samples;
import crossbind.worker.Tensor;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * Built from the graph and its parameters. Once it has been reset, it trains: like DJL's Trainer, which
 * cannot be used because it refuses a first step whose gradients add up to 0.
 */
final class TrainingModel extends InferenceModel {
    private final Network network;
    private NDManager training = manager.newSubManager(); // what is of one training: the moments
    private ParameterStore store;
    private NDManager pass; // all arrays of a forward, until its backward
    private GradientCollector collector;
    private NDArray loss;

    TrainingModel(Job job) {
        super(job);
        network = new Network(job.graph());
        load(job.weights());
        seed();
    }

    @Override
    protected Block block() {
        return network;
    }

    @Override
    protected ParameterStore store() {
        return store;
    }

    @Override
    public long parameters() {
        return network.canonical().values().stream().mapToLong(each -> each.getShape().size()).sum();
    }

    private void load(Map<String, Tensor> values) {
        training.close();
        training = manager.newSubManager();
        network.load(values, manager);
        store = new ParameterStore(manager, false);
    }

    @Override
    public void reset() {
        typedErrors(() -> {
            load(job.weights());
            return useOptimizer(Map.of(), 0);
        });
        seed();
    }

    private void seed() {
        JniUtils.setSeed(job.settings().seed()); // the engine's own method takes half of the seeds only
    }

    /** As if so many steps had been done. */
    private Moments useOptimizer(Map<String, Tensor> start, int stepsBefore) {
        Map<String, String> names = new HashMap<>();
        network.canonical().forEach((name, parameter) -> names.put(parameter.getId(), name));
        Moments moments = new Moments(training, names, start, Optimizers.momentScale(job.graph()));
        store.setParameterServer(
                Optimizers.build(job.graph(), network, moments, stepsBefore), new Device[] {Device.cpu()});
        return moments;
    }

    @Override
    public Step<NDArray> forward(Batch batch) {
        return typedErrors(() -> {
            beginPass(batch.getData(), true);
            try {
                NDArray outputs = network.forward(store, batch.getData(), true).singletonOrThrow();
                loss = Losses.evaluate(job.graph().loss(), outputs, batch.getLabels());
                return new Step<>(keep(outputs.stopGradient()), keep(loss.stopGradient()));
            } catch (RuntimeException error) {
                endPass();
                throw error;
            }
        });
    }

    @Override
    public void backward() {
        typedErrors(() -> {
            try {
                collector.backward(loss);
                store.updateAllParameters(); // and zeroes the gradients
                return loss;
            } finally {
                endPass();
            }
        });
    }

    /** From here on arrays belong to one pass, and may remember what they were made of. */
    private void beginPass(NDList inputs, boolean withGradients) {
        pass = manager.newSubManager();
        pass.tempAttachAll(inputs);
        collector = withGradients
                ? Engine.getEngine(PtEngine.ENGINE_NAME).newGradientCollector()
                : null;
    }

    private void endPass() {
        if (collector != null) {
            collector.close();
        }
        pass.close();
    }

    /** Parameters ask for no gradient meanwhile: it would stay with them, for the next step to add to. */
    @Override
    protected NDArray differentiable(NDList inputs) {
        askForGradients(false);
        try {
            return network.forward(store, inputs, false).singletonOrThrow();
        } finally {
            askForGradients(true);
        }
    }

    private void askForGradients(boolean asking) {
        network.canonical().values().stream()
                .filter(Parameter::requiresGradient)
                .forEach(parameter -> parameter.getArray().setRequiresGradient(asking));
    }

    @Override
    public Map<String, Tensor> export() {
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        network.canonical().forEach(
                (name, parameter) -> tensors.put(name, Transfer.toTensor(parameter.getArray())));
        return tensors;
    }

    @Override
    public Probed probe(State state, Samples batch, Mode mode) {
        return typedErrors(() -> {
            load(state.parameters());
            Moments moments = mode.trains() ? useOptimizer(state.moments(), state.step() - 1) : null;
            try (Batch whole = Loader.whole(batch, manager)) {
                return probe(whole, mode, moments);
            }
        });
    }

    private Probed probe(Batch batch, Mode mode, Moments moments) {
        Map<String, Tensor> tensors = new HashMap<>();
        OptionalDouble value = OptionalDouble.empty();
        beginPass(batch.getData(), mode.trains());
        try {
            NDArray outputs = network.probe(store, batch.getData(), mode,
                    (layer, output) -> tensors.put(layer + ".out", Transfer.toTensor(output)));
            if (!batch.getLabels().isEmpty()) {
                loss = Losses.evaluate(job.graph().loss(), outputs, batch.getLabels());
                value = OptionalDouble.of(loss.getFloat());
            }
            if (mode.trains()) {
                collector.backward(loss);
                tensors.putAll(gradients()); // the update zeroes them
                store.updateAllParameters();
                tensors.putAll(moments.export());
            }
        } finally {
            endPass();
        }
        tensors.putAll(export());
        return new Probed(tensors, value);
    }

    private Map<String, Tensor> gradients() {
        Map<String, Tensor> tensors = new HashMap<>();
        for (Map.Entry<String, Parameter> each : network.canonical().entrySet()) {
            if (each.getValue().requiresGradient()) {
                try (NDArray gradient = each.getValue().getArray().getGradient()) {
                    tensors.put(each.getKey() + ".grad", Transfer.toTensor(gradient));
                }
            }
        }
        return tensors;
    }
}
