package crossbind.pytorch;

import ai.djl.Device;
import ai.djl.engine.Engine;
import ai.djl.engine.EngineException;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.nn.Block;
import ai.djl.pytorch.engine.PtEngine;
import ai.djl.pytorch.jni.JniUtils;
import ai.djl.training.GradientCollector;
import ai.djl.training.ParameterStore;
import ai.djl.training.dataset.Batch;
import crossbind.worker.Failed;
import crossbind.worker.FloatBetas;
import crossbind.worker.Graph;
import crossbind.worker.Job;
import crossbind.worker.Model;
import crossbind.worker.Samples;
import crossbind.worker.Split;
import crossbind.worker.Tensor;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** What a model needs to infer, however it came here: from parameters or from a TorchScript file. */
abstract class InferenceModel implements Model<Batch, NDArray> {
    protected final Job job;
    protected final NDManager manager = NDManager.newBaseManager(Device.cpu(), PtEngine.ENGINE_NAME);
    private final Map<String, Loader> loaders = new HashMap<>();
    private final int threads;
    private NDManager kept = manager.newSubManager(); // batches, outputs and losses until they are released

    InferenceModel(Job job) {
        this.job = job;
        JniUtils.setNumThreads(job.settings().threads());
        threads = JniUtils.getNumThreads();
        boolean idiomatic = job.settings().loader().equals("idiomatic");
        Stream.concat(job.train().stream(), job.test().stream()).forEach(split -> loaders.put(
                split.name(), typedErrors(() -> new Loader(split.samples(), idiomatic, manager))));
    }

    /** The block and what holds its parameters. */
    protected abstract Block block();

    protected abstract ParameterStore store();

    /** The output in evaluation mode, from which gradients go back to the inputs and no further. */
    protected abstract NDArray differentiable(NDList inputs);

    @Override
    public Map<String, Object> effective() {
        Map<String, Object> effective = new HashMap<>(FloatBetas.departures(job.graph()));
        if (threads != job.settings().threads()) {
            effective.put("threads", threads);
        }
        return effective;
    }

    @Override
    public Iterator<Batch> batches(Split split, List<long[]> order) {
        return loaders.get(split.name()).batches(order, kept);
    }

    @Override
    public NDArray predict(Batch batch) {
        return typedErrors(() -> {
            try (NDManager pass = manager.newSubManager()) {
                pass.tempAttachAll(batch.getData());
                return keep(block().forward(store(), batch.getData(), false).singletonOrThrow());
            }
        });
    }

    @Override
    public Answer query(Samples samples, boolean gradients) {
        return typedErrors(() -> {
            try (Batch batch = Loader.whole(samples, manager)) {
                return gradients ? withGradients(batch) : withoutGradients(batch);
            }
        });
    }

    /** All arrays are of the batch's manager, and go with it. */
    private Answer withoutGradients(Batch batch) {
        NDArray outputs = block().forward(store(), batch.getData(), false).singletonOrThrow();
        return new Answer(toHost(outputs), Map.of());
    }

    private Answer withGradients(Batch batch) {
        Map<String, NDArray> inputs = new LinkedHashMap<>();
        for (int i = 0; i < batch.getData().size(); i++) {
            Graph.Input input = job.graph().inputs().get(i);
            if (input.isReal()) {
                inputs.put(input.name(), batch.getData().get(i));
            }
        }
        inputs.values().forEach(each -> each.setRequiresGradient(true));
        try (GradientCollector collector = Engine.getEngine(PtEngine.ENGINE_NAME).newGradientCollector()) {
            NDArray outputs = differentiable(batch.getData());
            NDArray mean = Losses.evaluate(job.graph().loss(), outputs, batch.getLabels());
            collector.backward(mean.mul(batch.getSize()));
            Map<String, Tensor> gradients = new LinkedHashMap<>();
            inputs.forEach((name, input) -> gradients.put(name, toHost(input.getGradient())));
            return new Answer(toHost(outputs), gradients);
        }
    }

    /** The array outlives its manager, until everything is released. */
    protected NDArray keep(NDArray array) {
        array.attach(kept);
        return array;
    }

    @Override
    public void synchronize() {
        // A processor has done what was asked of it when the call returns.
    }

    @Override
    public Tensor toHost(NDArray tensor) {
        return Transfer.toTensor(tensor);
    }

    @Override
    public Samples reached(Batch batch) {
        List<String> inputs = job.graph().inputs().stream().map(Graph.Input::name).toList();
        return new Samples(
                named(inputs, batch.getData()), named(job.graph().targets(), batch.getLabels()));
    }

    private static Map<String, Tensor> named(List<String> names, NDList arrays) {
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            tensors.put(names.get(i), Transfer.toTensor(arrays.get(i)));
        }
        return tensors;
    }

    @Override
    public void release() {
        kept.close();
        kept = manager.newSubManager();
    }

    @Override
    public void close() {
        manager.close();
    }

    /** PyTorch's way to say that there is no memory left. */
    protected static <R> R typedErrors(Supplier<R> action) {
        try {
            return action.get();
        } catch (EngineException error) {
            if (String.valueOf(error.getMessage()).contains("can't allocate memory")) {
                throw new Failed("out_of_memory", error.getMessage(), error);
            }
            throw error;
        }
    }
}
