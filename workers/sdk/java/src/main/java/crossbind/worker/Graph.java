package crossbind.worker;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.StreamSupport;

/**
 * The canonical graph of a model (docs/model-files.md), typed. Fields of layers and of the optimizer stay
 * JSON objects: only the worker that builds them knows which it needs.
 */
public record Graph(String id, List<Input> inputs, List<Node> nodes, String loss, JsonNode optimizer) {

    /** What the model is given; with entries it holds integers below them. */
    public record Input(String name, long[] shape, OptionalLong entries) {
        public boolean isReal() {
            return entries.isEmpty();
        }
    }

    /** A tensor of numbers that belongs to a layer. */
    public record Parameter(String name, long[] shape, String role, boolean trainable) {
        public long count() {
            return LongStream.of(shape).reduce(1, Math::multiplyExact);
        }
    }

    /** A layer. */
    public record Node(
            String name,
            String type,
            List<String> inputs,
            long[] output,
            JsonNode fields,
            List<Parameter> parameters) {

        public int integer(String field) {
            return fields.get(field).intValue();
        }

        public float number(String field) {
            return fields.get(field).floatValue();
        }

        public boolean truth(String field) {
            return fields.get(field).booleanValue();
        }

        public String word(String field) {
            return fields.get(field).textValue();
        }

        public long[] integers(String field) {
            return StreamSupport.stream(fields.get(field).spliterator(), false)
                    .mapToLong(JsonNode::longValue)
                    .toArray();
        }
    }

    /** The inputs that have a gradient. */
    public List<Input> realInputs() {
        return inputs.stream().filter(Input::isReal).toList();
    }

    public List<Parameter> parameters() {
        return nodes.stream().flatMap(node -> node.parameters().stream()).toList();
    }

    /** How many numbers the parameters are. */
    public long count() {
        return parameters().stream().mapToLong(Parameter::count).sum();
    }

    /** The weight decay of a parameter; 0 where the optimizer spares it. */
    public double decay(Parameter parameter) {
        JsonNode decay = optimizer.get("weight_decay");
        boolean spared = decay.get("applies_to").textValue().equals("weights")
                && !parameter.role().equals("weight");
        return spared ? 0 : decay.get("value").doubleValue();
    }

    public Node last() {
        return nodes.get(nodes.size() - 1);
    }

    /** What the data hold beside the inputs. */
    public List<String> targets() {
        return loss.equals("span_cross_entropy") ? List.of("start", "end") : List.of("label");
    }

    /** Targets are below it. */
    public long classes() {
        return loss.equals("binary_cross_entropy") ? 2 : last().output()[0];
    }

    static Graph parse(Members members) {
        long version = members.integer("version", 0, Members.LARGEST_INTEGER);
        if (version != 1) {
            throw Failed.badRequest("the graph has version " + version + ", this worker knows version 1");
        }
        Graph graph = new Graph(
                members.text("id"),
                members.objects("inputs").stream().map(Graph::input).toList(),
                members.objects("nodes").stream().map(Graph::node).toList(),
                members.members("loss").text("type"),
                members.object("optimizer"));
        members.members("optimizer").text("type");
        graph.check();
        return graph;
    }

    private void check() {
        Set<String> known = new HashSet<>(inputs.stream().map(Input::name).toList());
        for (Node node : nodes) {
            if (node.inputs().isEmpty() || !known.containsAll(node.inputs()) || !known.add(node.name())) {
                throw Failed.badRequest(
                        "layer '" + node.name() + "' is there twice or reads what is not before it");
            }
        }
        if (nodes.isEmpty()) {
            throw Failed.badRequest("the graph has no layers");
        }
    }

    private static Input input(Members members) {
        OptionalLong entries = members.text("type").equals("integer")
                ? OptionalLong.of(members.integer("entries", 1, Members.LARGEST_INTEGER))
                : OptionalLong.empty();
        return new Input(members.text("name"), members.shape("shape"), entries);
    }

    private static Node node(Members members) {
        return new Node(
                members.text("name"),
                members.text("type"),
                members.texts("inputs"),
                members.shape("output"),
                members.object("fields"),
                members.objects("parameters").stream().map(Graph::parameter).toList());
    }

    private static Parameter parameter(Members members) {
        return new Parameter(
                members.text("name"),
                members.shape("shape"),
                members.text("role"),
                members.truth("trainable"));
    }
}
