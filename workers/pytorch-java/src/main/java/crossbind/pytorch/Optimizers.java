package crossbind.pytorch;

import ai.djl.ndarray.NDArray;
import ai.djl.training.LocalParameterServer;
import ai.djl.training.ParameterServer;
import ai.djl.training.optimizer.Adam;
import ai.djl.training.optimizer.AdamW;
import ai.djl.training.optimizer.Optimizer;
import ai.djl.training.tracker.Tracker;
import com.fasterxml.jackson.databind.JsonNode;
import crossbind.worker.Graph;
import crossbind.worker.Unsupported;
import java.util.HashMap;
import java.util.Map;

/** The optimizers of DJL that do what the graph says. */
final class Optimizers {
    /** Each parameter has the optimizer of its group: DJL's have one weight decay for all. */
    private record Groups(Map<String, ParameterServer> servers) implements ParameterServer {
        @Override
        public void init(String parameterId, NDArray[] value) {
            servers.get(parameterId).init(parameterId, value);
        }

        @Override
        public void update(String parameterId, NDArray[] grads, NDArray[] params) {
            servers.get(parameterId).update(parameterId, grads, params);
        }

        @Override
        public void close() {
            servers.values().forEach(ParameterServer::close);
        }
    }

    private Optimizers() {}

    /** What updates all parameters of the network, as if so many steps had been done. */
    static ParameterServer build(Graph graph, Network network, Moments moments, int stepsBefore) {
        JsonNode decay = graph.optimizer().get("weight_decay");
        ParameterServer decaying = server(graph, number(decay, "value"), moments, stepsBefore);
        ParameterServer spared = server(graph, 0, moments, stepsBefore);
        Map<String, ParameterServer> servers = new HashMap<>();
        network.getParameters().values().forEach(parameter -> servers.put(parameter.getId(), spared));
        for (Graph.Parameter parameter : graph.parameters()) {
            if (graph.decay(parameter) != 0) {
                servers.put(network.canonical().get(parameter.name()).getId(), decaying);
            }
        }
        return new Groups(servers);
    }

    /** What DJL's momentum is of the protocol's. */
    static float momentScale(Graph graph) {
        return isSgd(graph) ? number(graph.optimizer(), "rate") : 1;
    }

    private static ParameterServer server(Graph graph, float decay, Moments moments, int stepsBefore) {
        JsonNode fields = graph.optimizer();
        boolean decoupled = decay != 0
                && fields.get("weight_decay").get("form").textValue().equals("decoupled");
        Optimizer optimizer = isSgd(graph)
                ? sgd(fields, decay, decoupled, moments)
                : decoupled
                        ? adamW(fields, decay, moments, stepsBefore)
                        : adam(fields, decay, moments, stepsBefore);
        return new LocalParameterServer(optimizer);
    }

    private static Optimizer sgd(JsonNode fields, float decay, boolean decoupled, Moments moments) {
        if (decoupled) {
            throw new Unsupported("weight_decay.form=decoupled"); // of SGD; Adam has it
        }
        return new Moments.OpenSgd(
                Optimizer.sgd()
                        .setLearningRateTracker(Tracker.fixed(number(fields, "rate")))
                        .optMomentum(number(fields, "momentum"))
                        .optWeightDecays(decay),
                moments);
    }

    private static Optimizer adam(JsonNode fields, float decay, Moments moments, int stepsBefore) {
        return new Moments.OpenAdam(
                Adam.builder()
                        .optLearningRateTracker(Tracker.fixed(number(fields, "rate")))
                        .optBeta1(number(fields, "beta1"))
                        .optBeta2(number(fields, "beta2"))
                        .optEpsilon(number(fields, "epsilon"))
                        .optWeightDecays(decay)
                        .optBeginNumUpdate(stepsBefore),
                moments);
    }

    private static Optimizer adamW(JsonNode fields, float decay, Moments moments, int stepsBefore) {
        return new Moments.OpenAdamW(
                AdamW.builder()
                        .optLearningRateTracker(Tracker.fixed(number(fields, "rate")))
                        .optBeta1(number(fields, "beta1"))
                        .optBeta2(number(fields, "beta2"))
                        .optEpsilon(number(fields, "epsilon"))
                        .optWeightDecays(decay)
                        .optBeginNumUpdate(stepsBefore),
                moments);
    }

    private static boolean isSgd(Graph graph) {
        return graph.optimizer().get("type").textValue().equals("sgd");
    }

    private static float number(JsonNode fields, String name) {
        return fields.get(name).floatValue();
    }
}
