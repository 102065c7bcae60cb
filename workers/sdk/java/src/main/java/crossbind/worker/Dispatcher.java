package crossbind.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Performs requests; knows what the worker was prepared with. */
final class Dispatcher {
    private final Model.Builder builder;
    private final Hello hello;
    private Job job;
    private Model<?, ?> model; // null: nothing is prepared

    Dispatcher(Model.Builder builder, Hello hello) {
        this.builder = builder;
        this.hello = hello;
    }

    /** The members of the reply. */
    ObjectNode perform(Request request, Reporter reporter) throws IOException {
        if (request instanceof Request.Prepare prepare) {
            ObjectNode reply = prepare(prepare);
            // What was read must not be collected while a timer runs, and much of it is outside of the heap.
            System.gc();
            return reply;
        }
        if (model == null) {
            throw Failed.badRequest("a request came before 'prepare' was done");
        }
        if (request instanceof Request.Train train) {
            hello.checkTraining(job.graph());
            hello.checkTrainingAccuracy(job.settings());
            return Training.run(job, model, train, reporter);
        }
        if (request instanceof Request.Infer infer) {
            return Inference.run(job, model, infer, reporter);
        }
        if (request instanceof Request.Query query) {
            hello.checkQuery(job.graph(), query.gradients());
            return Querying.run(job, model, query);
        }
        if (request instanceof Request.Serialize serialize) {
            throw new Unsupported(serialize.format().map("format "::concat).orElse("serialization"));
        }
        Request.Probe probe = (Request.Probe) request;
        if (probe.mode().trains()) {
            hello.checkTraining(job.graph());
        }
        return Probing.run(job, model, probe);
    }

    private ObjectNode prepare(Request.Prepare request) {
        if (model != null) {
            model.close();
            model = null;
        }
        hello.checkSettings(request.settings());
        if (request.serialized().isEmpty()) {
            hello.checkLayers(request.graph());
        } else if (!hello.has("tasks", "infer-serialization")) {
            throw new Unsupported("task infer-serialization");
        }
        Optional<Job.Serialized> serialized = request.serialized()
                .map(path -> new Job.Serialized(path, hello.formatToRead(request.format())));
        job = JobReader.read(request, serialized);
        model = builder.build(job);
        Map<String, Object> effective = new TreeMap<>(hello.departures(request.graph()));
        effective.putAll(model.effective());
        ObjectNode reply = Connection.JSON.createObjectNode().put("parameters", model.parameters());
        reply.set("effective", Connection.JSON.valueToTree(effective));
        return reply;
    }
}
