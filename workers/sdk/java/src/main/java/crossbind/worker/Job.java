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
        Optional<Path> serialized,
        Optional<Split> train,
        Optional<Split> test,
        Optional<long[][]> order,
        Settings settings,
        Path scratch) {

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
