package io.shardsim.scenarios.cli;

import io.shardsim.reports.writing.Paragraphs;
import io.shardsim.reports.writing.TextTable;
import io.shardsim.scenarios.catalog.Architecture;
import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.CatalogEntry;
import io.shardsim.scenarios.catalog.Library;
import io.shardsim.scenarios.catalog.Machines;
import io.shardsim.scenarios.catalog.Releases;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.scenarios.explaining.KnownFault;
import io.shardsim.scenarios.scenario.InstanceFiles;
import io.shardsim.simulator.Lazy;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.catalog.Figure;
import io.shardsim.simulator.catalog.FigureFile;
import io.shardsim.simulator.catalog.FigureFolder;
import io.shardsim.simulator.collective.CollectiveCatalog;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.collective.nccl.NcclCatalog;
import io.shardsim.simulator.collective.smddp.SmddpTransportModel;
import io.shardsim.simulator.compute.GpuCalibration;
import io.shardsim.simulator.compute.ProfileFiles;
import io.shardsim.simulator.pipeline.PipelineSchedules;
import io.shardsim.simulator.strategy.settings.Setting;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code catalog [KIND] [NAME]}: lists what scenarios can name and the constants behind it, with the source of every figure. */
@Command(
        name = "catalog",
        description = "Lists everything that scenarios can name. With a kind or a name, shows every figure with its "
                + "unit and source.")
final class CatalogCommand extends Speaking {
    private static final Lazy<Map<String, Kind>> KINDS = new Lazy<>(CatalogCommand::kinds);
    private static final String PRICES = "prices";

    @Parameters(
            arity = "0..1",
            index = "0",
            paramLabel = "KIND",
            description = "Kind of entry, name of an entry, or prices. Default: list all names.")
    private @Nullable String kind;

    @Parameters(arity = "0..1", index = "1", paramLabel = "NAME", description = "One entry of that kind.")
    private @Nullable String name;

    @Option(
            names = "--older-than",
            paramLabel = "DAYS",
            description = "With prices: only prices older than this, for example 90d.")
    private @Nullable String olderThan;

    @Mixin
    private final PictureOptions picture = new PictureOptions();

    /** A kind of entry: its names, and the full description of one. */
    private record Kind(Supplier<List<String>> names, Function<String, List<String>> describe) {}

    private static Map<String, Kind> kinds() {
        Map<String, Kind> kinds = new LinkedHashMap<>();
        kinds.put("models", new Kind(Catalog::modelNames, entry -> figures(Catalog.model(entry))));
        kinds.put("instances", new Kind(Catalog::instanceNames, entry -> figures(Catalog.instance(entry))));
        kinds.put("gpus", new Kind(Catalog::gpuNames, entry -> figures(Catalog.gpu(entry))));
        kinds.put("storage", new Kind(Catalog::storageNames, entry -> figures(Catalog.storage(entry))));
        kinds.put("collectives", new Kind(() -> CollectiveCatalog.shipped().names(null), CatalogCommand::collective));
        kinds.put("strategies", new Kind(Strategies::kinds, CatalogCommand::strategy));
        kinds.put("schedules", new Kind(PipelineSchedules.all()::names, CatalogCommand::schedule));
        kinds.put(
                "releases",
                new Kind(
                        Releases::names,
                        entry -> Objects.requireNonNull(Releases.named(entry)).description()));
        ProfileFiles.folders().forEach((what, folder) -> kinds.put(what, constants(folder)));
        kinds.put("architectures", constants(Architecture.FILES));
        kinds.put("compute", constants(GpuCalibration.FAMILIES));
        kinds.put("nccl", constants(NcclCatalog.GPUS));
        kinds.put("networks", constants(NcclCatalog.NETWORKS));
        kinds.put("tuners", constants(NcclCatalog.TUNERS));
        kinds.put(SmddpTransportModel.NAME, constants(SmddpTransportModel.CONSTANTS));
        kinds.put(
                "faults",
                new Kind(KnownFault::names, entry -> KnownFault.named(entry).description()));
        kinds.put("library", new Kind(Library::names, Library::comment));
        return kinds;
    }

    private static Kind constants(FigureFolder folder) {
        return new Kind(folder::names, name -> constants(folder, name));
    }

    @Override
    int answer() throws InputException, IOException {
        if (picture.asked()) {
            if (!"instances".equals(kind) || name == null) {
                throw refused("--svg needs the name of an instance; write catalog instances p5.48xlarge --svg");
            }
            picture.draw(name, this);
            return ExitStatus.DONE;
        }
        picture.refuse(this);
        Paragraphs text = new Paragraphs(Terminal.width());
        answer(text);
        out().print(text);
        out().flush();
        return ExitStatus.DONE;
    }

    private void answer(Paragraphs text) {
        if (kind == null) {
            KINDS.get()
                    .forEach((each, entries) -> text.item(
                            "", each + ": " + String.join(", ", entries.names().get())));
            text.item("", "shardsim catalog KIND shows every figure with its source.");
            return;
        }
        List<String> table = table();
        if (!table.isEmpty()) {
            table.forEach(line -> text.asIs(line + "\n"));
            text.item("", "shardsim catalog NAME shows every figure with its source.");
            return;
        }
        Kind chosen = KINDS.get().get(kind);
        if (chosen == null && InstanceFiles.isFile(kind)) {
            print(kind, figures(own(kind)), text);
            return;
        }
        if (chosen == null) {
            printNamed(hardware(kind), text);
            return;
        }
        List<String> names = chosen.names().get();
        name = name == null || names.contains(name) ? name : hardware(name);
        if (name != null && !names.contains(name)) {
            throw refused("no " + name + " among the " + kind + "; " + Nearest.remedy(name, names));
        }
        for (String each : name == null ? names : List.of(name)) {
            print(each, chosen.describe().apply(each), text);
        }
    }

    /** The requested table: instances, GPUs or prices; empty if no table was requested. */
    private List<String> table() {
        boolean prices = PRICES.equals(kind);
        if (olderThan != null && !(prices && olderThan.matches("\\d{1,6}d"))) {
            throw refused("--older-than " + olderThan
                    + " is not a number of days, or prices is missing; write catalog prices --older-than 90d");
        }
        if (name != null && !prices) {
            return List.of();
        }
        LocalDate today = LocalDate.now(ZoneOffset.UTC);
        String beginning = name == null ? "" : name + " ";
        if (prices && name != null && Machines.prices(today, -1, beginning).size() == 1) {
            List<String> priced = Machines.prices(today, -1, "").stream()
                    .map(row -> row.get(0))
                    .toList();
            throw refused("no price of " + name + "; " + Nearest.remedy(name, priced, "catalog prices lists all"));
        }
        List<List<String>> rows = prices
                ? Machines.prices(today, olderThan == null ? -1 : Long.parseLong(olderThan.replace("d", "")), beginning)
                : "instances".equals(kind) ? Machines.instances() : "gpus".equals(kind) ? Machines.gpus() : List.of();
        return rows.size() < 2
                ? rows.isEmpty() ? List.of() : List.of("No price is older than " + olderThan + " ago.")
                : TextTable.lines(rows, prices ? 1 : 2, Integer.MAX_VALUE).stream()
                        .map(line -> TextTable.cut(line, Terminal.width()))
                        .toList();
    }

    private CatalogEntry<?> own(String file) {
        try {
            return InstanceFiles.read(file);
        } catch (InputException refused) {
            throw refused(String.valueOf(refused.getMessage()));
        }
    }

    /** The catalog name of a GPU or instance; other names are returned unchanged. */
    private static String hardware(String called) {
        CatalogEntry<?> gpu = Catalog.gpu(called);
        CatalogEntry<?> entry = gpu == null ? Catalog.instance(called) : gpu;
        return entry == null ? called : entry.name();
    }

    /** Prints every entry with this name, under its kind. */
    private void printNamed(String wanted, Paragraphs text) {
        List<String> known = new ArrayList<>(KINDS.get().keySet());
        KINDS.get().values().forEach(each -> known.addAll(each.names().get()));
        if (name != null || !known.contains(wanted)) {
            throw refused("no kind " + (name == null ? "or entry " : "") + wanted + " in the catalog; "
                    + Nearest.remedy(
                            wanted,
                            name == null ? known : KINDS.get().keySet(),
                            "kinds: " + String.join(", ", KINDS.get().keySet())));
        }
        KINDS.get().forEach((each, entries) -> {
            if (entries.names().get().contains(wanted)) {
                List<String> lines = entries.describe().apply(wanted);
                text.item("", each);
                print(wanted, lines, text);
            }
        });
    }

    private static void print(String name, List<String> lines, Paragraphs text) {
        text.item("", name + ": " + lines.get(0));
        lines.subList(1, lines.size()).forEach(line -> text.item("  ", line));
    }

    private static List<String> constants(FigureFolder folder, String name) {
        FigureFile file = folder.named(name);
        List<String> lines = new ArrayList<>(List.of(file.title()));
        if (!file.text("remark").isEmpty()) {
            lines.add("remark: " + file.text("remark"));
        }
        for (Figure figure : folder.figures(name)) {
            lines.add(figure.key() + ": " + figure.text() + ", " + folder.meaning(figure.key()) + origin(figure));
        }
        return lines;
    }

    private static List<String> schedule(String name) {
        return List.of("pipeline schedule [" + PipelineSchedules.all().source(name) + "]");
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

    /** Remark, source and date of a figure; printed once per entry if all its figures share them. */
    private static String origin(Figure figure) {
        String note = figure.note() == null ? "" : " (" + figure.note() + ")";
        return note + " [" + figure.source() + ", " + figure.date() + "]";
    }

    private static List<String> collective(String name) {
        List<String> lines = new ArrayList<>(List.of("algorithm, forced with collectives: {algorithm: " + name + "}"));
        for (CollectiveCatalog.Entry entry : CollectiveCatalog.shipped().entries()) {
            if (entry.algorithm().name().equals(name)) {
                String kinds = entry.kinds().stream().map(CollectiveKind::id).collect(Collectors.joining(", "));
                lines.add(kinds + " [" + entry.descriptor().text("source") + "]");
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
        for (Setting parameter : descriptor.parameters()) {
            lines.add(parameter.name() + ": " + parameter.written() + " (" + parameter.meaning() + ") ["
                    + parameter.source() + "]");
        }
        return lines;
    }
}
