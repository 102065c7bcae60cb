package crossbind.tensorflow;

import crossbind.worker.Hello;
import crossbind.worker.Server;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Properties;
import org.tensorflow.Graph;
import org.tensorflow.Result;
import org.tensorflow.Session;
import org.tensorflow.TensorFlow;
import org.tensorflow.op.Ops;
import org.tensorflow.types.TFloat32;

/** The worker tensorflow/java. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws IOException {
        if (arguments.length == 1 && arguments[0].equals("--check")) {
            check();
            return;
        }
        Threads threads = new Threads();
        try (InputStream manifest = Main.class.getResourceAsStream("/worker.toml")) {
            System.exit(Server.serve(
                    job -> job.serialized().isPresent()
                            ? new SerializedModel(job, job.serialized().get().path(), threads)
                            : new TrainingModel(job, threads),
                    Hello.fromManifest(manifest, versions())));
        }
    }

    /** Whether TensorFlow can be loaded and computes; a setup ends with it. */
    private static void check() {
        try (Graph graph = new Graph(); Session session = new Session(graph)) {
            Ops tf = Ops.create(graph);
            try (Result two = session.runner()
                    .fetch(tf.math.add(tf.constant(1f), tf.constant(1f)))
                    .run()) {
                if (((TFloat32) two.get(0)).getFloat() != 2) {
                    throw new IllegalStateException("TensorFlow does not compute");
                }
            }
        }
    }

    private static Map<String, String> versions() throws IOException {
        Properties binding = new Properties();
        try (InputStream file = Ops.class.getResourceAsStream(
                "/META-INF/maven/org.tensorflow/tensorflow-core-api/pom.properties")) {
            binding.load(file);
        }
        return Map.of(
                "worker", "1",
                "java", Runtime.version().toString(),
                "tensorflow-java", binding.getProperty("version"),
                "tensorflow", TensorFlow.version());
    }
}
