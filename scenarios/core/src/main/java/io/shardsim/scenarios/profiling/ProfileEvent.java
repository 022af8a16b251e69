package io.shardsim.scenarios.profiling;

import io.shardsim.simulator.compute.Kernel;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;

/** An event of a profile, reduced to the fields that are used. */
final class ProfileEvent {
    /** Size of an element by data type [bytes]. */
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

    /** Operators that are GEMMs, and the number of operands before their factors. */
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

    /** Reads an event; the parser is at its start. */
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
            // The whole buffer is the output of an all-gather, the input of a reduce-scatter, both of other kinds.
            case "In msg nelems", "Out msg nelems" -> elements = Math.max(elements, value);
            default -> {
                // Not used.
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

    /** Stream of a kernel; empty if not stated. */
    String stream() {
        return stream;
    }

    /** Name and ranks of a collective's process group; empty if not stated. */
    String group() {
        return group;
    }

    /** ID that a kernel shares with its launch; 0 for none. */
    long correlation() {
        return correlation;
    }

    /**
     * ID that kernels share with the operator that launched them; 0 for none. Profiles from before PyTorch 2 repeat the correlation ID here.
     */
    long operation() {
        return operation == correlation ? 0 : operation;
    }

    /** The BF16 or FP16 GEMM of an operator; null for other operators, or without shapes. */
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

    /** Size of a copy, or of a collective's whole buffer; 0 if not stated. */
    long bytes() {
        return bytes > 0 ? bytes : elements * ELEMENT_BYTES.getOrDefault(elementType, 0);
    }
}
