package crossbind.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import crossbind.worker.Graph;
import crossbind.worker.Job;
import crossbind.worker.Model;
import crossbind.worker.testing.LayerCases;
import crossbind.worker.testing.Models;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Forms of layers that the blocks of DJL do not have by themselves. */
@EnabledIfEnvironmentVariable(named = "PYTORCH_LIBRARY_PATH", matches = ".+", disabledReason = "no libtorch")
class LayersTest implements LayerCases {
    @Override
    public Model<?, ?> model(Job job) {
        return new TrainingModel(job);
    }

    @Test
    void oneBiasIsAllThatCounts() {
        Graph.Node node = Models.node("gru",
                "{\"hidden\": 1, \"biases\": 1}", new long[] {2, 1}, Models.weight("weight_ih", 3, 1),
                Models.weight("weight_hh", 3, 1), Models.bias("bias_ih", 3));
        Graph graph = Models.graph(Models.SGD, List.of(Models.real("x", 2, 1)), node);
        try (Model<?, ?> model = model(Models.job(graph))) {
            assertEquals(9, model.parameters());
            assertEquals(3, model.export().size());
        }
    }
}
