package crossbind.worker;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.StreamSupport;

/**
 * The safetensors format: 8 bytes little-endian header length, a JSON header that gives each tensor's type,
 * shape and byte range, then the data. Reading accepts exactly what the format allows.
 */
public final class Safetensors {
    private static final long LARGEST_HEADER = 100_000_000;
    private static final int MOST_DIMENSIONS = 64;
    private static final Set<String> KEYS = Set.of("dtype", "shape", "data_offsets");
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** How the bytes of a tensor come out of the file. */
    private interface Source {
        ByteBuffer bytes(RandomAccessFile file, long begin, int length) throws IOException;
    }

    /** What the header says of a tensor; its bytes are counted from the end of the header. */
    private record Entry(String name, Tensor.Type type, long[] shape, long begin, long end) {}

    private Safetensors() {}

    /** All tensors of a file, as views of its memory map. */
    public static Map<String, Tensor> map(Path path) {
        return read(path, (file, begin, length) ->
                file.getChannel().map(MapMode.READ_ONLY, begin, length));
    }

    /** All tensors of a file, in memory, so that the file may go. */
    public static Map<String, Tensor> load(Path path) {
        return read(path, (file, begin, length) -> {
            byte[] bytes = new byte[length];
            file.seek(begin);
            file.readFully(bytes);
            return ByteBuffer.wrap(bytes);
        });
    }

    private static Map<String, Tensor> read(Path path, Source source) {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
            long length = headerLength(file);
            Map<String, Tensor> tensors = new LinkedHashMap<>();
            for (Entry entry : entries(header(file, (int) length), file.length() - 8 - length)) {
                int size = Math.toIntExact(entry.end() - entry.begin());
                ByteBuffer bytes = size == 0
                        ? ByteBuffer.allocate(0)
                        : source.bytes(file, 8 + length + entry.begin(), size);
                tensors.put(entry.name(), new Tensor(entry.type(), entry.shape(), bytes));
            }
            return tensors;
        } catch (IOException | IllegalArgumentException | ArithmeticException error) {
            throw new Failed("bad_input", path + ": " + error.getMessage(), error);
        }
    }

    private static long headerLength(RandomAccessFile file) throws IOException {
        if (file.length() < 8) {
            throw new IOException("too short for a safetensors file (" + file.length() + " bytes)");
        }
        long length = Long.reverseBytes(file.readLong());
        if (length < 0 || length > Math.min(LARGEST_HEADER, file.length() - 8)) {
            throw new IOException("the header claims " + Long.toUnsignedString(length) + " bytes");
        }
        return length;
    }

    private static JsonNode header(RandomAccessFile file, int length) throws IOException {
        byte[] text = new byte[length];
        file.readFully(text);
        JsonNode header = JSON.readTree(text);
        if (!header.isObject()) {
            throw new IOException("the header is not a JSON object");
        }
        return header;
    }

    private static List<Entry> entries(JsonNode header, long available) throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (Map.Entry<String, JsonNode> member : header.properties()) {
            if (!member.getKey().equals("__metadata__")) {
                entries.add(entry(member.getKey(), member.getValue()));
            }
        }
        long end = 0;
        entries.sort(Comparator.comparingLong(Entry::begin).thenComparingLong(Entry::end));
        for (Entry entry : entries) {
            if (entry.begin() != end) {
                throw new IOException("the tensors overlap or leave bytes that belong to none");
            }
            end = entry.end();
        }
        if (end != available) {
            throw new IOException("the tensors have " + end + " bytes, the file holds " + available);
        }
        return entries;
    }

    private static Entry entry(String name, JsonNode json) throws IOException {
        if (!json.isObject() || !namesOf(json).equals(KEYS)) {
            throw new IOException("tensor '" + name + "' needs exactly dtype, shape and data_offsets");
        }
        Tensor.Type type;
        try {
            type = Tensor.Type.valueOf(json.get("dtype").asText());
        } catch (IllegalArgumentException unknown) {
            throw new IOException("tensor '" + name + "' has the type " + json.get("dtype"), unknown);
        }
        long[] shape = naturals(json.get("shape"), name);
        long[] offsets = naturals(json.get("data_offsets"), name);
        if (offsets.length != 2 || shape.length > MOST_DIMENSIONS) {
            throw new IOException("the shape or data_offsets of tensor '" + name + "' are too long");
        }
        long size = type.size();
        for (long each : shape) {
            size = Math.multiplyExact(size, each);
        }
        if (offsets[1] - offsets[0] != size) {
            throw new IOException("the bytes of tensor '" + name + "' do not fit its shape");
        }
        return new Entry(name, type, shape, offsets[0], offsets[1]);
    }

    private static Set<String> namesOf(JsonNode json) {
        Set<String> names = new TreeSet<>();
        json.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static long[] naturals(JsonNode json, String name) throws IOException {
        boolean right = json.isArray() && StreamSupport.stream(json.spliterator(), false).allMatch(
                item -> item.isIntegralNumber() && item.canConvertToLong() && item.longValue() >= 0);
        if (!right) {
            throw new IOException("the shape or data_offsets of '" + name + "' are not natural numbers");
        }
        return StreamSupport.stream(json.spliterator(), false).mapToLong(JsonNode::longValue).toArray();
    }

    /** Writes a file that appears whole or not at all. */
    public static void write(Path path, Map<String, Tensor> tensors) throws IOException {
        List<Map.Entry<String, Tensor>> ordered = new ArrayList<>(tensors.entrySet());
        Comparator<Map.Entry<String, Tensor>> bySize =
                Comparator.comparingInt(entry -> -entry.getValue().type().size());
        ordered.sort(bySize.thenComparing(Map.Entry::getKey)); // stays aligned
        Path folder = path.toAbsolutePath().getParent();
        if (!Files.isDirectory(folder)) {
            throw new NoSuchFileException(folder.toString());
        }
        Path temporary = folder.resolve("." + path.getFileName() + "." + ProcessHandle.current().pid());
        try {
            try (OutputStream file = Files.newOutputStream(temporary)) {
                writeTo(file, ordered);
            }
            Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    private static void writeTo(OutputStream file, List<Map.Entry<String, Tensor>> tensors)
            throws IOException {
        ObjectNode header = JSON.createObjectNode();
        long offset = 0;
        for (Map.Entry<String, Tensor> entry : tensors) {
            Tensor tensor = entry.getValue();
            long end = offset + tensor.bytes().remaining();
            ObjectNode json = header.putObject(entry.getKey()).put("dtype", tensor.type().name());
            json.set("shape", JSON.valueToTree(tensor.shape()));
            json.putArray("data_offsets").add(offset).add(end);
            offset = end;
        }
        byte[] text = JSON.writeValueAsBytes(header);
        int padding = Math.floorMod(-text.length, 8);
        file.write(ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(text.length + padding)
                .array());
        file.write(text);
        file.write(" ".repeat(padding).getBytes());
        WritableByteChannel channel = Channels.newChannel(file);
        for (Map.Entry<String, Tensor> entry : tensors) {
            channel.write(entry.getValue().bytes());
        }
    }
}
