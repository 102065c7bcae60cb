package crossbind.worker.testing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import crossbind.worker.Graph;
import crossbind.worker.Model;
import crossbind.worker.Model.Mode;
import crossbind.worker.Model.Probed;
import crossbind.worker.Model.State;
import crossbind.worker.Tensor;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Steps of one linear layer, by hand. */
public interface StepCases extends Subject {

    /** A step on one sample, which is 1. */
    default Probed step(String optimizer, Map<String, Tensor> moments, int number) {
        Graph graph = Models.linear(optimizer);
        try (Model<?, ?> model = model(Models.job(graph))) {
            return model.probe(
                    new State(Models.weights(graph), moments, number), Models.one(1), Mode.STEP);
        }
    }

    static float[] of(Probed probed, String name) {
        return probed.tensors().get("layer." + name).floats();
    }

    @Test
    default void theMomentumIsWithoutTheRateAndBiasesDoNotDecay() {
        Map<String, Tensor> moments = Map.of("layer.weight.state.m", Tensor.of(new float[] {1, 0}, 2, 1));
        Probed probed = step(Models.SGD, moments, 2);
        float[] gradient = of(probed, "weight.grad");
        float[] momentum = {0.9f + gradient[0], gradient[1] + 0.25f * 0.1f}; // weights are 0 and 0.1
        assertArrayEquals(momentum, of(probed, "weight.state.m"), 1e-6f);
        float[] updated = {-0.5f * momentum[0], 0.1f - 0.5f * momentum[1]};
        assertArrayEquals(updated, of(probed, "weight"), 1e-6f);
        assertArrayEquals(gradient, of(probed, "bias.state.m"), 1e-6f); // its gradient is the same
    }

    @Test
    default void adamFoldsTheCorrectionIntoTheRate() {
        Map<String, Tensor> moments = Map.of(
                "layer.bias.state.m", Tensor.of(new float[] {0.2f, 0}, 2),
                "layer.bias.state.v", Tensor.of(new float[] {0.4f, 0}, 2));
        Probed probed = step(Models.ADAM, moments, 3);
        double gradient = of(probed, "bias.grad")[0];
        double first = 0.5 * 0.2 + 0.5 * gradient;
        double second = 0.75 * 0.4 + 0.25 * gradient * gradient;
        double rate = 0.1 * Math.sqrt(1 - Math.pow(0.75, 3)) / (1 - Math.pow(0.5, 3));
        assertEquals(first, of(probed, "bias.state.m")[0], 1e-6);
        assertEquals(second, of(probed, "bias.state.v")[0], 1e-6);
        assertEquals(-rate * first / (Math.sqrt(second) + 0.5), of(probed, "bias")[0], 1e-6);
    }

    @Test
    default void onlyForwardWithoutTraining() {
        Tensor two = Tensor.of(new float[] {2}, 1, 1);
        Probed probed = probe(Models.linear(Models.SGD), two, Mode.EVALUATION);
        assertArrayEquals(new float[] {0, 0.3f}, of(probed, "out"), 1e-6f);
        assertNull(probed.tensors().get("layer.weight.grad"));
    }
}
