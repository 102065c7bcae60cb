package crossbind.worker;

import java.util.List;

/** How a worker is to train and infer. */
public record Settings(
        String device,
        String loader,
        String variant,
        String measure,
        long seed,
        int epochs,
        int batchSize,
        String trainingAccuracy,
        String evaluate,
        int warmupSteps,
        int threads) {

    public boolean measuresParts() {
        return measure.equals("parts");
    }

    static Settings parse(Members members) {
        return new Settings(
                members.text("device"),
                members.word("loader", List.of("idiomatic", "resident")),
                members.word("variant", List.of("step", "fit", "savedmodel", "graph")),
                members.word("measure", List.of("total", "parts")),
                members.integer("seed", 0, 0xFFFF_FFFFL),
                members.count("epochs", 1),
                members.count("batch_size", 1),
                members.word("training_accuracy", List.of("eval", "running")),
                members.word("evaluate", List.of("every_epoch", "last")),
                members.count("warmup_steps", 0),
                members.count("threads", 1));
    }
}
