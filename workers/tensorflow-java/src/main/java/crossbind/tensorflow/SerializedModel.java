package crossbind.tensorflow;

import crossbind.worker.Failed;
import crossbind.worker.Graph;
import crossbind.worker.Job;
import crossbind.worker.Samples;
import crossbind.worker.Tensor;
import crossbind.worker.Unsupported;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import org.tensorflow.RawTensor;
import org.tensorflow.Result;
import org.tensorflow.SavedModelBundle;
import org.tensorflow.SessionFunction;
import org.tensorflow.Signature;
import org.tensorflow.exceptions.TensorFlowException;

/**
 * A model that came as a SavedModel. It infers; one that was written for training also trains, by a signature
 * of which one call is one step.
 */
final class SerializedModel extends InferenceModel {
    private static final String PREDICT = "serving_default";
    private static final String PARAMETERS = "parameters";
    private static final String TRAIN = "train_step";

    private final Path path;
    private SavedModelBundle bundle;
    private boolean trained;

    SerializedModel(Job job, Path path, Threads threads) {
        super(job, threads);
        this.path = path;
        try {
            load();
            checkParameters(require(PARAMETERS).signature());
            require(PREDICT);
            if (trains()) {
                require(TRAIN);
            }
        } catch (RuntimeException error) {
            close();
            throw error;
        }
    }

    private boolean trains() {
        return job.settings().variant().equals("savedmodel");
    }

    private void load() {
        try {
            bundle = typedErrors(() -> SavedModelBundle.loader(path.toString())
                    .withTags(SavedModelBundle.DEFAULT_TAG)
                    .withConfigProto(config)
                    .load());
        } catch (TensorFlowException error) {
            throw new Failed("bad_input", path + ": " + error.getMessage(), error);
        }
        trained = false;
    }

    private SessionFunction require(String signature) {
        return bundle.functions().stream()
                .filter(each -> each.signature().key().equals(signature))
                .findFirst()
                .orElseThrow(() -> Failed.badInput(
                        path + ": the SavedModel has no signature '" + signature + "'"));
    }

    private void checkParameters(Signature signature) {
        Map<String, Signature.TensorDescription> found = signature.getOutputs();
        for (Graph.Parameter parameter : job.graph().parameters()) {
            Signature.TensorDescription each = found.get(parameter.name());
            if (each == null) {
                throw Failed.badInput(path + ": the model has no parameter '" + parameter.name() + "'");
            }
            if (!Arrays.equals(each.shape.asArray(), parameter.shape())) {
                throw Failed.badInput("%s: '%s' is %s, not %s".formatted(
                        path, parameter.name(), each.shape, Arrays.toString(parameter.shape())));
            }
        }
    }

    /** The optimizer and the layers are those of Keras, which wrote the model. */
    @Override
    public Map<String, Object> effective() {
        Map<String, Object> effective = new HashMap<>(super.effective());
        boolean unbiased = job.graph().nodes().stream().anyMatch(node ->
                node.type().equals("batchnorm") && node.word("running_variance").equals("unbiased"));
        if (trains() && unbiased) {
            effective.put("batchnorm.running_variance", "biased");
        }
        return effective;
    }

    @Override
    protected Result infer(Batch batch) {
        return bundle.function(PREDICT).call(new LinkedHashMap<>(batch.inputs()));
    }

    /** The native library's gradient of a function is wrong where it reads variables, as all here do. */
    @Override
    protected Answer withGradients(Batch batch) {
        throw new Unsupported("gradients of a serialized model");
    }

    @Override
    public void reset() {
        if (!trains()) {
            throw new Unsupported("training of a serialized model");
        }
        if (trained) {
            bundle.close();
            load();
        }
    }

    /** All of the step: its parts have no run of their own. */
    @Override
    public Step<RawTensor> forward(Batch batch) {
        Map<String, org.tensorflow.Tensor> given = new LinkedHashMap<>(batch.inputs());
        given.putAll(batch.targets());
        trained = true;
        Result result = typedErrors(() -> keep(bundle.function(TRAIN).call(given)));
        return new Step<>(of(result, "outputs"), of(result, "loss"));
    }

    @Override
    public void backward() {
        // Done with the forward.
    }

    private static RawTensor of(Result result, String name) {
        return result.get(name).orElseThrow().asRawTensor();
    }

    @Override
    public Map<String, Tensor> export() {
        Map<String, Tensor> parameters = new LinkedHashMap<>();
        try (Result result = bundle.function(PARAMETERS).call(Map.of())) {
            job.graph().parameters().forEach(each ->
                    parameters.put(each.name(), Transfer.toHost(of(result, each.name()))));
        }
        return parameters;
    }

    /** Only what comes out in the end can be seen. */
    @Override
    public Probed probe(State state, Samples samples, Mode mode) {
        try (Batch batch = Batch.of(samples); Result result = infer(batch)) {
            String name = job.graph().last().name() + ".out";
            return new Probed(Map.of(name, Transfer.toHost(result.get(0))), OptionalDouble.empty());
        }
    }

    @Override
    public void close() {
        super.close();
        if (bundle != null) {
            bundle.close();
        }
    }
}
