package crossbind.tensorflow;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import crossbind.worker.Failed;
import crossbind.worker.Job;
import crossbind.worker.Unsupported;
import crossbind.worker.testing.Models;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;
import org.tensorflow.Graph;
import org.tensorflow.Operand;
import org.tensorflow.SavedModelBundle;
import org.tensorflow.Session;
import org.tensorflow.SessionFunction;
import org.tensorflow.Signature;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.op.Ops;
import org.tensorflow.op.core.Placeholder;
import org.tensorflow.types.TFloat32;

/** What came as a SavedModel. */
@EnabledIfEnvironmentVariable(
        named = "TENSORFLOW_LIBRARY_PATH", matches = ".+", disabledReason = "no libtensorflow_cc")
class SerializedModelTest {
    private static final Job JOB = Models.job(Models.linear(Models.SGD));

    @TempDir
    Path folder;

    /** The outputs of one number are itself and its half. */
    private void write() throws IOException {
        try (Graph graph = new Graph(); Session session = new Session(graph)) {
            Ops tf = Ops.create(graph);
            Placeholder<TFloat32> x = tf.placeholder(TFloat32.class, Placeholder.shape(Shape.of(-1, 1)));
            Operand<TFloat32> weight = tf.constant(new float[][] {{1}, {0.5f}});
            Operand<TFloat32> outputs = tf.math.mul(x, tf.constant(new float[][] {{1, 0.5f}}));
            Signature predict = Signature.builder("serving_default")
                    .input("x", x)
                    .output("outputs", outputs)
                    .build();
            Signature parameters = Signature.builder("parameters")
                    .output("layer.weight", weight)
                    .output("layer.bias", tf.constant(new float[2]))
                    .build();
            SavedModelBundle.exporter(folder.toString())
                    .withFunction(SessionFunction.create(predict, session))
                    .withFunction(SessionFunction.create(parameters, session))
                    .export();
        }
    }

    @Test
    void queriesHaveOutputsButNoGradients() throws IOException {
        write();
        try (SerializedModel model = new SerializedModel(JOB, folder, new Threads())) {
            float[] outputs = model.query(Models.one(3), false).outputs().floats();
            assertArrayEquals(new float[] {3, 1.5f}, outputs);
            Unsupported error = assertThrows(Unsupported.class, () -> model.query(Models.one(3), true));
            assertEquals("gradients of a serialized model", error.getMessage());
        }
    }

    @Test
    void aFolderThatIsNoSavedModelIsBadInput() {
        Failed error = assertThrows(Failed.class, () -> new SerializedModel(JOB, folder, new Threads()));
        assertEquals("bad_input", error.code());
    }
}
