package crossbind.tensorflow;

import crossbind.worker.Failed;
import crossbind.worker.Job;
import crossbind.worker.Model;
import crossbind.worker.Samples;
import crossbind.worker.Split;
import crossbind.worker.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.tensorflow.RawTensor;
import org.tensorflow.Result;
import org.tensorflow.exceptions.TFResourceExhaustedException;
import org.tensorflow.proto.ConfigProto;

/** What a model needs to infer, however it came here: from parameters or from a SavedModel. */
abstract class InferenceModel implements Model<Batch, RawTensor> {
    protected final Job job;
    protected final ConfigProto config;
    private final int threads;
    private final Map<String, Loader> loaders = new HashMap<>();
    private final List<Result> kept = new ArrayList<>(); // outputs and losses until they are released

    InferenceModel(Job job, Threads threads) {
        this.job = job;
        this.config = threads.config(job.settings().threads());
        this.threads = threads.count();
        Stream.concat(job.train().stream(), job.test().stream()).forEach(
                split -> loaders.put(split.name(), typedErrors(() -> loader(split))));
    }

    private Loader loader(Split split) {
        return job.settings().loader().equals("idiomatic")
                ? new HostLoader(job.graph(), split.samples())
                : new ResidentLoader(job.graph(), split.samples(), config);
    }

    /** The final output, the only one of the result. */
    protected abstract Result infer(Batch batch);

    @Override
    public long parameters() {
        return job.graph().count();
    }

    @Override
    public Map<String, Object> effective() {
        return threads == job.settings().threads() ? Map.of() : Map.of("threads", threads);
    }

    @Override
    public Iterator<Batch> batches(Split split, List<long[]> order) {
        return loaders.get(split.name()).batches(order);
    }

    @Override
    public RawTensor predict(Batch batch) {
        return typedErrors(() -> keep(infer(batch)).get(0).asRawTensor());
    }

    @Override
    public Answer query(Samples samples, boolean gradients) {
        return typedErrors(() -> {
            try (Batch batch = Batch.of(samples)) {
                return gradients ? withGradients(batch) : withoutGradients(batch);
            }
        });
    }

    private Answer withoutGradients(Batch batch) {
        try (Result result = infer(batch)) {
            return new Answer(Transfer.toHost(result.get(0)), Map.of());
        }
    }

    protected abstract Answer withGradients(Batch batch);

    /** Until everything is released. */
    protected Result keep(Result result) {
        kept.add(result);
        return result;
    }

    @Override
    public void synchronize() {
        // A processor has done what was asked of it when the call returns.
    }

    @Override
    public Tensor toHost(RawTensor tensor) {
        return Transfer.toHost(tensor);
    }

    @Override
    public Samples reached(Batch batch) {
        return batch.toSamples();
    }

    @Override
    public void release() {
        loaders.values().forEach(Loader::release);
        kept.forEach(Result::close);
        kept.clear();
    }

    @Override
    public void close() {
        release();
        loaders.values().forEach(Loader::close);
    }

    /** TensorFlow's way to say that there is no memory left. */
    protected static <R> R typedErrors(Supplier<R> action) {
        try {
            return action.get();
        } catch (TFResourceExhaustedException error) {
            throw new Failed("out_of_memory", error.getMessage(), error);
        }
    }
}
