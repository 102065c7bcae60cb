package crossbind.tensorflow;

import crossbind.worker.Graph;
import crossbind.worker.Samples;
import crossbind.worker.Tensor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.tensorflow.RawTensor;

/** Inputs and targets by name, as TensorFlow has them: images are NHWC. */
record Batch(Map<String, RawTensor> inputs, Map<String, RawTensor> targets) implements AutoCloseable {

    static Batch of(Samples samples) {
        Samples converted = inNativeLayout(samples);
        return new Batch(transferred(converted.inputs()), transferred(converted.targets()));
    }

    static Samples inNativeLayout(Samples samples) {
        Map<String, Tensor> inputs = new LinkedHashMap<>();
        samples.inputs().forEach((name, values) ->
                inputs.put(name, Layout.ofSamples(values.rowShape()).toNative(values)));
        return new Samples(inputs, samples.targets());
    }

    private static Map<String, RawTensor> transferred(Map<String, Tensor> tensors) {
        Map<String, RawTensor> made = new LinkedHashMap<>();
        tensors.forEach((name, values) -> made.put(name, Transfer.toNative(values)));
        return made;
    }

    /** Of inputs and targets in that order, which are named as in the graph. */
    static Batch of(Graph graph, List<RawTensor> tensors) {
        Map<String, RawTensor> inputs = new LinkedHashMap<>();
        Map<String, RawTensor> targets = new LinkedHashMap<>();
        graph.inputs().forEach(input -> inputs.put(input.name(), tensors.get(inputs.size())));
        graph.targets().forEach(name -> targets.put(name, tensors.get(inputs.size() + targets.size())));
        return new Batch(inputs, targets);
    }

    /** The batch as crossbind has it. */
    Samples toSamples() {
        return new Samples(
                onHost(inputs, values -> Layout.ofSamples(values.rowShape()).toCanonical(values)),
                onHost(targets, UnaryOperator.identity()));
    }

    private static Map<String, Tensor> onHost(Map<String, RawTensor> tensors, UnaryOperator<Tensor> convert) {
        Map<String, Tensor> made = new LinkedHashMap<>();
        tensors.forEach((name, tensor) -> made.put(name, convert.apply(Transfer.toHost(tensor))));
        return made;
    }

    @Override
    public void close() {
        inputs.values().forEach(RawTensor::close);
        targets.values().forEach(RawTensor::close);
    }
}
