package crossbind.worker;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** The inference procedure: load and forward of the whole test set under the timer, after a warm-up. */
final class Inference<B, T> {
    private static final List<String> PARTS = List.of("load", "forward");

    private final Model<B, T> model;
    private final Split split;
    private final Reporter reporter;

    private Inference(Job job, Model<B, T> model, Reporter reporter) {
        this.model = model;
        this.split = job.requireTest();
        this.reporter = reporter;
    }

    static <B, T> ObjectNode run(Job job, Model<B, T> model, Request.Infer request, Reporter reporter)
            throws IOException {
        Inference<B, T> inference = new Inference<>(job, model, reporter);
        Split split = inference.split;
        List<long[]> order = split.inFileOrder(job.settings().batchSize());
        inference.warmUp(order.subList(0, Math.min(order.size(), job.settings().warmupSteps())));
        List<Tensor> outputs = inference.outputs(order, job.settings().measuresParts());
        long correct = 0;
        for (int number = 0; number < outputs.size(); number++) {
            correct += Metrics.countCorrect(outputs.get(number), split.labels(order.get(number)));
        }
        if (request.outputs().isPresent()) {
            Tensor all = concatenated(outputs, split.size());
            Safetensors.write(request.outputs().get(), Map.of("outputs", all));
        }
        return Connection.JSON.createObjectNode()
                .put("samples", split.size())
                .put("accuracy", (double) correct / split.size());
    }

    private List<T> passes(List<long[]> order, Stopwatch watch) {
        List<T> outputs = new ArrayList<>();
        Iterator<B> batches = model.batches(split, order);
        for (int number = 0; number < order.size(); number++) {
            B batch = batches.next();
            watch.lap("load");
            T output = model.predict(batch);
            watch.lap("forward");
            outputs.add(output);
            reporter.checkCancelled();
            watch.mark();
        }
        return outputs;
    }

    private void warmUp(List<long[]> order) {
        if (order.isEmpty()) {
            return;
        }
        try {
            Stopwatch watch = new Stopwatch(model::synchronize, PARTS);
            passes(order, watch);
            reporter.send(watch.steps(Reporter.event("timings").put("phase", "warmup")));
        } finally {
            model.release();
        }
    }

    private List<Tensor> outputs(List<long[]> order, boolean parts) {
        try {
            Stopwatch watch = new Stopwatch(model::synchronize, parts ? PARTS : List.of());
            List<T> outputs = passes(order, watch);
            reporter.send(watch.stop(Reporter.event("timings").put("phase", "infer")));
            return outputs.stream().map(model::toHost).toList();
        } finally {
            model.release();
        }
    }

    private static Tensor concatenated(List<Tensor> batches, int samples) {
        int size = batches.stream().mapToInt(each -> each.bytes().remaining()).sum();
        ByteBuffer bytes = ByteBuffer.allocate(size);
        batches.forEach(each -> bytes.put(each.bytes()));
        long[] shape = batches.get(0).shape();
        shape[0] = samples;
        return new Tensor(Tensor.Type.F32, shape, bytes.flip());
    }
}
