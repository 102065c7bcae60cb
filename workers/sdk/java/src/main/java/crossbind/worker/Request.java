package crossbind.worker;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What crossbind asks for, typed. Members that are not known here are ignored. */
sealed interface Request {

    /** The file of the samples; only the first ones of each split count. */
    record DataFile(Path path, int trainSamples, int testSamples) {}

    /** Build a model. One of weights and serialized is there; the format is that of the latter. */
    record Prepare(
            Graph graph,
            Optional<Path> weights,
            Optional<Path> serialized,
            Optional<String> format,
            Optional<DataFile> data,
            Optional<Path> order,
            Settings settings,
            Path scratch) implements Request {}

    /** Train it. */
    record Train(Optional<Path> save, long evidence) implements Request {}

    /** Infer the test set. */
    record Infer(Optional<Path> outputs) implements Request {}

    /** Take one step apart. Without a state, in mode eval, it starts from what was prepared. */
    record Probe(
            long id,
            Model.Mode mode,
            int step,
            Path batch,
            Optional<Path> state,
            List<String> wanted,
            Path directory) implements Request {}

    /** Answer for one batch. */
    record Query(Path batch, boolean gradients, Path answer) implements Request {}

    /** Write the model. No worker in Java does, whatever else is asked of the file. */
    record Serialize(Optional<String> format) implements Request {}

    static Request parse(JsonNode message) {
        Members members = new Members(message);
        long id = members.integer("id", 0, Members.LARGEST_INTEGER);
        String type = members.text("type");
        return switch (type) {
            case "prepare" -> prepare(members);
            case "train" -> new Train(
                    members.optionalPath("save"),
                    members.has("evidence") ? members.integer("evidence", -1, Members.LARGEST_INTEGER) : 0);
            case "infer" -> new Infer(members.optionalPath("outputs"));
            case "probe" -> probe(id, members);
            case "query" -> new Query(
                    members.path("batch"), members.optionalTruth("gradients"), members.path("answer"));
            case "serialize" -> new Serialize(members.optionalText("format"));
            default -> throw Failed.badRequest("there is no request '" + type + "'");
        };
    }

    private static Prepare prepare(Members members) {
        if (members.has("weights") == members.has("serialized")) {
            throw Failed.badRequest("one of 'weights' and 'serialized' must be there, not both");
        }
        return new Prepare(
                Graph.parse(members.members("graph")),
                members.optionalPath("weights"),
                members.optionalPath("serialized"),
                members.optionalText("format"),
                members.has("data") ? Optional.of(data(members.members("data"))) : Optional.empty(),
                members.optionalPath("order"),
                Settings.parse(members.members("settings")),
                members.path("scratch"));
    }

    private static DataFile data(Members members) {
        return new DataFile(
                members.path("path"), members.count("train_samples", 0), members.count("test_samples", 0));
    }

    private static Probe probe(long id, Members members) {
        Model.Mode mode = mode(members);
        return new Probe(
                id,
                mode,
                members.count("step", 1),
                members.path("batch"),
                mode.trains() ? Optional.of(members.path("state")) : members.optionalPath("state"),
                members.texts("wanted"),
                members.path("directory"));
    }

    private static Model.Mode mode(Members members) {
        boolean train = members.word("mode", List.of("train", "eval")).equals("train");
        boolean dropout = members.optionalTruth("dropout");
        if (dropout && !train) {
            throw Failed.badRequest("'dropout' is for the mode 'train'");
        }
        return dropout ? Model.Mode.STEP_WITH_DROPOUT : train ? Model.Mode.STEP : Model.Mode.EVALUATION;
    }
}
