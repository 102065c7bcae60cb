package crossbind.pytorch;

import ai.djl.Device;
import ai.djl.MalformedModelException;
import ai.djl.Model;
import ai.djl.engine.EngineException;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.nn.Block;
import ai.djl.nn.Parameter;
import ai.djl.pytorch.engine.PtEngine;
import ai.djl.pytorch.engine.PtSymbolBlock;
import ai.djl.pytorch.jni.IValueUtils;
import ai.djl.pytorch.jni.JniUtils;
import ai.djl.training.ParameterStore;
import ai.djl.training.dataset.Batch;
import ai.djl.util.Pair;
import crossbind.worker.Failed;
import crossbind.worker.Graph;
import crossbind.worker.Job;
import crossbind.worker.Samples;
import crossbind.worker.Tensor;
import crossbind.worker.Unsupported;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/** A model that came as a TorchScript file. It only infers. */
final class SerializedModel extends InferenceModel {
    private final Path path;
    private final ParameterStore store = new ParameterStore(manager, false);
    private Model model;
    private Model differentiable; // null: nobody has asked for a gradient

    SerializedModel(Job job, Path path) {
        super(job);
        this.path = path;
        try {
            model = load(Map.of());
            checkParameters();
        } catch (Failed error) {
            close();
            throw error;
        }
    }

    private Model load(Map<String, String> options) {
        Model loaded = Model.newInstance("serialized", Device.cpu(), PtEngine.ENGINE_NAME);
        try {
            loaded.load(path, null, options);
            return loaded;
        } catch (IOException | MalformedModelException | EngineException error) {
            loaded.close();
            throw new Failed("bad_input", path + ": " + error.getMessage(), error);
        }
    }

    /** DJL lists the trained parameters of a file, but not its running statistics. */
    private void checkParameters() {
        Map<String, Parameter> found = new HashMap<>();
        for (Pair<String, Parameter> each : model.getBlock().getParameters()) {
            found.put(plain(each.getKey()), each.getValue());
        }
        for (Graph.Node node : job.graph().nodes()) {
            boolean stacked = node.type().equals("lstm") || node.type().equals("gru");
            for (Graph.Parameter parameter : node.parameters()) {
                if (parameter.trainable()) {
                    check(parameter, found.get(plain(parameter.name()) + (stacked ? "_l0" : "")));
                }
            }
        }
    }

    private void check(Graph.Parameter asked, Parameter found) {
        if (found == null) {
            throw Failed.badInput(path + ": the model has no parameter '" + asked.name() + "'");
        }
        long[] shape = found.getArray().getShape().getShape();
        if (!Arrays.equals(shape, asked.shape())) {
            throw Failed.badInput("%s: '%s' is %s, not %s".formatted(
                    path, asked.name(), Arrays.toString(shape), Arrays.toString(asked.shape())));
        }
    }

    /** Names that are taken in every module of PyTorch end in an underscore there. */
    private static String plain(String name) {
        return name.replaceAll("_(?=\\.|$)", "");
    }

    @Override
    protected Block block() {
        return model.getBlock();
    }

    @Override
    protected ParameterStore store() {
        return store;
    }

    /**
     * Of the model loaded once more: DJL's parameters, unless they are to be trained, are of a kind that
     * autograd refuses. The block's own forward would go into training mode where it records.
     */
    @Override
    protected NDArray differentiable(NDList inputs) {
        if (differentiable == null) {
            differentiable = load(Map.of("trainParam", "true"));
            differentiable.getBlock().freezeParameters(true);
            JniUtils.enableInferenceMode((PtSymbolBlock) differentiable.getBlock());
        }
        PtSymbolBlock block = (PtSymbolBlock) differentiable.getBlock();
        return IValueUtils.forward(block, inputs, true).singletonOrThrow();
    }

    @Override
    public long parameters() {
        return job.graph().count();
    }

    /** Only what comes out in the end can be seen. */
    @Override
    public Probed probe(State state, Samples batch, Mode mode) {
        try (Batch whole = Loader.whole(batch, manager); NDArray outputs = predict(whole)) {
            String name = job.graph().last().name() + ".out";
            return new Probed(Map.of(name, toHost(outputs)), OptionalDouble.empty());
        }
    }

    @Override
    public void close() {
        Stream.of(model, differentiable).filter(Objects::nonNull).forEach(Model::close);
        super.close();
    }

    private static Unsupported training() {
        return new Unsupported("training of a serialized model");
    }

    @Override
    public void reset() {
        throw training();
    }

    @Override
    public Step<NDArray> forward(Batch batch) {
        throw training();
    }

    @Override
    public void backward() {
        throw training();
    }

    @Override
    public Map<String, Tensor> export() {
        throw training();
    }
}
