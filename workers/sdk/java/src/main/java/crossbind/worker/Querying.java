package crossbind.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** A batch in, its outputs back, and the gradients of its inputs where they are wanted. */
final class Querying {
    private Querying() {}

    static ObjectNode run(Job job, Model<?, ?> model, Request.Query request) throws IOException {
        Samples batch = new JobReader(job.graph()).batch(request.batch());
        if (request.gradients() && batch.targets().isEmpty()) {
            throw Failed.badInput(request.batch() + ": gradients need "
                    + String.join(" and ", job.graph().targets()));
        }
        boolean gradients = request.gradients() && !job.graph().realInputs().isEmpty();
        Model.Answer answer = model.query(batch, gradients);
        Metrics.requireFinite(answer.outputs().floats());
        Map<String, Tensor> tensors = new LinkedHashMap<>(Map.of("outputs", answer.outputs()));
        answer.gradients().forEach((input, gradient) -> tensors.put(input + ".grad", gradient));
        Safetensors.write(request.answer(), tensors);
        return Connection.JSON.createObjectNode();
    }
}
