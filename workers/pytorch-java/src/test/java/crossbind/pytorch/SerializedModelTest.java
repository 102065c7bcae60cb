package crossbind.pytorch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import crossbind.worker.Failed;
import crossbind.worker.Graph;
import crossbind.worker.Model.Answer;
import crossbind.worker.Samples;
import crossbind.worker.Tensor;
import crossbind.worker.testing.Models;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/** A model that PyTorch's Python has written: DJL writes none. */
@EnabledIfEnvironmentVariable(named = "PYTORCH_LIBRARY_PATH", matches = ".+", disabledReason = "no libtorch")
class SerializedModelTest {
    private static final Graph GRAPH = Models.graph(Models.SGD, List.of(Models.real("x", 2)),
            Models.batchnorm("x", "{}", 2), Models.after("norm", "dropout", "{}", 2),
            Models.classifier("dropout", 2));

    @TempDir
    Path folder;

    private Path path;

    @BeforeEach
    void name() {
        path = folder.resolve("model.pt");
    }

    /** What Python says of two samples: four outputs, and the gradients of four inputs. */
    private float[] write() throws IOException, URISyntaxException {
        Path libraries = Path.of(System.getenv("PYTORCH_LIBRARY_PATH"));
        Path environment = libraries.resolve("../../../../.."); // of lib/python3.*/site-packages/torch/lib
        Path python = environment.resolve("bin/python").normalize();
        Path script = Path.of(getClass().getResource("/write_model.py").toURI());
        Process process = new ProcessBuilder(python.toString(), script.toString(), path.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String[] said = new String(process.getInputStream().readAllBytes()).strip().split(" ");
        assertEquals(8, said.length);
        float[] numbers = new float[8];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = Float.parseFloat(said[i]);
        }
        return numbers;
    }

    @Test
    void queriesAreAnsweredAsInPython() throws IOException, URISyntaxException {
        float[] expected = write();
        float[] outputs = Arrays.copyOf(expected, 4);
        float[] gradient = Arrays.copyOfRange(expected, 4, 8);
        Samples samples = Models.batch(Tensor.of(new float[] {1, 2, 4, 0}, 2, 2), 0, 1);
        try (SerializedModel model = new SerializedModel(Models.job(GRAPH), path)) {
            for (int round = 0; round < 3; round++) { // PyTorch compiles it anew in the second and third
                Answer answer = model.query(samples, true);
                assertArrayEquals(outputs, answer.outputs().floats(), 1e-6f);
                assertArrayEquals(gradient, answer.gradients().get("x").floats(), 1e-6f);
                assertArrayEquals(outputs, model.query(samples, false).outputs().floats(), 1e-6f);
            }
        }
    }

    @Test
    void aFileThatIsNoModelIsBadInput() {
        Failed error = assertThrows(
                Failed.class, () -> new SerializedModel(Models.job(GRAPH), path));
        assertEquals("bad_input", error.code());
    }
}
