package crossbind.worker;

import java.nio.LongBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Reads the files that a request names and checks them against the graph. */
final class JobReader {
    private final Graph graph;

    JobReader(Graph graph) {
        this.graph = graph;
    }

    static Job read(Request.Prepare request, Optional<Job.Serialized> serialized) {
        JobReader reader = new JobReader(request.graph());
        Map<String, Tensor> weights = request.weights()
                .map(path -> reader.parameters(path, Safetensors.load(path)))
                .orElse(Map.of());
        Optional<Split> train = request.data().flatMap(
                file -> reader.split(file.path(), "train", file.trainSamples()));
        Optional<Split> test = request.data().flatMap(
                file -> reader.split(file.path(), "test", file.testSamples()));
        Job job = new Job(request.graph(), weights, serialized, train, test, Optional.empty(),
                request.settings(), request.scratch());
        Optional<long[][]> order = request.order().map(
                path -> order(path, request.settings().epochs(), job.requireTrain().size()));
        return new Job(request.graph(), weights, serialized, train, test, order,
                request.settings(), request.scratch());
    }

    /** The batch of a probe or a query; it may have no targets. */
    Samples batch(Path path) {
        Map<String, Tensor> tensors = Safetensors.load(path);
        boolean hasTargets = graph.targets().stream().anyMatch(tensors::containsKey);
        Samples samples = samples(name -> tensor(tensors, name, path), hasTargets, path);
        int[] sizes = Stream.concat(samples.inputs().values().stream(), samples.targets().values().stream())
                .mapToInt(Tensor::rows)
                .distinct()
                .toArray();
        if (sizes.length != 1 || sizes[0] == 0) {
            throw Failed.badInput(path + ": inputs and targets are not of one number of samples");
        }
        return samples;
    }

    /** The parameters of the graph among the tensors of a file. */
    Map<String, Tensor> parameters(Path path, Map<String, Tensor> tensors) {
        Map<String, Tensor> parameters = new LinkedHashMap<>();
        for (Graph.Parameter parameter : graph.parameters()) {
            Tensor values = tensor(tensors, parameter.name(), path);
            if (values.type() != Tensor.Type.F32 || !values.hasShape(parameter.shape())) {
                throw Failed.badInput("%s: '%s' is %s, not F32 %s".formatted(
                        path, parameter.name(), values, Arrays.toString(parameter.shape())));
            }
            parameters.put(parameter.name(), values);
        }
        return parameters;
    }

    private Optional<Split> split(Path path, String name, int size) {
        if (size == 0) {
            return Optional.empty();
        }
        Map<String, Tensor> tensors = Safetensors.map(path);
        Function<String, Tensor> first = tensor -> {
            Tensor values = tensor(tensors, name + "." + tensor, path);
            if (values.dimensions() == 0 || values.rows() < size) {
                throw Failed.badInput(
                        path + ": '" + name + "." + tensor + "' has fewer than " + size + " samples");
            }
            return values.first(size);
        };
        return Optional.of(new Split(name, size, samples(first, true, path)));
    }

    private Samples samples(Function<String, Tensor> lookup, boolean withTargets, Path path) {
        Map<String, Tensor> inputs = new LinkedHashMap<>();
        for (Graph.Input input : graph.inputs()) {
            inputs.put(input.name(), checked(lookup.apply(input.name()), input, path));
        }
        Map<String, Tensor> targets = new LinkedHashMap<>();
        if (withTargets) {
            for (String target : graph.targets()) {
                targets.put(target, checkedTarget(lookup.apply(target), target, path));
            }
        }
        return new Samples(inputs, targets);
    }

    private static Tensor checked(Tensor values, Graph.Input input, Path path) {
        Tensor.Type type = input.entries().isPresent() ? Tensor.Type.I64 : Tensor.Type.F32;
        boolean fits = values.type() == type && values.dimensions() > 0
                && Arrays.equals(values.rowShape(), input.shape());
        if (!fits) {
            throw Failed.badInput("%s: '%s' is %s, not samples of %s %s".formatted(
                    path, input.name(), values, type, Arrays.toString(input.shape())));
        }
        input.entries().ifPresent(entries -> checkRange(values, entries, input.name(), path));
        return values;
    }

    private Tensor checkedTarget(Tensor values, String name, Path path) {
        if (values.type() != Tensor.Type.I64 || values.dimensions() != 1) {
            throw Failed.badInput(path + ": '" + name + "' is not one I64 number a sample");
        }
        checkRange(values, graph.classes(), name, path);
        return values;
    }

    private static long[][] order(Path path, int epochs, int samples) {
        Tensor order = tensor(Safetensors.load(path), "order", path);
        if (order.type() != Tensor.Type.I64 || !order.hasShape(epochs, samples)) {
            throw Failed.badInput("%s: 'order' is %s, not I64 [%d, %d]".formatted(
                    path, order, epochs, samples));
        }
        checkRange(order, samples, "order", path);
        LongBuffer ids = order.bytes().asLongBuffer();
        long[][] result = new long[epochs][samples];
        for (long[] epoch : result) {
            ids.get(epoch);
        }
        return result;
    }

    private static Tensor tensor(Map<String, Tensor> tensors, String name, Path path) {
        Tensor found = tensors.get(name);
        if (found == null) {
            throw Failed.badInput(path + ": there is no tensor '" + name + "'");
        }
        return found;
    }

    private static void checkRange(Tensor values, long end, String name, Path path) {
        LongBuffer numbers = values.bytes().asLongBuffer();
        while (numbers.hasRemaining()) {
            long number = numbers.get();
            if (number < 0 || number >= end) {
                throw Failed.badInput(
                        path + ": '" + name + "' has values outside of 0 to " + (end - 1));
            }
        }
    }
}
