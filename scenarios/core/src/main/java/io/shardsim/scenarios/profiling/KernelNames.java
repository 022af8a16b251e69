package io.shardsim.scenarios.profiling;

import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;

/** Classifies kernels by name ({@code kernels.yaml}). */
final class KernelNames {
    private static final String FILE = "/profiling/kernels.yaml";
    private static final List<Entry> ENTRIES = read();

    /** What the GPU does in a kernel. */
    enum Kind {
        COMPUTING,
        COLLECTIVES,
        COPIES
    }

    /**
     * A class of kernels.
     *
     * @param name in words
     */
    record KernelClass(Kind kind, String name) {}

    private record Entry(KernelClass of, Pattern names) {}

    private KernelNames() {}

    static KernelClass of(String name) {
        return ENTRIES.stream()
                .filter(entry -> entry.names().matcher(name).find())
                .findFirst()
                .orElseThrow()
                .of();
    }

    /** All classes of a kind, in the order of the file. */
    static List<KernelClass> all(Kind kind) {
        return ENTRIES.stream()
                .map(Entry::of)
                .filter(each -> each.kind() == kind)
                .toList();
    }

    private static List<Entry> read() {
        Problems problems = new Problems(FILE);
        try (InputStream in = Objects.requireNonNull(KernelNames.class.getResourceAsStream(FILE), FILE)) {
            List<Entry> entries = new ArrayList<>();
            for (YamlNode.Entry kind :
                    ((YamlNode.Mapping) Objects.requireNonNull(YamlReader.read(in, problems))).entries()) {
                for (YamlNode.Entry each : ((YamlNode.Mapping) kind.value()).entries()) {
                    entries.add(new Entry(
                            new KernelClass(Kind.valueOf(kind.key().toUpperCase(Locale.ROOT)), each.key()),
                            Pattern.compile(((YamlNode.Scalar) each.value()).text())));
                }
            }
            return List.copyOf(entries);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
