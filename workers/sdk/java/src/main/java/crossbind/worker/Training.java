package crossbind.worker;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The training procedure: warm-up, then for each epoch load, forward and backward of each batch under the
 * timer, and evaluation outside of it.
 */
final class Training<B, T> {
    private static final List<String> PARTS = List.of("load", "forward", "backward");

    private final Job job;
    private final Model<B, T> model;
    private final Split split;
    private final Reporter reporter;

    /** What is done after each step, which counts for no part. */
    private interface AfterStep<B, T> {
        void accept(int number, B batch, Model.Step<T> step);
    }

    private Training(Job job, Model<B, T> model, Reporter reporter) {
        this.job = job;
        this.model = model;
        this.split = job.requireTrain();
        this.reporter = reporter;
    }

    /** Always starts from what was prepared, and leaves the trained model behind. */
    static <B, T> ObjectNode run(Job job, Model<B, T> model, Request.Train request, Reporter reporter)
            throws IOException {
        long[][] order = job.order().orElseThrow(
                () -> Failed.badRequest("the worker was prepared without an order"));
        int batchSize = job.settings().batchSize();
        Training<B, T> training = new Training<>(job, model, reporter);
        model.reset();
        training.warmUp(Split.cut(order[0], batchSize));
        int steps = 0;
        for (int epoch = 1; epoch <= order.length; epoch++) {
            List<long[]> batches = Split.cut(order[epoch - 1], batchSize);
            steps += batches.size();
            ObjectNode event = training.epoch(epoch, batches, request.evidence());
            if (job.test().isPresent() && (everyEpoch(job) || epoch == order.length)) {
                Evaluation test = Evaluation.of(job, model, job.requireTest(), reporter);
                event.put("test_accuracy", test.accuracy()).put("test_loss", test.loss());
            }
            reporter.send(event);
        }
        if (request.save().isPresent()) {
            Safetensors.write(request.save().get(), model.export());
        }
        return Connection.JSON.createObjectNode().put("steps", steps);
    }

    private static boolean everyEpoch(Job job) {
        return job.settings().evaluate().equals("every_epoch");
    }

    private void steps(List<long[]> order, Stopwatch watch, AfterStep<B, T> after) {
        Iterator<B> batches = model.batches(split, order);
        for (int number = 0; number < order.size(); number++) {
            B batch = batches.next();
            watch.lap("load");
            Model.Step<T> step = model.forward(batch);
            watch.lap("forward");
            model.backward();
            watch.lap("backward");
            after.accept(number, batch, step);
            reporter.checkCancelled();
            watch.mark();
        }
    }

    private void warmUp(List<long[]> order) {
        List<long[]> first = order.subList(0, Math.min(order.size(), job.settings().warmupSteps()));
        if (first.isEmpty()) {
            return;
        }
        try {
            Stopwatch watch = new Stopwatch(model::synchronize, PARTS);
            steps(first, watch, (number, batch, step) -> { });
            reporter.send(watch.steps(Reporter.event("timings").put("phase", "warmup")));
        } finally {
            model.release();
        }
        model.reset();
    }

    /** The event of one epoch: its loss and training accuracy. */
    private ObjectNode epoch(int epoch, List<long[]> order, long evidence) {
        boolean running = job.settings().trainingAccuracy().equals("running");
        List<T> losses = new ArrayList<>(); // read when the timer has stopped: reading waits for the device
        List<T> outputs = new ArrayList<>();
        ObjectNode event = Reporter.event("epoch").put("epoch", epoch);
        try {
            Stopwatch watch = new Stopwatch(
                    model::synchronize, job.settings().measuresParts() ? PARTS : List.of());
            steps(order, watch, (number, batch, step) -> {
                losses.add(step.loss());
                if (running) {
                    outputs.add(step.outputs());
                }
                if (number < evidence || evidence < 0) {
                    watch.paused(() -> show(epoch, number, order.get(number), batch));
                }
                reporter.progress(epoch, number + 1, order.size());
            });
            reporter.send(watch.stop(Reporter.event("timings").put("phase", "train").put("epoch", epoch)));
            event.put("loss", meanLoss(epoch, order, losses));
            if (running) {
                event.put("train_accuracy", runningAccuracy(order, outputs));
            }
        } finally {
            model.release();
        }
        if (!running) {
            event.put("train_accuracy", Evaluation.of(job, model, split, reporter).accuracy());
        }
        return event;
    }

    private void show(int epoch, int number, long[] ids, B batch) {
        ObjectNode event = Reporter.event("batch").put("epoch", epoch).put("batch", number);
        ArrayNode list = event.put("count", ids.length).putArray("ids");
        LongStream.of(ids).forEach(list::add);
        Metrics.addHashes(event, model.reached(batch));
        reporter.send(event);
    }

    private double meanLoss(int epoch, List<long[]> order, List<T> losses) {
        double total = 0;
        for (int number = 0; number < losses.size(); number++) {
            double loss = model.toHost(losses.get(number)).floats()[0];
            if (!Double.isFinite(loss)) {
                throw Failed.notFinite(
                        "the loss of step %d in epoch %d is %s".formatted(number + 1, epoch, loss));
            }
            total += loss * order.get(number).length;
        }
        return total / split.size();
    }

    private double runningAccuracy(List<long[]> order, List<T> outputs) {
        long correct = 0;
        for (int number = 0; number < outputs.size(); number++) {
            Tensor rows = model.toHost(outputs.get(number));
            correct += Metrics.countCorrect(rows, split.labels(order.get(number)));
        }
        return (double) correct / split.size();
    }
}
