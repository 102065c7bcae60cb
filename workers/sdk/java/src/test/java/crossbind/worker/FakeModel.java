package crossbind.worker;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** A model of one number w with the loss w; a step takes a half of it. A batch is its ids. */
final class FakeModel implements Model<long[], Tensor> {
    private final Job job;
    private float weight;

    FakeModel(Job job) {
        this.job = job;
        reset();
    }

    private static Tensor scalar(float value) {
        return Tensor.of(new float[] {value});
    }

    @Override
    public long parameters() {
        return 1;
    }

    @Override
    public Map<String, Object> effective() {
        return Map.of("threads", 7);
    }

    @Override
    public void reset() {
        weight = job.weights().get("fc.weight").floats()[0];
    }

    @Override
    public Iterator<long[]> batches(Split split, List<long[]> order) {
        return order.iterator();
    }

    @Override
    public Step<Tensor> forward(long[] batch) {
        return new Step<>(predict(batch), scalar(weight));
    }

    @Override
    public void backward() {
        weight /= 2;
    }

    @Override
    public Tensor predict(long[] batch) {
        return Tensor.of(new float[2 * batch.length], batch.length, 2);
    }

    @Override
    public void synchronize() {}

    @Override
    public Tensor toHost(Tensor tensor) {
        return tensor;
    }

    @Override
    public Samples reached(long[] batch) {
        return new Samples(Map.of("x", Tensor.of(batch, batch.length)), Map.of());
    }

    @Override
    public Map<String, Tensor> export() {
        return Map.of("fc.weight", Tensor.of(new float[] {weight}, 1));
    }

    /** It has no dropout. */
    @Override
    public Probed probe(State state, Samples batch, Mode mode) {
        if (mode == Mode.STEP_WITH_DROPOUT) {
            throw new Unsupported("dropout in a probe");
        }
        return new Probed(state.parameters(), OptionalDouble.of(weight));
    }

    /** The outputs are 0 and w times x. */
    @Override
    public Answer query(Samples batch, boolean gradients) {
        float[] x = batch.inputs().get("x").floats();
        float[] outputs = new float[2 * x.length];
        float[] gradient = new float[x.length];
        for (int row = 0; row < x.length; row++) {
            outputs[2 * row + 1] = weight * x[row];
            gradient[row] = weight;
        }
        return new Answer(
                Tensor.of(outputs, x.length, 2),
                gradients ? Map.of("x", Tensor.of(gradient, x.length, 1)) : Map.of());
    }

    @Override
    public void release() {}

    @Override
    public void close() {}
}
