package crossbind.worker.testing;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import crossbind.worker.Graph;
import crossbind.worker.Job;
import crossbind.worker.Settings;
import crossbind.worker.Tensor;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Small models for the tests of workers: one layer behind the input "x". */
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

    public static Graph.Parameter weight(String name, long... shape) {
        return new Graph.Parameter("layer." + name, shape, "weight", true);
    }

    public static Graph.Parameter bias(String name, long... shape) {
        return new Graph.Parameter("layer." + name, shape, "bias", true);
    }

    public static Graph.Node node(String type, String fields, long[] output, Graph.Parameter... parameters) {
        return new Graph.Node("layer", type, List.of("x"), output, json(fields), List.of(parameters));
    }

    public static Graph graph(Graph.Node node, OptionalLong entries, String optimizer, long... input) {
        return new Graph("g", List.of(new Graph.Input("x", input, entries)), List.of(node),
                "cross_entropy", json(optimizer));
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
        return new Job(graph, weights(graph), Optional.empty(), Optional.empty(),
                Optional.empty(), Optional.empty(), SETTINGS, Path.of("."));
    }
}
