package crossbind.worker;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import crossbind.worker.testing.Models;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What a worker refuses by its manifest. */
class HelloTest {
    private static final Graph GRAPH = Models.linear(Models.SGD);

    private static Hello claiming(String capabilities) throws IOException {
        String manifest = "framework = \"f\"\nlanguage = \"l\"\n[capabilities]\n" + capabilities;
        return Hello.fromManifest(new ByteArrayInputStream(manifest.getBytes()), Map.of());
    }

    private static String refusal(Executable action) {
        return assertThrows(Unsupported.class, action).getMessage();
    }

    @Test
    void queriesAreWhatIsClaimed() throws IOException {
        Hello none = claiming("");
        assertEquals("queries", refusal(() -> none.checkQuery(GRAPH, false)));
        Hello outputs = claiming("queries = \"outputs\"");
        assertDoesNotThrow(() -> outputs.checkQuery(GRAPH, false));
        assertEquals("gradients of inputs", refusal(() -> outputs.checkQuery(GRAPH, true)));
    }

    @Test
    void onlyGradientsNeedTheLoss() throws IOException {
        Hello without = claiming("queries = \"gradients\"\nlosses = []");
        assertDoesNotThrow(() -> without.checkQuery(GRAPH, false));
        assertEquals("loss cross_entropy", refusal(() -> without.checkQuery(GRAPH, true)));
        Hello with = claiming("queries = \"gradients\"\nlosses = [\"cross_entropy\"]");
        assertDoesNotThrow(() -> with.checkQuery(GRAPH, true));
    }

    @Test
    void theOnlyFormatNeedsNoName() throws IOException {
        Hello one = claiming("reads = [\"torchscript\"]");
        assertEquals("torchscript", one.formatToRead(Optional.empty()));
        assertEquals("torchscript", one.formatToRead(Optional.of("torchscript")));
        assertEquals("format onnx", refusal(() -> one.formatToRead(Optional.of("onnx"))));
        Hello two = claiming("reads = [\"torchscript\", \"onnx\"]");
        assertEquals("onnx", two.formatToRead(Optional.of("onnx")));
        assertEquals("bad_request",
                assertThrows(Failed.class, () -> two.formatToRead(Optional.empty())).code());
    }
}
