package crossbind.worker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.toml.TomlMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.StreamSupport;

/** How a worker introduces itself, and what follows from it: what it must refuse, what it does otherwise. */
public record Hello(String binding, Map<String, String> versions, ObjectNode capabilities) {

    /** The manifest is the one place that lists what a worker can do. */
    public static Hello fromManifest(InputStream toml, Map<String, String> versions) throws IOException {
        JsonNode manifest = new TomlMapper().readTree(toml);
        ObjectNode capabilities = Connection.JSON.createObjectNode();
        capabilities.putArray("lacks");
        capabilities.putObject("conventions");
        capabilities.setAll((ObjectNode) manifest.get("capabilities"));
        String binding = manifest.get("framework").textValue() + "/" + manifest.get("language").textValue();
        return new Hello(binding, versions, capabilities);
    }

    boolean has(String list, String word) {
        return StreamSupport.stream(capabilities.path(list).spliterator(), false)
                .anyMatch(each -> each.textValue().equals(word));
    }

    void checkSettings(Settings settings) {
        require("device", "devices", settings.device());
        require("loader", "loaders", settings.loader());
        require("variant", "variants", settings.variant());
        require("measure", "measures", settings.measure());
    }

    void checkLayers(Graph graph) {
        for (Graph.Node node : graph.nodes()) {
            require("layer", "layers", node.type());
            checkForms(forms(node.type(), node.fields()));
        }
    }

    /** What only training needs: inference does without loss and optimizer. */
    void checkTraining(Graph graph) {
        JsonNode optimizer = graph.optimizer();
        String type = optimizer.get("type").textValue();
        require("loss", "losses", graph.loss());
        require("optimizer", "optimizers", type);
        checkForms(forms(type, optimizer));
        if (optimizer.path("momentum").asDouble() != 0) {
            checkForms(List.of("sgd.momentum"));
        }
        JsonNode decay = optimizer.path("weight_decay");
        if (decay.path("value").asDouble() != 0) {
            checkForms(List.of("weight_decay"));
            checkForms(forms("weight_decay", decay));
        }
    }

    void checkTrainingAccuracy(Settings settings) {
        require("training accuracy", "training_accuracies", settings.trainingAccuracy());
    }

    /** Gradients need the loss too. */
    void checkQuery(Graph graph, boolean gradients) {
        String queries = capabilities.path("queries").asText("none");
        if (queries.equals("none")) {
            throw new Unsupported("queries");
        }
        if (gradients) {
            if (!queries.equals("gradients")) {
                throw new Unsupported("gradients of inputs");
            }
            require("loss", "losses", graph.loss());
        }
    }

    /** The format of a serialized model; where none is named it is the only one that there is. */
    String formatToRead(Optional<String> named) {
        JsonNode reads = capabilities.path("reads");
        if (named.isEmpty() && reads.size() != 1) {
            throw Failed.badRequest("'format' is missing, and this worker reads " + reads);
        }
        String format = named.orElseGet(() -> reads.get(0).textValue());
        require("format", "reads", format);
        return format;
    }

    /** The conventions of which the graph asks for another form, with the form that it gets. */
    Map<String, Object> departures(Graph graph) {
        Map<String, Object> departures = new TreeMap<>();
        for (Graph.Node node : graph.nodes()) {
            addDepartures(node.type(), node.fields(), departures);
        }
        addDepartures(graph.optimizer().get("type").textValue(), graph.optimizer(), departures);
        return departures;
    }

    private void addDepartures(String type, JsonNode fields, Map<String, Object> departures) {
        for (Map.Entry<String, JsonNode> field : fields.properties()) {
            String key = type + "." + field.getKey();
            JsonNode form = capabilities.get("conventions").path(key);
            if (field.getValue().isTextual() && form.isTextual() && !form.equals(field.getValue())) {
                departures.put(key, form.textValue());
            }
        }
    }

    private void require(String kind, String list, String word) {
        if (!has(list, word)) {
            throw new Unsupported(kind + " " + word);
        }
    }

    private void checkForms(List<String> forms) {
        for (String form : forms) {
            if (has("lacks", form)) {
                throw new Unsupported(form);
            }
        }
    }

    /** The fields that are words or truth values, and numbers of biases, as lacks spells them. */
    private static List<String> forms(String type, JsonNode fields) {
        List<String> forms = new ArrayList<>();
        for (Map.Entry<String, JsonNode> field : fields.properties()) {
            String key = field.getKey();
            JsonNode value = field.getValue();
            boolean isWord = value.isTextual() && !key.equals("type");
            if (isWord || value.isBoolean() || key.equals("biases")) {
                forms.add(type + "." + key + "=" + value.asText());
            }
        }
        return forms;
    }
}
