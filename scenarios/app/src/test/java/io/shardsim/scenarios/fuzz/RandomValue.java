package io.shardsim.scenarios.fuzz;

import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.simulator.schema.ValueType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/** Draws values that a type of the schema allows, including its limits and their neighbours, and occasionally invalid ones. */
final class RandomValue {
    private static final List<String> JUNK = List.of(
            "",
            "null",
            "true",
            "-1",
            "0",
            "1e400",
            "NaN",
            ".inf",
            "\u0000",
            "\ud83d\ude80",
            "<script>",
            "1 GiB",
            "300 GB/s",
            "15 %",
            "1_000",
            "0x10",
            "99999999999999999999999999",
            "mics",
            "auto",
            "1e-60",
            "1e60");

    private final SplittableRandom random;

    RandomValue(SplittableRandom random) {
        this.random = random;
    }

    boolean oneIn(int times) {
        return random.nextInt(times) == 0;
    }

    <T> T pick(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    String pick(String... values) {
        return values[random.nextInt(values.length)];
    }

    /** Returns a value for a key of this name. */
    Object of(String key, ValueType type) {
        if (oneIn(30)) {
            return pick(JUNK);
        }
        return switch (key) {
            case "model" -> oneIn(2) ? model() : pick(List.copyOf(Catalog.modelNames()));
            case "instance" -> pick(List.copyOf(Catalog.instanceNames()));
            case "gpu" -> pick(List.copyOf(Catalog.gpuNames()));
            case "kind" -> pick(Strategies.kinds());
            case "to", "input" -> pick(List.copyOf(Catalog.storageNames()));
            case "scenario" -> "fuzzed";
            case "algorithm", "gather_algorithm", "reduce_algorithm" ->
                pick("auto", "ring", "tree", "direct", "hierarchical", "nvls", "smddp");
            case "pipeline_schedule" -> pick("simple", "1f1b", "interleaved", "zero-bubble");
            case "partition" -> pick("uniform", "parameters", "balanced");
            case "tensor_parallel", "pipeline_parallel", "context_parallel", "shard_group", "model_chunks" ->
                oneIn(8) ? String.valueOf(ofSchema(type.schema())) : pick("1", "2", "2", "3", "4", "8", "16");
            case "nodes" -> oneIn(10) ? String.valueOf(ofSchema(type.schema())) : pick("1", "2", "3", "4", "8");
            default -> ofSchema(type.schema());
        };
    }

    private Object ofSchema(Map<String, Object> schema) {
        if (schema.get("enum") instanceof List<?> words) {
            return pick(words);
        }
        Object type = schema.get("type");
        if ("boolean".equals(type)) {
            return pick("true", "false");
        }
        if ("integer".equals(type)) {
            return whole(limit(schema, "minimum", 0), limit(schema, "maximum", Long.MAX_VALUE));
        }
        if ("number".equals(type)) {
            return pick(
                    "0",
                    "1",
                    "1.5",
                    "1e-9",
                    "1.0000001",
                    "999.999",
                    "1e9",
                    String.valueOf(limit(schema, "maximum", 1_000_000)));
        }
        if (schema.get("examples") instanceof List<?> examples) {
            String example = String.valueOf(examples.get(random.nextInt(examples.size())));
            return magnitude() + " "
                    + example.substring(example.indexOf(' ') + 1).replaceFirst("^[GMk]", prefix());
        }
        return pick(JUNK);
    }

    /** Returns a quantity, mostly in a common unit. */
    private String prefix() {
        return pick("G", "G", "M", "k", "T", "");
    }

    private static long limit(Map<String, Object> schema, String key, long otherwise) {
        return schema.get(key) instanceof Number number ? number.longValue() : otherwise;
    }

    private String whole(long min, long max) {
        long between = Math.max(min, Math.min(max, 1 + random.nextInt(99)));
        return switch (random.nextInt(12)) {
            case 0 -> Long.toString(min);
            case 1 -> Long.toString(max);
            case 2 -> Long.toString(min - 1);
            case 3 -> max == Long.MAX_VALUE ? "9223372036854775808" : Long.toString(max + 1);
            case 4 -> Long.toString(random.nextLong(min, max));
            case 5, 6, 7 -> Long.toString(Math.max(min, Math.min(max, 1L << random.nextInt(20))));
            case 8 -> pick("1e3", "+8", "08", "1.0", "2e0", "1e18");
            default -> Long.toString(between);
        };
    }

    private String magnitude() {
        return switch (random.nextInt(8)) {
            case 0 -> "1";
            case 1 -> pick("0", "0.5", "1e-3", "1e-12", "9e15", "9.2e18", "9223372036854775807");
            case 2 -> "1e" + random.nextInt(0, 19);
            case 3 -> Long.toString(1L << random.nextInt(40));
            case 4, 5 -> Integer.toString(random.nextInt(1, 1000));
            default -> String.format(Locale.ROOT, "%.3f", random.nextDouble() * 1000);
        };
    }

    private Map<String, Object> model() {
        Map<String, Object> model = new LinkedHashMap<>();
        int heads = 1 << random.nextInt(7);
        model.put("hidden", oneIn(8) ? whole(1, 262_144) : String.valueOf(heads * (1 << random.nextInt(8))));
        model.put("layers", oneIn(8) ? whole(1, 4_096) : String.valueOf(random.nextInt(1, 40)));
        model.put("heads", String.valueOf(heads));
        model.put("vocab", oneIn(8) ? whole(1, 16_777_216) : pick("1", "1000", "32000", "50257"));
        if (oneIn(3)) {
            model.put("ffn", whole(1, 2_097_152));
        }
        if (oneIn(3)) {
            model.put("kv_heads", String.valueOf(Math.max(1, heads >> random.nextInt(4))));
        }
        if (oneIn(3)) {
            model.put("gated_ffn", pick("true", "false"));
        }
        if (oneIn(4)) {
            model.put("max_positions", whole(0, 16_777_216));
        }
        return model;
    }
}
