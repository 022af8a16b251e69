package io.shardsim.scenarios.profiling;

import io.shardsim.simulator.compute.Kernel;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;

/** An event of a profile, as far as it is of interest. */
final class ProfileEvent {
    /** Of elements of collectives [bytes]. */
    private static final Map<String, Integer> ELEMENT_BYTES = Map.ofEntries(
            Map.entry("float", 4),
            Map.entry("float32", 4),
            Map.entry("int", 4),
            Map.entry("int32", 4),
            Map.entry("double", 8),
            Map.entry("float64", 8),
            Map.entry("long", 8),
            Map.entry("int64", 8),
            Map.entry("half", 2),
            Map.entry("float16", 2),
            Map.entry("bfloat16", 2),
            Map.entry("short", 2),
            Map.entry("byte", 1),
            Map.entry("char", 1),
            Map.entry("uint8", 1),
            Map.entry("int8", 1),
            Map.entry("bool", 1),
            Map.entry("float8_e4m3fn", 1),
            Map.entry("float8_e5m2", 1));

    /** Operators that are GEMMs, and how many operands stand before their factors. */
    private static final Map<String, Integer> GEMMS =
            Map.of("aten::mm", 0, "aten::bmm", 0, "aten::addmm", 1, "aten::baddbmm", 1);

    private static final long SIDE_MAX = 1 << 20;

    private String category = "";
    private String name = "";
    private @Nullable Long startNs;
    private @Nullable Long durationNs;
    private long correlation;
    private long bytes;
    private long elements;
    private String elementType = "";
    private String stream = "";
    private String group = "";
    private long operation;
    private @Nullable JsonNode shapes;
    private @Nullable JsonNode types;

    /** Reads one, of which the parser has the beginning. */
    ProfileEvent(JsonParser parser) {
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String key = parser.currentName();
            JsonToken value = parser.nextToken();
            if (key.equals("args") && value == JsonToken.START_OBJECT) {
                readArguments(parser);
            } else if (value.isNumeric() && key.equals("ts")) {
                startNs = ProfileReader.ns(parser);
            } else if (value.isNumeric() && key.equals("dur")) {
                durationNs = ProfileReader.ns(parser);
            } else if (key.equals("cat")) {
                category = parser.getString();
            } else if (key.equals("name")) {
                name = parser.getString();
            } else {
                parser.skipChildren();
            }
        }
    }

    private void readArguments(JsonParser parser) {
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String key = parser.currentName();
            JsonToken value = parser.nextToken();
            if (value == JsonToken.VALUE_NUMBER_INT) {
                readNumber(key, parser.getLongValue());
            } else if (key.equals("Input Dims") && GEMMS.containsKey(name)) {
                shapes = parser.readValueAsTree();
            } else if (key.equals("Input type") && GEMMS.containsKey(name)) {
                types = parser.readValueAsTree();
            } else if (key.equals("dtype") && value == JsonToken.VALUE_STRING) {
                elementType = parser.getString().toLowerCase(Locale.ROOT);
            } else if (key.startsWith("Process Group") && !key.endsWith("Description")) {
                group += parser.getString() + " ";
            } else {
                parser.skipChildren();
            }
        }
    }

    private void readNumber(String key, long value) {
        switch (key) {
            case "correlation" -> correlation = value;
            case "External id" -> operation = value;
            case "bytes" -> bytes = value;
            case "stream" -> stream = String.valueOf(value);
            // Of a gather the output is whole, of a reduce-scatter the input, of others both.
            case "In msg nelems", "Out msg nelems" -> elements = Math.max(elements, value);
            default -> {
                // Of no interest.
            }
        }
    }

    String category() {
        return category;
    }

    String name() {
        return name;
    }

    @Nullable
    Long startNs() {
        return startNs;
    }

    @Nullable
    Long durationNs() {
        return durationNs;
    }

    /** Of a kernel; empty where it does not say. */
    String stream() {
        return stream;
    }

    /** Name and ranks of those that a collective joins; empty where it does not say. */
    String group() {
        return group;
    }

    /** Of a launch and its kernel; 0 for none. */
    long correlation() {
        return correlation;
    }

    /** Of an operator and the kernels that it launched; 0 for none, as in profiles before PyTorch 2, which repeat the correlation there. */
    long operation() {
        return operation == correlation ? 0 : operation;
    }

    /** The GEMM that an operator computes in 16 bits; null where it does not say, or is another. */
    Kernel.@Nullable Matmul gemm() {
        int first = GEMMS.getOrDefault(name, 0);
        if (shapes == null || types == null || !types.path(first).asString("").matches("c10::(BFloat16|Half)")) {
            return null;
        }
        JsonNode left = shapes.path(first);
        int rows = left.size() - 2;
        long batch = rows > 0 ? left.path(0).asLong() : 1;
        long columns = shapes.path(first + 1).path(rows + 1).asLong();
        long[] sides = {
            batch, left.path(rows).asLong(), columns, left.path(rows + 1).asLong()
        };
        return Arrays.stream(sides).allMatch(side -> side > 0 && side <= SIDE_MAX)
                ? new Kernel.Matmul("profile", sides[0], sides[1], sides[2], sides[3])
                : null;
    }

    /** Of a copy, or of a collective's whole buffer; 0 where it does not say. */
    long bytes() {
        return bytes > 0 ? bytes : elements * ELEMENT_BYTES.getOrDefault(elementType, 0);
    }
}
