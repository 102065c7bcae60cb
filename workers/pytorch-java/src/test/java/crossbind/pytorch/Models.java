package crossbind.pytorch;

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

/** Small models for the tests: one layer behind the input "x". */
final class Models {
    static final String SGD = """
            {"type": "sgd", "rate": 0.5, "momentum": 0.9,
             "weight_decay": {"value": 0.25, "form": "coupled", "applies_to": "weights"}}""";
    static final String ADAM = """
            {"type": "adam", "rate": 0.1, "beta1": 0.5, "beta2": 0.75, "epsilon": 0.5, "epsilon_form": "hat",
             "weight_decay": {"value": 0.0, "form": "coupled", "applies_to": "all"}}""";

    private static final Settings SETTINGS = new Settings(
            "cpu", "resident", "step", "total", 4294967295L, 1, 2, "running", "last", 0, 1);

    private Models() {}

    static JsonNode json(String text) {
        try {
            return new ObjectMapper().readTree(text);
        } catch (JsonProcessingException error) {
            throw new IllegalArgumentException(text, error);
        }
    }

    static Graph.Parameter weight(String name, long... shape) {
        return new Graph.Parameter("layer." + name, shape, "weight", true);
    }

    static Graph.Parameter bias(String name, long... shape) {
        return new Graph.Parameter("layer." + name, shape, "bias", true);
    }

    static Graph.Node node(String type, String fields, long[] output, Graph.Parameter... parameters) {
        return new Graph.Node("layer", type, List.of("x"), output, json(fields), List.of(parameters));
    }

    static Graph graph(Graph.Node node, OptionalLong entries, String optimizer, long... input) {
        return new Graph("g", List.of(new Graph.Input("x", input, entries)), List.of(node),
                "cross_entropy", json(optimizer));
    }

    /** Parameters count up from 0 in tenths. */
    static Map<String, Tensor> weights(Graph graph) {
        Map<String, Tensor> weights = new HashMap<>();
        for (Graph.Parameter parameter : graph.parameters()) {
            int count = 1;
            for (long size : parameter.shape()) {
                count *= (int) size;
            }
            float[] values = new float[count];
            for (int i = 0; i < count; i++) {
                values[i] = i / 10f;
            }
            weights.put(parameter.name(), Tensor.of(values, parameter.shape()));
        }
        return weights;
    }

    static TrainingModel model(Graph graph) {
        return new TrainingModel(new Job(graph, weights(graph), Optional.empty(), Optional.empty(),
                Optional.empty(), Optional.empty(), SETTINGS, Path.of(".")));
    }
}
