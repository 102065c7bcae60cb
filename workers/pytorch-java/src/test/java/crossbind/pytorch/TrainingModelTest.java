package crossbind.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.training.dataset.Batch;
import crossbind.worker.Job;
import crossbind.worker.Model;
import crossbind.worker.Model.Step;
import crossbind.worker.testing.DropoutCases;
import crossbind.worker.testing.Models;
import crossbind.worker.testing.QueryCases;
import crossbind.worker.testing.StepCases;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** What is built from parameters. */
@EnabledIfEnvironmentVariable(named = "PYTORCH_LIBRARY_PATH", matches = ".+", disabledReason = "no libtorch")
class TrainingModelTest implements StepCases, DropoutCases, QueryCases {
    @Override
    public Model<?, ?> model(Job job) {
        return new TrainingModel(job);
    }

    @Test
    void betasThatFloatChangesAreSaid() {
        Job job = Models.job(Models.linear(Models.ADAM.replace("0.75", "0.999")));
        try (Model<?, ?> model = model(job)) {
            assertEquals(Map.of("adam.beta2", (double) 0.999f), model.effective());
        }
    }

    /** The gradients of a softmax over two classes add up to exactly 0. */
    @Test
    void everyStepAndQueryGivesItsMemoryBack() {
        try (TrainingModel model = new TrainingModel(Models.job(Models.linear(Models.SGD)))) {
            model.reset();
            NDManager manager = model.manager;
            int before = 0;
            for (int step = 0; step < 4; step++) {
                try (Batch batch = Loader.whole(Models.one(1), manager)) {
                    Step<NDArray> done = model.forward(batch);
                    model.backward();
                    assertEquals(1, done.loss().size());
                    assertEquals(1, model.predict(batch).size(0));
                }
                model.release();
                model.query(Models.one(1), false);
                model.query(Models.one(1), true);
                int arrays = manager.getManagedArrays().size();
                before = step == 0 ? arrays : before;
                assertEquals(before, arrays);
            }
        }
    }
}
