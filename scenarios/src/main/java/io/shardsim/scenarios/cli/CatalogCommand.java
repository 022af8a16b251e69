package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.CatalogEntry;
import io.shardsim.scenarios.catalog.CollectiveDescriptors;
import io.shardsim.scenarios.catalog.Library;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.catalog.Figure;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code catalog [KIND]}: what scenarios can name, with the source of every figure. */
@Command(
        name = "catalog",
        description =
                "Lists models, instances, GPUs, storage, collectives, strategies and the library of scenarios; with a kind, every figure with its source.")
final class CatalogCommand implements Callable<Integer> {
    private static final Map<String, Kind> KINDS = kinds();

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(
            arity = "0..1",
            index = "0",
            paramLabel = "KIND",
            description =
                    "models, instances, gpus, storage, collectives, strategies or library. Without it, the names of all.")
    private @Nullable String kind;

    @Parameters(arity = "0..1", index = "1", paramLabel = "NAME", description = "One entry of that kind.")
    private @Nullable String name;

    /** One kind of entry: its names, and an entry in full. */
    private record Kind(Supplier<List<String>> names, Function<String, List<String>> describe) {}

    private static Map<String, Kind> kinds() {
        Map<String, Kind> kinds = new LinkedHashMap<>();
        kinds.put("models", new Kind(Catalog::modelNames, entry -> figures(Catalog.model(entry))));
        kinds.put("instances", new Kind(Catalog::instanceNames, entry -> figures(Catalog.instance(entry))));
        kinds.put("gpus", new Kind(Catalog::gpuNames, entry -> figures(Catalog.gpu(entry))));
        kinds.put("storage", new Kind(Catalog::storageNames, entry -> figures(Catalog.storage(entry))));
        kinds.put("collectives", new Kind(() -> CollectiveDescriptors.names(null), CatalogCommand::collective));
        kinds.put("strategies", new Kind(Strategies::kinds, CatalogCommand::strategy));
        kinds.put("library", new Kind(Library::names, Library::comment));
        return kinds;
    }

    @Override
    public Integer call() {
        Paragraphs text = new Paragraphs(spec.commandLine().getOut(), Terminal.width());
        if (kind == null) {
            KINDS.forEach((each, entries) ->
                    text.item(each + ": " + String.join(", ", entries.names().get())));
            text.item("shardsim catalog KIND shows every figure with its source.");
            return ExitStatus.DONE;
        }
        Kind chosen = KINDS.get(kind);
        if (chosen == null) {
            throw new ParameterException(
                    spec.commandLine(), "no kind " + kind + " in the catalog; " + Nearest.remedy(kind, KINDS.keySet()));
        }
        List<String> names = chosen.names().get();
        if (name != null && !names.contains(name)) {
            throw new ParameterException(
                    spec.commandLine(), "no " + name + " among the " + kind + "; " + Nearest.remedy(name, names));
        }
        for (String each : name == null ? names : List.of(name)) {
            List<String> lines = chosen.describe().apply(each);
            text.item(each + ": " + lines.get(0));
            lines.subList(1, lines.size()).forEach(text::detail);
        }
        return ExitStatus.DONE;
    }

    private static List<String> figures(@Nullable CatalogEntry<?> entry) {
        List<String> lines = new ArrayList<>();
        if (entry == null) {
            return List.of("");
        }
        List<String> origins =
                entry.figures().stream().map(CatalogCommand::origin).toList();
        boolean same = origins.size() > 1 && Set.copyOf(origins).size() == 1;
        lines.add(entry.title() + (same ? origins.get(0) : ""));
        for (int i = 0; i < origins.size(); i++) {
            Figure figure = entry.figures().get(i);
            lines.add(figure.key() + ": " + figure.text() + (same ? "" : origins.get(i)));
        }
        return lines;
    }

    /** Remark, source and date of a figure; told once where all figures of an entry have the same. */
    private static String origin(Figure figure) {
        String note = figure.note() == null ? "" : " (" + figure.note() + ")";
        return note + " [" + figure.source() + ", " + figure.date() + "]";
    }

    private static List<String> collective(String name) {
        List<String> lines = new ArrayList<>(List.of("algorithm, forced with collectives: {algorithm: " + name + "}"));
        for (CollectiveDescriptors.Algorithm algorithm : CollectiveDescriptors.all()) {
            if (algorithm.name().equals(name)) {
                lines.add(String.join(", ", algorithm.kinds()) + " [" + algorithm.source() + "]");
            }
        }
        return lines;
    }

    private static List<String> strategy(String kind) {
        StrategyDescriptor descriptor = Strategies.descriptor(kind);
        if (descriptor == null) {
            return List.of("");
        }
        List<String> lines = new ArrayList<>(List.of(descriptor.title() + " [" + descriptor.source() + "]"));
        for (StrategyDescriptor.Parameter parameter : descriptor.parameters()) {
            lines.add(parameter.name() + ": " + parameter.defaultText() + " (" + parameter.meaning() + ") ["
                    + parameter.source() + "]");
        }
        return lines;
    }

    /** Text that fits the terminal: items at the margin, details below them, both broken between words. */
    private record Paragraphs(PrintWriter out, int width) {
        void item(String text) {
            print("", text);
        }

        void detail(String text) {
            print("  ", text);
        }

        private void print(String indent, String text) {
            StringBuilder line = new StringBuilder(indent);
            for (String word : text.split(" ", -1)) {
                if (line.length() > indent.length() + 2 && line.length() + 1 + word.length() > width) {
                    out.println(line);
                    line = new StringBuilder(indent).append("  ");
                } else if (line.length() > indent.length()) {
                    line.append(' ');
                }
                line.append(word);
            }
            out.println(line);
            out.flush();
        }
    }
}
