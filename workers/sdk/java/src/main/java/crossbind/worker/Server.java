package crossbind.worker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;

/** A worker's main loop: one request after the other, each with exactly one reply. */
public final class Server {
    private static final int PROTOCOL = 1;

    private final Connection connection;
    private final Dispatcher dispatcher;

    private Server(Connection connection, Dispatcher dispatcher) {
        this.connection = connection;
        this.dispatcher = dispatcher;
    }

    /** Speaks for a binding until crossbind says bye; the exit status of the worker. */
    public static int serve(Model.Builder builder, Hello hello) {
        String endpoint = System.getenv("CROSSBIND_ENDPOINT");
        if (endpoint == null || endpoint.isEmpty()) {
            System.err.println(
                    "worker: CROSSBIND_ENDPOINT is not set; crossbind sets it when it starts a worker");
            return 2;
        }
        return serve(builder, hello, endpoint, System.getenv().getOrDefault("CROSSBIND_TOKEN", ""));
    }

    static int serve(Model.Builder builder, Hello hello, String endpoint, String token) {
        try {
            Connection connection = new Connection(Endpoint.connect(endpoint));
            connection.send(greeting(hello, token));
            new Server(connection, new Dispatcher(builder, hello)).run();
            connection.close();
            return 0;
        } catch (IOException error) {
            System.err.println("worker: cannot talk to " + endpoint + ": " + error.getMessage());
            return 1;
        }
    }

    private static ObjectNode greeting(Hello hello, String token) {
        ObjectNode greeting = Reporter.event("hello")
                .put("protocol", PROTOCOL)
                .put("token", token)
                .put("binding", hello.binding());
        hello.versions().forEach(greeting.putObject("versions")::put);
        greeting.set("capabilities", hello.capabilities());
        return greeting;
    }

    private void run() {
        JsonNode message = connection.next();
        for (; !message.get("type").textValue().equals("bye"); message = connection.next()) {
            if (!message.get("type").textValue().equals("welcome")) {
                answer(message);
            }
        }
        if (message.path("reason").isTextual()) {
            System.err.println("worker: crossbind said bye: " + message.get("reason").textValue());
        }
    }

    private void answer(JsonNode message) {
        JsonNode id = message.get("id");
        Reporter reporter = new Reporter(
                event -> connection.send(event.set("id", id)), () -> connection.isCancelled(id));
        ObjectNode reply = reply(message, reporter);
        connection.finished(id);
        try {
            connection.send(reply.set("id", id));
        } catch (Failed error) { // the reply holds a number that is not finite
            ObjectNode failed = failed(error.code(), error.getMessage());
            connection.send(failed.set("id", id));
        }
    }

    /** The reply to a request, whatever happens. */
    private ObjectNode reply(JsonNode message, Reporter reporter) {
        try {
            return dispatcher.perform(Request.parse(message), reporter).put("type", "done");
        } catch (Unsupported error) {
            return Reporter.event("unsupported").put("feature", error.getMessage());
        } catch (Failed error) {
            return failed(error.code(), error.getMessage());
        } catch (OutOfMemoryError error) {
            return failed("out_of_memory", error.getMessage());
        } catch (Throwable error) { // not only exceptions: a binding may miss a symbol of its library
            error.printStackTrace();
            return failed("internal", error.toString());
        }
    }

    private static ObjectNode failed(String code, String message) {
        return Reporter.event("failed").put("code", code).put("message", message);
    }
}
