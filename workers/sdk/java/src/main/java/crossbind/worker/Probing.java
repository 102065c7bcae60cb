package crossbind.worker;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One step, taken apart: reads where it starts, writes what is wanted of it. */
final class Probing {
    private static final Pattern MOMENT = Pattern.compile("(.+)\\.state\\.[mv]");

    private Probing() {}

    static ObjectNode run(Job job, Model<?, ?> model, Request.Probe request) throws IOException {
        Samples batch = new JobReader(job.graph()).batch(request.batch());
        if (request.mode().trains() && batch.targets().isEmpty()) {
            throw Failed.badInput(request.batch() + ": a training step needs "
                    + String.join(" and ", job.graph().targets()));
        }
        Model.Probed probed = model.probe(start(job, request), batch, request.mode());
        double loss = probed.loss().orElse(0);
        if (!Double.isFinite(loss)) {
            throw Failed.notFinite("the loss of the step is " + loss);
        }
        Path path = request.directory().resolve(request.id() + ".safetensors");
        ObjectNode reply = Connection.JSON.createObjectNode().put("tensors", path.toString());
        reply.putArray("fused");
        ArrayNode missing = reply.putArray("missing");
        Map<String, Tensor> found = new LinkedHashMap<>();
        for (String name : request.wanted()) {
            Tensor tensor = probed.tensors().get(name);
            if (tensor == null) {
                missing.add(name);
            } else {
                found.put(name, tensor);
            }
        }
        Safetensors.write(path, found);
        probed.loss().ifPresent(value -> reply.put("loss", value));
        return reply;
    }

    private static Model.State start(Job job, Request.Probe request) {
        if (job.serialized().isPresent()) {
            if (request.mode().trains()) {
                throw new Unsupported("training of a serialized model");
            }
            if (request.state().isPresent()) {
                throw new Unsupported("parameters of a serialized model");
            }
        }
        return request.state()
                .map(path -> state(job, path, request.step()))
                .orElseGet(() -> new Model.State(job.weights(), Map.of(), request.step()));
    }

    private static Model.State state(Job job, Path path, int step) {
        Map<String, Tensor> tensors = Safetensors.load(path);
        Map<String, Tensor> parameters = new JobReader(job.graph()).parameters(path, tensors);
        Map<String, Tensor> moments = new HashMap<>();
        tensors.forEach((name, values) -> {
            Matcher moment = MOMENT.matcher(name);
            if (moment.matches() && parameters.containsKey(moment.group(1))) {
                Tensor parameter = parameters.get(moment.group(1));
                if (values.type() != Tensor.Type.F32 || !values.hasShape(parameter.shape())) {
                    throw Failed.badInput(
                            path + ": '" + name + "' has not the type and shape of its parameter");
                }
                moments.put(name, values);
            }
        });
        return new Model.State(parameters, moments, step);
    }
}
