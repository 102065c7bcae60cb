package crossbind.pytorch;

import ai.djl.engine.Engine;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtEngine;
import crossbind.worker.Hello;
import crossbind.worker.Job;
import crossbind.worker.Model;
import crossbind.worker.Server;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/** The worker pytorch/java. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws IOException {
        if (arguments.length == 1 && arguments[0].equals("--check")) {
            check();
            return;
        }
        try (InputStream manifest = Main.class.getResourceAsStream("/worker.toml")) {
            System.exit(Server.serve(Main::build, Hello.fromManifest(manifest, versions())));
        }
    }

    /** Whether PyTorch can be loaded and computes; a setup ends with it. */
    private static void check() {
        try (NDManager manager = NDManager.newBaseManager(PtEngine.ENGINE_NAME)) {
            if (manager.ones(new Shape(2)).sum().getFloat() != 2) {
                throw new IllegalStateException("PyTorch does not compute");
            }
        }
    }

    private static Map<String, String> versions() {
        return Map.of(
                "worker", "1",
                "java", Runtime.version().toString(),
                "djl", Engine.getDjlVersion(),
                "torch", Engine.getEngine(PtEngine.ENGINE_NAME).getVersion());
    }

    private static Model<?, ?> build(Job job) {
        return job.serialized().isPresent()
                ? new SerializedModel(job, job.serialized().get().path())
                : new TrainingModel(job);
    }
}
