package io.shardsim.scenarios.importing;

import io.shardsim.scenarios.importing.Fact.Rank;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.yaml.YamlReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The scenario under construction from several files: facts by dotted scenario key, such as {@code training.micro_batch}, or by a name of its own
 * where a scenario has no such key (such as {@link #ACCUMULATION}).
 *
 * <p>If two keys contradict each other, the later one is a problem, as in the frameworks themselves.
 */
final class Draft {
    /** Micro-batches per optimizer update. */
    static final String ACCUMULATION = "accumulation";
    /** Number of GPUs. */
    static final String WORLD = "world";
    /** Number of GPUs as the product of device-mesh degrees; unlike a launcher's number, it holds for any number of nodes. */
    static final String MESH = "mesh";
    /** Copies of the sharded states, where the shard group follows from the number of GPUs. */
    static final String REPLICAS = "replicas";
    /** Model replicas, which share the global batch; known at the end. */
    static final String COPIES = "copies";
    /** GPUs used per node. */
    static final String GPUS_PER_NODE = "gpus_per_node";
    /** Name of a published model on the Hugging Face Hub. */
    static final String HUB_NAME = "hub_name";

    static final String INSTANCE = "cluster.instance";
    static final String NODES = "cluster.nodes";
    static final String SEQUENCE = "training.sequence_length";
    static final String GLOBAL_BATCH = "training.global_batch";
    static final String MICRO_BATCH = "training.micro_batch";
    static final String PRECISION = "training.precision";
    static final String CHECKPOINTING = "training.activation_checkpointing";
    static final String ATTENTION = "training.attention";
    static final String CLIPPING = "training.gradient_clipping";
    static final String KIND = "strategy.kind";
    static final String KERNELS = "training.kernels";
    static final String PROFILE = "strategy.framework_profile";

    private final Map<String, Fact> facts = new LinkedHashMap<>();
    private final List<Consumer<Draft>> later = new ArrayList<>();
    private final List<Consumer<Draft>> atEnd = new ArrayList<>();

    /** Adds what the table of the file's kind defines: values of keys, and the framework's defaults. */
    void giveByTable(ForeignFile file) {
        boolean described = file.has("num-layers") || file.has("model_type");
        file.table().defaults().forEach((name, text) -> {
            if (name.equals("training.dropout")) {
                // If another file describes the model, this file does not set it.
                afterwards(done -> {
                    if (described || done.block("model").isEmpty()) {
                        byDefault(name, value(text), "the framework's default");
                    }
                });
            } else if (described || !name.startsWith("model.")) {
                byDefault(name, value(text), "the framework's default");
            }
        });
        file.table().reads().stream()
                .filter(row -> described || !has("model") || !row.text("as", "").startsWith("model."))
                .forEach(row -> giveRow(row, file));
        file.table().asks().forEach((path, why) -> {
            ForeignKey key = file.raw(path);
            atEnd(whole -> {
                if (key != null && !key.isSet() && required(whole, SEQUENCE).rank() == Rank.ASSUMED) {
                    key.refuse(path + " is empty, and " + why + "; write it, or give --sequence-length N");
                }
            });
        });
        if (file.table().mesh().stream().findFirst().filter(file::has).isPresent()) {
            giveMesh(file, file.table().mesh());
        }
    }

    private static Object value(String text) {
        boolean flag = text.equals("true") || text.equals("false");
        return text.matches("\\d+") ? Long.valueOf(text) : flag ? Boolean.valueOf(text) : text;
    }

    private void giveRow(Block row, ForeignFile file) {
        String name = row.text("as", "");
        Object value = switch (row.text("type", "")) {
            case "whole" -> isSettled(file, name, name) ? null : file.whole(name, 1, Integer.MAX_VALUE);
            case "decimal" -> file.decimal(name, 0, 1e9);
            case "flag" -> file.flag(name);
            case "text" -> file.text(name);
            case "words" -> file.words(name);
            case "names" ->
                row.<String>map("to").entrySet().stream()
                        .filter(each -> file.flag(each.getKey(), false))
                        .flatMap(each -> Stream.of(each.getValue().split(" ")))
                        .toList();
            default -> null;
        };
        give(name, List.of().equals(value) ? null : value, file.key(name));
    }

    /** Adds the value of a file's key. */
    void give(String name, @Nullable Object value, @Nullable ForeignKey key) {
        if (value == null || key == null) {
            return;
        }
        Fact known = facts.get(name);
        Fact fact = new Fact(value, Rank.GIVEN, key, "");
        if (known == null || known.rank().compareTo(Rank.GIVEN) < 0) {
            facts.put(name, fact);
        } else if (known.rank() == Rank.GIVEN && !known.value().equals(value)) {
            refuse(name, key, known);
        } else if (!known.value().equals(value)) {
            key.judge(Verdict.IRRELEVANT, "overridden by " + known.origin());
        }
    }

    /** Whether the command line sets what a key leaves open. */
    boolean isSettled(ForeignFile file, String path, String name) {
        ForeignKey key = file.key(path);
        Fact known = facts.get(name);
        if (key == null || known == null || known.rank() != Rank.CHOSEN || !file.isOpen(key)) {
            return false;
        }
        key.judge(Verdict.IRRELEVANT, "overridden by " + known.origin());
        return true;
    }

    /** Adds an integer from a file's key. */
    @Nullable
    Long giveWhole(ForeignFile file, String key, String name, long min, long max) {
        if (isSettled(file, key, name)) {
            return null;
        }
        Long value = file.whole(key, min, max);
        give(name, value, file.key(key));
        return value;
    }

    /** Adds a degree of parallelism; 1 is the same as none. */
    void giveDegree(ForeignFile file, String key, String name, long min) {
        Long parts = file.whole(key, min, 65_536);
        give(name, parts == null || parts <= 1 ? null : parts, file.key(key));
    }

    /** Adds the degrees of a device mesh; problems are reported at the first one. */
    void giveMesh(ForeignFile file, List<String> degrees) {
        long ranks = 1;
        List<String> factors = new ArrayList<>();
        for (String degree : degrees) {
            Long size = file.whole(degree, -1, 65_536);
            if (size != null && (size > 1 || factors.isEmpty())) {
                ranks *= Math.max(1, size);
                factors.add(degree.substring(degree.lastIndexOf('.') + 1) + " " + size);
            }
        }
        ForeignKey key = file.key(degrees.get(0));
        give(WORLD, ranks, key);
        String product = factors.size() == 1 ? ":" : " =";
        settle(MESH, new Fact(ranks, Rank.GIVEN, key, String.join(" x ", factors) + product + " " + ranks));
    }

    void giveDecimal(ForeignFile file, String key, String name, double min, double max) {
        give(name, file.decimal(key, min, max), file.key(key));
    }

    @Nullable
    Boolean giveFlag(ForeignFile file, String key, String name) {
        Boolean value = file.flag(key);
        give(name, value, file.key(key));
        return value;
    }

    void giveText(ForeignFile file, String key, String name) {
        give(name, file.text(key), file.key(key));
    }

    /** Adds a value if a file's key is true. */
    void giveIf(ForeignFile file, String key, String name, Object value) {
        give(name, file.flag(key, false) ? value : null, file.key(key));
    }

    /** Adds the value of a file's key, or the framework's default if the key is missing. */
    void giveOr(String name, Object value, @Nullable ForeignKey key, String why) {
        if (key == null) {
            byDefault(name, value, why);
        } else {
            give(name, value, key);
        }
    }

    private static void refuse(String name, ForeignKey key, Fact known) {
        ForeignKey other = known.key();
        key.refuse(key.path() + " " + YamlReader.printable(key.text()) + " contradicts "
                + (other == null ? known.origin() : other.reference() + " " + YamlReader.printable(other.text()))
                + "; make them agree" + (name.equals(NODES) ? ", or give --nodes N" : ""));
    }

    /** Adds the framework's default, which any file overrides. */
    void byDefault(String name, Object value, String why) {
        Fact known = facts.get(name);
        if (known == null || known.rank() == Rank.ASSUMED) {
            facts.put(name, new Fact(value, Rank.DEFAULT, null, why));
        }
    }

    /** Adds an assumption, unless the value is known. */
    void assume(String name, Object value, String why) {
        facts.putIfAbsent(name, new Fact(value, Rank.ASSUMED, null, why));
    }

    /** Adds a value from the command line. */
    void choose(String name, @Nullable Object value, String option) {
        if (value != null) {
            facts.put(name, new Fact(value, Rank.CHOSEN, null, option));
        }
    }

    /** Replaces a fact by one derived from others. */
    void settle(String name, Fact fact) {
        facts.put(name, fact);
    }

    void remove(String name) {
        facts.remove(name);
    }

    /** Runs a step once all files are read. */
    void afterwards(Consumer<Draft> step) {
        later.add(step);
    }

    void runLater() {
        later.forEach(step -> step.accept(this));
    }

    /** Runs a step once the scenario is complete, assumptions included. */
    void atEnd(Consumer<Draft> step) {
        atEnd.add(step);
    }

    void runAtEnd() {
        atEnd.forEach(step -> step.accept(this));
    }

    @Nullable
    Fact fact(String name) {
        return facts.get(name);
    }

    /** Returns a fact that an earlier step has settled. */
    static Fact required(Draft draft, String name) {
        Fact fact = draft.fact(name);
        if (fact == null) {
            throw new IllegalStateException("nothing settled " + name);
        }
        return fact;
    }

    boolean has(String name) {
        return facts.containsKey(name);
    }

    @Nullable
    Long whole(String name) {
        Fact fact = facts.get(name);
        return fact == null ? null : (Long) fact.value();
    }

    long whole(String name, long otherwise) {
        Long value = whole(name);
        return value == null ? otherwise : value;
    }

    @Nullable
    String text(String name) {
        Fact fact = facts.get(name);
        return fact == null ? null : (String) fact.value();
    }

    /** Facts of a scenario block, by key within the block. */
    Map<String, Fact> block(String block) {
        Map<String, Fact> inside = new LinkedHashMap<>();
        facts.forEach((name, fact) -> {
            if (name.startsWith(block + ".")) {
                inside.put(name.substring(block.length() + 1), fact);
            }
        });
        return inside;
    }
}
