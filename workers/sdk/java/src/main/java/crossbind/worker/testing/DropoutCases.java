package crossbind.worker.testing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import crossbind.worker.Graph;
import crossbind.worker.Model;
import crossbind.worker.Model.Mode;
import crossbind.worker.Model.Probed;
import crossbind.worker.Model.State;
import crossbind.worker.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Probes whose dropout draws. */
public interface DropoutCases extends Subject {
    int FEATURES = 64;
    float VALUE = 0.015f;
    Graph GRAPH = Models.graph(Models.SGD, List.of(Models.real("x", FEATURES)),
            Models.node("dropout", "{\"rate\": 0.25}", new long[] {FEATURES}),
            Models.classifier("layer", FEATURES));

    /** Of a sample that is the same everywhere, with the label 0. */
    private static Probed probe(Model<?, ?> model, Mode mode) {
        float[] x = new float[FEATURES];
        Arrays.fill(x, VALUE);
        State state = new State(Models.weights(GRAPH), Map.of(), 1);
        return model.probe(state, Models.batch(Tensor.of(x, 1, FEATURES), 0), mode);
    }

    private static float[] dropped(Model<?, ?> model, Mode mode) {
        return probe(model, mode).tensors().get("layer.out").floats();
    }

    @Test
    default void twoProbesDrawOtherMasksAndKeepTheScale() {
        try (Model<?, ?> model = model(Models.job(GRAPH))) {
            float[] first = dropped(model, Mode.STEP_WITH_DROPOUT);
            float[] second = dropped(model, Mode.STEP_WITH_DROPOUT);
            assertFalse(Arrays.equals(first, second));
            for (float value : first) {
                assertEquals(value == 0 ? 0 : VALUE / (1 - 0.25), value, 1e-8);
            }
        }
    }

    @Test
    default void withoutItNothingIsDropped() {
        try (Model<?, ?> model = model(Models.job(GRAPH))) {
            float[] all = new float[FEATURES];
            Arrays.fill(all, VALUE);
            assertArrayEquals(all, dropped(model, Mode.STEP));
            assertArrayEquals(all, dropped(model, Mode.EVALUATION));
        }
    }

    @Test
    default void theSeedDecidesTheMasks() {
        float[] drawn;
        try (Model<?, ?> model = model(Models.job(GRAPH))) {
            drawn = dropped(model, Mode.STEP_WITH_DROPOUT);
        }
        try (Model<?, ?> model = model(Models.job(GRAPH))) {
            assertArrayEquals(drawn, dropped(model, Mode.STEP_WITH_DROPOUT));
        }
    }

    /** The outputs behind the layer and the gradients are of the numbers that were left. */
    @Test
    default void allIsOfTheSameForwardPass() {
        try (Model<?, ?> model = model(Models.job(GRAPH))) {
            Map<String, Tensor> probed = probe(model, Mode.STEP_WITH_DROPOUT).tensors();
            float[] left = probed.get("layer.out").floats();
            float[] logits = {0, 0.1f};
            for (int i = 0; i < FEATURES; i++) { // weights count up in tenths
                logits[0] += left[i] * i / 10;
                logits[1] += left[i] * (FEATURES + i) / 10;
            }
            assertArrayEquals(logits, probed.get("fc.out").floats(), 1e-4f);
            double wrong = 1 / (1 + Math.exp(logits[0] - logits[1]));
            float[] gradient = probed.get("fc.weight.grad").floats();
            for (int i = 0; i < FEATURES; i++) {
                assertEquals(-wrong * left[i], gradient[i], 1e-6);
                assertEquals(wrong * left[i], gradient[FEATURES + i], 1e-6);
            }
        }
    }
}
