package crossbind.worker;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * What a worker is prepared with: read and checked. Weights are canonical, and empty when the model comes
 * serialized; the order has the sample ids of each epoch.
 */
public record Job(
        Graph graph,
        Map<String, Tensor> weights,
        Optional<Serialized> serialized,
        Optional<Split> train,
        Optional<Split> test,
        Optional<long[][]> order,
        Settings settings,
        Path scratch) {

    /** The framework's own file of the whole model, in one of the formats that the worker reads. */
    public record Serialized(Path path, String format) {}

    Split requireTrain() {
        return train.orElseThrow(() -> without("training"));
    }

    Split requireTest() {
        return test.orElseThrow(() -> without("test"));
    }

    private static Failed without(String name) {
        return Failed.badRequest("the worker was prepared without " + name + " samples");
    }
}
