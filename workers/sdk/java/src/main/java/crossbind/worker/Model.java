package crossbind.worker;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * The seam between the procedures, which all workers share, and a binding: a model, prepared. Timers run
 * around batches, forward, backward and predict: they do what a user of the binding would do there, and
 * nothing else.
 *
 * @param <B> a batch on the device, as the binding has it
 * @param <T> a tensor of the binding
 */
public interface Model<B, T> extends AutoCloseable {

    /** Makes the model of a job. */
    @FunctionalInterface
    interface Builder {
        Model<?, ?> build(Job job);
    }

    /**
     * What is kept of a training step until the epoch's timer has stopped: detached, on the device. The loss
     * is the mean over the batch.
     */
    record Step<T>(T outputs, T loss) {}

    /** How a probe goes: forward alone, a step without dropout, or a step whose dropout draws. */
    enum Mode {
        EVALUATION, STEP, STEP_WITH_DROPOUT;

        public boolean trains() {
            return this != EVALUATION;
        }
    }

    /**
     * Where a probed step starts. Moments are by their names in the protocol, those that are not there are
     * zero; the number of the step is counted from 1.
     */
    record State(Map<String, Tensor> parameters, Map<String, Tensor> moments, int step) {}

    /** Tensors by their names in the protocol; more than the wanted ones may be there. */
    record Probed(Map<String, Tensor> tensors, OptionalDouble loss) {}

    /** To a query: the final output, and gradients by the names of their inputs; canonical. */
    record Answer(Tensor outputs, Map<String, Tensor> gradients) {}

    /** How many numbers were built, running statistics included. */
    long parameters();

    /** Every setting that is not as requested; conventions of the manifest are added to it. */
    Map<String, Object> effective();

    /** Parameters, statistics, optimizer state and random generators become as prepared. */
    void reset();

    /**
     * The loader: one batch for each element of the order, on the device when it is returned. Made anew for
     * each epoch; asking it for a batch is load. A batch lasts until the next one is asked for.
     */
    Iterator<B> batches(Split split, List<long[]> order);

    /** In training mode, with the loss. */
    Step<T> forward(B batch);

    /** Of the last forward: zeroes the gradients, goes backward, updates. */
    void backward();

    /** The final output in evaluation mode, detached, on the device. */
    T predict(B batch);

    /** Waits until the device has done all that was asked of it. */
    void synchronize();

    Tensor toHost(T tensor);

    /** The batch as it is on the device, back on the host, in canonical layout. */
    Samples reached(B batch);

    /** All parameters and running statistics, canonical. */
    Map<String, Tensor> export();

    /**
     * One step from that state, taken apart. A model that came serialized keeps its own parameters: the
     * state has none. Dropout draws on from one probe to the next, from the seed at first; a binding whose
     * dropout cannot throws Unsupported.
     */
    Probed probe(State state, Samples batch, Mode mode);

    /**
     * The outputs for a batch, in evaluation mode; with gradients, of which there is one at least, those of
     * the sum of the samples' losses by every real input. It changes nothing, draws nothing and leaves no
     * gradient behind. Queries are many and small: what can be made once is made once.
     */
    Answer query(Samples batch, boolean gradients);

    /** Nobody asks any more for the batches, outputs and losses that were returned. */
    void release();

    @Override
    void close();
}
