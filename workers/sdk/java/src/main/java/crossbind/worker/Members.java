package crossbind.worker;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Members of a JSON object, checked. Whatever is wrong is the sender's mistake: bad_request. */
final class Members {
    static final long LARGEST_INTEGER = (1L << 53) - 1;

    private final JsonNode object;

    Members(JsonNode object) {
        this.object = object;
    }

    boolean has(String key) {
        return object.has(key);
    }

    String text(String key) {
        return member(key, object.path(key).isTextual(), "a text").textValue();
    }

    boolean truth(String key) {
        return member(key, object.path(key).isBoolean(), "true or false").booleanValue();
    }

    /** False where it is not there. */
    boolean optionalTruth(String key) {
        return has(key) && truth(key);
    }

    Members members(String key) {
        return new Members(object(key));
    }

    JsonNode object(String key) {
        return member(key, object.path(key).isObject(), "an object");
    }

    long integer(String key, long least, long most) {
        JsonNode value = member(key, object.path(key).canConvertToLong() && isInteger(key), "an integer");
        if (value.longValue() < least || value.longValue() > most) {
            throw Failed.badRequest(
                    "'%s' is %s, not from %d to %d".formatted(key, value, least, most));
        }
        return value.longValue();
    }

    int count(String key, int least) {
        return (int) integer(key, least, Integer.MAX_VALUE);
    }

    String word(String key, List<String> words) {
        String value = text(key);
        if (!words.contains(value)) {
            throw Failed.badRequest(
                    "'%s' is '%s', not one of %s".formatted(key, value, String.join(", ", words)));
        }
        return value;
    }

    List<String> texts(String key) {
        return list(key, JsonNode::isTextual, JsonNode::textValue, "texts");
    }

    List<Members> objects(String key) {
        return list(key, JsonNode::isObject, Members::new, "objects");
    }

    long[] shape(String key) {
        Function<JsonNode, Boolean> isSize = size -> size.isIntegralNumber() && size.canConvertToLong()
                && size.longValue() > 0 && size.longValue() <= LARGEST_INTEGER;
        return list(key, isSize, JsonNode::longValue, "integers from 1").stream()
                .mapToLong(Long::longValue)
                .toArray();
    }

    Path path(String key) {
        String value = text(key);
        if (value.isEmpty() || value.indexOf('\0') >= 0) {
            throw Failed.badRequest("'" + key + "' is not a path");
        }
        return Path.of(value);
    }

    Optional<String> optionalText(String key) {
        return has(key) ? Optional.of(text(key)) : Optional.empty();
    }

    Optional<Path> optionalPath(String key) {
        return has(key) ? Optional.of(path(key)) : Optional.empty();
    }

    private boolean isInteger(String key) {
        return object.path(key).isIntegralNumber();
    }

    private JsonNode member(String key, boolean isRight, String word) {
        if (!isRight) {
            throw Failed.badRequest("'" + key + "' is missing or not " + word);
        }
        return object.path(key);
    }

    private <T> List<T> list(
            String key, Function<JsonNode, Boolean> isRight, Function<JsonNode, T> value, String word) {
        List<T> values = new ArrayList<>();
        for (JsonNode item : member(key, object.path(key).isArray(), "a list")) {
            if (!isRight.apply(item)) {
                throw Failed.badRequest("'" + key + "' is not a list of " + word);
            }
            values.add(value.apply(item));
        }
        return values;
    }
}
