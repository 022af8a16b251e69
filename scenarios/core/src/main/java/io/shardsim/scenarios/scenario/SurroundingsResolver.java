package io.shardsim.scenarios.scenario;

import io.shardsim.reports.Surroundings;
import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.CatalogEntry;
import io.shardsim.scenarios.catalog.StorageKeys;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.catalog.Figure;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.yaml.Problems;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Resolves the {@code storage} and {@code checkpoint} blocks and parameter initialization for the report. */
final class SurroundingsResolver {
    /** Bytes of a token ID as data loaders store it, 32 bits. */
    private static final long BYTES_PER_TOKEN = 4;

    /** Default timeout of a collective, after which the process group aborts the job [ps]. */
    private static final long DETECTION_PS = 600_000_000_000_000L;

    private static final double SECONDS = 1e-12;
    private static final double SECONDS_PER_HOUR = 3600;

    private final Block file;
    private final List<Figure> figures;
    private final Problems problems;

    SurroundingsResolver(Block file, List<Figure> figures, Problems problems) {
        this.file = file;
        this.figures = figures;
        this.problems = problems;
    }

    @Nullable
    Surroundings resolve(int sequenceLength, double checkpointBytes) {
        Block storage = file.block("storage");
        Block checkpoint = file.block("checkpoint");
        Block training = file.block("training");
        Boolean delayed = training == null ? null : (Boolean) training.value("delayed_parameter_initialization");
        Block failures = file.block("failures");
        if (failures != null && checkpoint == null) {
            problems.add(
                    file.keyAt("failures"),
                    "failures needs checkpoint, or each failure loses everything; add for example checkpoint: "
                            + "{to: s3, every: 500}");
        }
        if (storage == null && checkpoint == null && delayed == null) {
            return null;
        }
        return new Surroundings(
                storage == null ? null : input(storage, sequenceLength),
                checkpoint == null ? null : checkpoint(checkpoint, storage, checkpointBytes),
                delayed == null ? null : startUp(delayed),
                failures == null ? null : failures(failures));
    }

    private static Surroundings.@Nullable Failures failures(Block block) {
        Long mtbf = block.whole("node_mtbf");
        Long restart = block.whole("restart");
        return mtbf == null || restart == null
                ? null
                : new Surroundings.Failures(
                        mtbf * SECONDS_PER_HOUR, block.whole("detection", DETECTION_PS) * SECONDS, restart * SECONDS);
    }

    private Surroundings.StartUp startUp(boolean delayed) {
        CatalogEntry<Long> entry = Catalog.startUp();
        ScenarioReader.addFigures(entry, figures);
        return new Surroundings.StartUp(delayed, entry.spec() * 1e-12);
    }

    private Surroundings.@Nullable Input input(Block block, int sequenceLength) {
        String name = block.text("input");
        Surroundings.Storage storage = name == null ? null : storage(name, block, "input", block);
        return storage == null
                ? null
                : new Surroundings.Input(storage, block.whole("sample_size", BYTES_PER_TOKEN * sequenceLength));
    }

    private Surroundings.@Nullable Checkpoint checkpoint(Block block, @Nullable Block changes, double bytes) {
        String name = block.text("to");
        Long every = block.whole("every");
        Surroundings.Storage storage = name == null ? null : storage(name, block, "to", changes);
        return storage == null || every == null
                ? null
                : new Surroundings.Checkpoint(
                        storage,
                        every,
                        Surroundings.State.valueOf(
                                block.text("state", "sharded").toUpperCase(Locale.ROOT)),
                        block.flag("asynchronous", false),
                        bytes);
    }

    private Surroundings.@Nullable Storage storage(String name, Block block, String key, @Nullable Block changes) {
        Map<String, Object> changed = new LinkedHashMap<>();
        for (Key each : StorageKeys.CHANGEABLE) {
            Object value = changes == null ? null : changes.value(each.name());
            if (value != null) {
                changed.put(each.name(), value);
            }
        }
        CatalogEntry<Surroundings.Storage> entry = Catalog.storage(name, changed);
        if (entry == null) {
            return problems.refuse(
                    block.at(key),
                    key + " " + name + " is not in the catalog; " + Nearest.remedy(name, Catalog.storageNames()));
        }
        ScenarioReader.addFigures(entry, figures);
        return entry.spec();
    }
}
