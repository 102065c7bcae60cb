package crossbind.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The file format, both ways. */
class SafetensorsTest {
    @TempDir
    Path folder;

    private Path path;

    @BeforeEach
    void name() {
        path = folder.resolve("a.safetensors");
    }

    @Test
    void whatIsWrittenIsReadBack() throws IOException {
        Tensor floats = Tensor.of(new float[] {1, -2.5f, Float.NaN, 0, 3, 4}, 2, 3);
        Tensor longs = Tensor.of(new long[] {Long.MIN_VALUE, 7}, 2);
        Tensor empty = Tensor.of(new float[0], 0, 5);
        Safetensors.write(path, Map.of("floats", floats, "longs", longs, "empty", empty));
        List<Function<Path, Map<String, Tensor>>> readers = List.of(Safetensors::load, Safetensors::map);
        for (Function<Path, Map<String, Tensor>> reader : readers) {
            Map<String, Tensor> read = reader.apply(path);
            assertEquals(3, read.size());
            assertArrayEquals(floats.floats(), read.get("floats").floats());
            assertArrayEquals(longs.longs(), read.get("longs").longs());
            assertTrue(read.get("floats").hasShape(2, 3));
            assertTrue(read.get("empty").hasShape(0, 5));
        }
    }

    @Test
    void nothingIsLeftOfAFileThatCannotBeWritten() {
        Path nowhere = folder.resolve("missing").resolve("a.safetensors");
        assertThrows(IOException.class, () -> Safetensors.write(nowhere, Map.of()));
        assertEquals(0, folder.toFile().list().length);
    }

    @Test
    void aFileThatIsNotThereIsBadInput() {
        assertEquals("bad_input", assertThrows(Failed.class, () -> Safetensors.load(path)).code());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "",
        "[]",
        "{\"a\":1}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}",
        "{\"a\":{\"dtype\":\"F33\",\"shape\":[1],\"data_offsets\":[0,4]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[1.0],\"data_offsets\":[0,4]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,4]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
                + "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
                + "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
    })
    void aMalformedHeaderIsBadInput(String header) throws IOException {
        write(header.length(), header);
        assertEquals("bad_input", assertThrows(Failed.class, () -> Safetensors.load(path)).code());
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 3, 100, Long.MAX_VALUE})
    void aWrongLengthIsBadInput(long length) throws IOException {
        write(length, "{}");
        assertEquals("bad_input", assertThrows(Failed.class, () -> Safetensors.load(path)).code());
    }

    /** A file with four bytes behind the header. */
    private void write(long length, String header) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(12 + header.length()).order(ByteOrder.LITTLE_ENDIAN);
        Files.write(path, bytes.putLong(length).put(header.getBytes()).array());
    }
}
