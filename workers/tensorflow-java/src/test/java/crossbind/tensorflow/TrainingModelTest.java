package crossbind.tensorflow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import crossbind.worker.Job;
import crossbind.worker.Model;
import crossbind.worker.Model.Probed;
import crossbind.worker.Model.Step;
import crossbind.worker.testing.DropoutCases;
import crossbind.worker.testing.Models;
import crossbind.worker.testing.QueryCases;
import crossbind.worker.testing.StepCases;
import java.util.Map;
import org.bytedeco.javacpp.Pointer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.tensorflow.RawTensor;

/** What is built from parameters. */
@EnabledIfEnvironmentVariable(
        named = "TENSORFLOW_LIBRARY_PATH", matches = ".+", disabledReason = "no libtensorflow_cc")
class TrainingModelTest implements StepCases, DropoutCases, QueryCases {
    @Override
    public Model<?, ?> model(Job job) {
        return new TrainingModel(job, new Threads());
    }

    @Test
    void decayMayBeDecoupled() {
        Probed probed = step(Models.SGD.replace("coupled", "decoupled"), Map.of(), 1);
        float[] gradient = StepCases.of(probed, "weight.grad");
        assertArrayEquals(gradient, StepCases.of(probed, "weight.state.m"), 1e-6f);
        float[] updated = {-0.5f * gradient[0], 0.1f - 0.5f * (gradient[1] + 0.25f * 0.1f)};
        assertArrayEquals(updated, StepCases.of(probed, "weight"), 1e-6f);
    }

    @Test
    void threadsThatAreThereAlreadyAreSaid() {
        Threads threads = new Threads();
        threads.config(3);
        try (TrainingModel model = new TrainingModel(Models.job(Models.linear(Models.SGD)), threads)) {
            assertEquals(Map.of("threads", 3), model.effective());
        }
    }

    @Test
    void everyStepAndQueryGivesItsMemoryBack() {
        try (TrainingModel model = new TrainingModel(Models.job(Models.linear(Models.ADAM)), new Threads())) {
            model.reset();
            long before = 0;
            for (int step = 0; step < 4; step++) {
                try (Batch batch = Batch.of(Models.one(1))) {
                    Step<RawTensor> done = model.forward(batch);
                    model.backward();
                    assertEquals(4, done.loss().numBytes());
                    assertEquals(1, model.predict(batch).shape().get(0));
                }
                model.release();
                model.query(Models.one(1), false);
                model.query(Models.one(1), true);
                before = step == 0 ? Pointer.totalCount() : before;
                assertEquals(before, Pointer.totalCount());
            }
        }
    }
}
