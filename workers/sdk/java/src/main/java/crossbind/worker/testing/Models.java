package crossbind.worker.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import crossbind.worker.Graph;
import crossbind.worker.Job;
import crossbind.worker.Samples;
import crossbind.worker.Settings;
import crossbind.worker.Split;
import crossbind.worker.Tensor;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Small models for the tests of workers: a layer behind the input "x", and what may come after it. */
public final class Models {
    public static final String SGD = """
            {"type": "sgd", "rate": 0.5, "momentum": 0.9,
             "weight_decay": {"value": 0.25, "form": "coupled", "applies_to": "weights"}}""";
    public static final String ADAM = """
            {"type": "adam", "rate": 0.1, "beta1": 0.5, "beta2": 0.75, "epsilon": 0.5, "epsilon_form": "hat",
             "weight_decay": {"value": 0.0, "form": "coupled", "applies_to": "all"}}""";

    private static final Settings SETTINGS = new Settings(
            "cpu", "resident", "step", "total", 4294967295L, 1, 2, "running", "last", 0, 1);

    private Models() {}

    public static JsonNode json(String text) {
        try {
            return new ObjectMapper().readTree(text);
        } catch (JsonProcessingException error) {
            throw new IllegalArgumentException(text, error);
        }
    }

    /** Parameters of the layer. */
    public static Graph.Parameter weight(String name, long... shape) {
        return new Graph.Parameter("layer." + name, shape, "weight", true);
    }

    public static Graph.Parameter bias(String name, long... shape) {
        return new Graph.Parameter("layer." + name, shape, "bias", true);
    }

    /** The layer. */
    public static Graph.Node node(String type, String fields, long[] output, Graph.Parameter... parameters) {
        return new Graph.Node("layer", type, List.of("x"), output, json(fields), List.of(parameters));
    }

    /** One without parameters that comes after another and is called as its type. */
    public static Graph.Node after(String input, String type, String fields, long... output) {
        return new Graph.Node(type, type, List.of(input), output, json(fields), List.of());
    }

    /** A linear layer after another, called "fc", with two outputs. */
    public static Graph.Node classifier(String input, long features) {
        String fields = "{\"in_features\": %d, \"out_features\": 2, \"bias\": true}".formatted(features);
        return new Graph.Node("fc", "linear", List.of(input), new long[] {2}, json(fields), List.of(
                new Graph.Parameter("fc.weight", new long[] {2, features}, "weight", true),
                new Graph.Parameter("fc.bias", new long[] {2}, "bias", true)));
    }

    /** Over features, from the input or another layer, and called "norm". */
    public static Graph.Node batchnorm(String input, String fields, long... output) {
        long[] features = {output[0]};
        return new Graph.Node("norm", "batchnorm", List.of(input), output, json(fields), List.of(
                new Graph.Parameter("norm.weight", features, "scale", true),
                new Graph.Parameter("norm.bias", features, "shift", true),
                new Graph.Parameter("norm.running_mean", features, "running_mean", false),
                new Graph.Parameter("norm.running_var", features, "running_variance", false)));
    }

    public static Graph.Input real(String name, long... shape) {
        return new Graph.Input(name, shape, OptionalLong.empty());
    }

    public static Graph.Input integers(String name, long entries, long... shape) {
        return new Graph.Input(name, shape, OptionalLong.of(entries));
    }

    public static Graph graph(String optimizer, List<Graph.Input> inputs, Graph.Node... nodes) {
        return new Graph("g", inputs, List.of(nodes), "cross_entropy", json(optimizer));
    }

    /** One linear layer from one number to two classes. */
    public static Graph linear(String optimizer) {
        Graph.Node node = node("linear", "{\"in_features\": 1, \"out_features\": 2, \"bias\": true}",
                new long[] {2}, weight("weight", 2, 1), bias("bias", 2));
        return graph(optimizer, List.of(real("x", 1)), node);
    }

    public static Samples batch(Tensor x, long... labels) {
        return new Samples(
                Map.of("x", x),
                labels.length == 0 ? Map.of() : Map.of("label", Tensor.of(labels, labels.length)));
    }

    /** One sample of one number, and its label 0. */
    public static Samples one(float x) {
        return batch(Tensor.of(new float[] {x}, 1, 1), 0);
    }

    /** Parameters count up from 0 in tenths. */
    public static Map<String, Tensor> weights(Graph graph) {
        Map<String, Tensor> weights = new HashMap<>();
        for (Graph.Parameter parameter : graph.parameters()) {
            float[] values = new float[(int) parameter.count()];
            for (int i = 0; i < values.length; i++) {
                values[i] = i / 10f;
            }
            weights.put(parameter.name(), Tensor.of(values, parameter.shape()));
        }
        return weights;
    }

    public static Job job(Graph graph) {
        return job(graph, Optional.empty());
    }

    /** With samples to train on. */
    public static Job job(Graph graph, Split train) {
        return job(graph, Optional.of(train));
    }

    private static Job job(Graph graph, Optional<Split> train) {
        return new Job(graph, weights(graph), Optional.empty(), train,
                Optional.empty(), Optional.empty(), SETTINGS, Path.of("."));
    }
}
