package crossbind.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Conversations over a real socket. */
class ServerTest {
    private static final String MANIFEST = """
            framework = "fake"
            language = "java"
            [capabilities]
            tasks = ["train", "infer-parameters"]
            devices = ["cpu"]
            loaders = ["resident"]
            variants = ["step"]
            measures = ["total", "parts"]
            training_accuracies = ["eval", "running"]
            layers = ["linear"]
            losses = ["cross_entropy"]
            optimizers = ["adam"]
            lacks = ["linear.bias=true"]
            queries = "gradients"
            [capabilities.conventions]
            "adam.epsilon_form" = "hat"
            """;
    private static final String GRAPH = """
            {"version": 1, "id": "g", "inputs": [{"name": "x", "type": "real", "shape": [1]}],
             "nodes": [{"name": "fc", "type": "linear", "inputs": ["x"], "output": [2],
               "fields": {"bias": false},
               "parameters": [{"name": "fc.weight", "shape": [1], "role": "weight", "trainable": true}]}],
             "loss": {"type": "cross_entropy"},
             "optimizer": {"type": "adam", "epsilon_form": "outside"}}""";

    @TempDir
    Path folder;

    private ServerSocketChannel server;
    private SocketChannel channel;
    private LineReader lines;
    private CompletableFuture<Integer> worker;
    private int lastId;

    @BeforeEach
    void start() throws IOException {
        Path socket = folder.resolve("socket");
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        Hello hello = Hello.fromManifest(new ByteArrayInputStream(MANIFEST.getBytes()), Map.of("fake", "1"));
        worker = CompletableFuture.supplyAsync(
                () -> Server.serve(FakeModel::new, hello, "unix:" + socket, "secret"));
        channel = server.accept();
        lines = new LineReader(channel, Connection.LONGEST_LINE);
        Safetensors.write(folder.resolve("weights"), Map.of("fc.weight", Tensor.of(new float[] {1}, 1)));
        Safetensors.write(folder.resolve("data"), Map.of(
                "train.x", Tensor.of(new float[3], 3, 1), "train.label", Tensor.of(new long[] {0, 1, 0}, 3),
                "test.x", Tensor.of(new float[3], 3, 1), "test.label", Tensor.of(new long[] {0, 1, 1}, 3)));
        Safetensors.write(folder.resolve("order"), Map.of(
                "order", Tensor.of(new long[] {2, 0, 1, 0, 1, 2}, 2, 3)));
    }

    @AfterEach
    void end() throws IOException {
        send(Reporter.event("bye"));
        assertEquals(0, worker.join());
        server.close();
    }

    private void send(ObjectNode message) throws IOException {
        channel.write(ByteBuffer.wrap((Connection.JSON.writeValueAsString(message) + "\n").getBytes()));
    }

    private JsonNode receive() throws IOException {
        return Connection.JSON.readTree(lines.next());
    }

    /** Events and, at the end, the reply. */
    private List<JsonNode> ask(ObjectNode request) throws IOException {
        send(request.put("id", ++lastId));
        List<JsonNode> answers = new ArrayList<>();
        do {
            answers.add(receive());
            assertEquals(lastId, answers.get(answers.size() - 1).get("id").intValue());
        } while (!List.of("done", "failed", "unsupported").contains(
                answers.get(answers.size() - 1).get("type").textValue()));
        return answers;
    }

    private ObjectNode prepare() throws IOException {
        ObjectNode request = Reporter.event("prepare")
                .put("weights", folder.resolve("weights").toString())
                .put("order", folder.resolve("order").toString())
                .put("scratch", folder.toString());
        request.set("graph", Connection.JSON.readTree(GRAPH));
        request.putObject("data")
                .put("path", folder.resolve("data").toString())
                .put("train_samples", 3)
                .put("test_samples", 0);
        request.putObject("settings")
                .put("device", "cpu").put("loader", "resident").put("variant", "step").put("measure", "parts")
                .put("seed", 4294967295L).put("epochs", 2).put("batch_size", 2)
                .put("training_accuracy", "running").put("evaluate", "last")
                .put("warmup_steps", 1).put("threads", 1);
        return request;
    }

    @Test
    void trainsInTheOrderAndFromWhatWasPrepared() throws IOException {
        assertEquals("secret", receive().get("token").textValue());
        JsonNode prepared = ask(prepare()).get(0);
        assertEquals("{\"adam.epsilon_form\":\"hat\",\"threads\":7}", prepared.get("effective").toString());
        List<JsonNode> answers = ask(Reporter.event("train").put("evidence", 1)).stream()
                .filter(each -> !each.get("type").textValue().equals("progress")) // where time passes
                .toList();
        List<String> types = answers.stream().map(each -> each.get("type").textValue()).toList();
        assertEquals("timings batch timings epoch batch timings epoch done", String.join(" ", types));
        assertEquals("[2,0]", answers.get(1).get("ids").toString());
        assertEquals((1 * 2 + 0.5 * 1) / 3, answers.get(3).get("loss").doubleValue());
        assertEquals(2.0 / 3, answers.get(3).get("train_accuracy").doubleValue());
        assertEquals(2, answers.get(2).get("backward_ns").size());
        assertEquals(4, answers.get(7).get("steps").intValue());
    }

    @Test
    void theTestSetIsScoredAfterTheLastEpoch() throws IOException {
        receive();
        ObjectNode request = prepare();
        ((ObjectNode) request.get("data")).put("test_samples", 3);
        ask(request);
        List<JsonNode> epochs = ask(Reporter.event("train")).stream()
                .filter(each -> each.get("type").textValue().equals("epoch"))
                .toList();
        assertFalse(epochs.get(0).has("test_loss"));
        assertEquals(1.0 / 3, epochs.get(1).get("test_accuracy").doubleValue());
        assertEquals(Math.log(2), epochs.get(1).get("test_loss").doubleValue(), 1e-15); // all outputs are 0
    }

    /** A file of samples with these inputs, and with labels if there are any. */
    private ObjectNode query(float[] x, long... labels) throws IOException {
        Map<String, Tensor> tensors = new HashMap<>(Map.of("x", Tensor.of(x, x.length, 1)));
        if (labels.length > 0) {
            tensors.put("label", Tensor.of(labels, labels.length));
        }
        Safetensors.write(folder.resolve("batch"), tensors);
        return Reporter.event("query")
                .put("batch", folder.resolve("batch").toString())
                .put("answer", folder.resolve("answer").toString());
    }

    @Test
    void answersQueriesOfAnySize() throws IOException {
        receive();
        ask(prepare());
        assertEquals("done", ask(query(new float[] {3})).get(0).get("type").textValue());
        Map<String, Tensor> answer = Safetensors.load(folder.resolve("answer"));
        assertEquals(Set.of("outputs"), answer.keySet());
        assertArrayEquals(new float[] {0, 3}, answer.get("outputs").floats());
        ask(query(new float[] {1, 2}, 0, 1).put("gradients", true));
        answer = Safetensors.load(folder.resolve("answer"));
        assertTrue(answer.get("outputs").hasShape(2, 2));
        assertArrayEquals(new float[] {1, 1}, answer.get("x.grad").floats());
        assertTrue(answer.get("x.grad").hasShape(2, 1));
    }

    @Test
    void refusesQueriesThatHaveNoAnswer() throws IOException {
        receive();
        assertEquals("bad_request", ask(query(new float[] {1})).get(0).get("code").textValue());
        ask(prepare());
        ObjectNode unlabelled = query(new float[] {1}).put("gradients", true);
        assertEquals("bad_input", ask(unlabelled).get(0).get("code").textValue());
        assertEquals("bad_input", ask(query(new float[0])).get(0).get("code").textValue());
        ObjectNode endless = query(new float[] {Float.POSITIVE_INFINITY});
        assertEquals("not_finite", ask(endless).get(0).get("code").textValue());
        assertFalse(Files.exists(folder.resolve("answer")));
    }

    @Test
    void onlyAStepMayHaveDropout() throws IOException {
        receive();
        ask(prepare());
        query(new float[] {1}, 0);
        ObjectNode probe = Reporter.event("probe")
                .put("step", 1)
                .put("batch", folder.resolve("batch").toString())
                .put("state", folder.resolve("weights").toString())
                .put("directory", folder.toString())
                .put("dropout", true);
        probe.putArray("wanted");
        assertEquals("dropout in a probe",
                ask(probe.put("mode", "train")).get(0).get("feature").textValue());
        assertEquals("bad_request", ask(probe.put("mode", "eval")).get(0).get("code").textValue());
        assertEquals("done", ask(probe.put("dropout", false)).get(0).get("type").textValue());
    }

    @Test
    void writesNoModels() throws IOException {
        receive();
        ask(prepare());
        ObjectNode request = Reporter.event("serialize").put("path", folder.resolve("model").toString());
        assertEquals("serialization", ask(request).get(0).get("feature").textValue());
        assertEquals("format onnx", ask(request.put("format", "onnx")).get(0).get("feature").textValue());
    }

    @Test
    void refusesWhatMakesNoSenseAndGoesOn() throws IOException {
        receive();
        assertEquals("bad_request", ask(Reporter.event("train")).get(0).get("code").textValue());
        assertEquals("bad_request", ask(Reporter.event("dance")).get(0).get("code").textValue());
        ObjectNode request = prepare();
        Files.delete(folder.resolve("data"));
        assertEquals("bad_input", ask(request).get(0).get("code").textValue());
        ObjectNode lacking = prepare();
        ((ObjectNode) lacking.at("/graph/nodes/0/fields")).put("bias", true);
        assertEquals("linear.bias=true", ask(lacking).get(0).get("feature").textValue());
        assertTrue(ask(Reporter.event("infer")).get(0).get("message").textValue().contains("prepare"));
    }
}
