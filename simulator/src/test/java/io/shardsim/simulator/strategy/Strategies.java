package io.shardsim.simulator.strategy;

import io.shardsim.simulator.strategy.StrategyParameters.Declaration;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.topology.units.DataSize;
import io.shardsim.topology.units.Picoseconds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Strategies as their descriptors declare them, and jobs to plan. */
final class Strategies {
    private static final Path FOLDER = Path.of("src/main/resources/strategies");

    private Strategies() {}

    static List<String> kinds() {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.map(file -> file.getFileName().toString().replace(".yaml", ""))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> descriptor(String kind) {
        try {
            return (Map<String, Object>) new Load(LoadSettings.builder().build())
                    .loadFromString(Files.readString(FOLDER.resolve(kind + ".yaml")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @SuppressWarnings("unchecked")
    static List<Declaration> declarations(String kind) {
        List<Declaration> declarations = new ArrayList<>();
        ((Map<String, Map<String, Object>>) descriptor(kind).get("parameters")).forEach((name, fields) -> {
            String unit = (String) fields.get("unit");
            declarations.add(new Declaration(
                    name, unit, value(unit, fields.get("default")), (String) fields.get("meaning"), (String)
                            fields.get("source")));
        });
        return declarations;
    }

    private static Object value(String unit, Object written) {
        return switch (unit) {
            case "bytes" -> DataSize.parse(written.toString()).bytes();
            case "ps" -> Picoseconds.parse(written.toString());
            case "fraction" -> ((Number) written).doubleValue();
            case "elements", "ranks", "count" -> ((Number) written).longValue();
            default -> written;
        };
    }

    static ShardingStrategy of(String kind, Map<String, ?> given) {
        try {
            return (ShardingStrategy) Class.forName((String) descriptor(kind).get("class"))
                    .getConstructor(StrategyParameters.class)
                    .newInstance(new StrategyParameters(declarations(kind), given));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(kind, e);
        }
    }

    static TrainingJob job(ModelShape model, int worldSize, int sequenceLength, int microBatch, int accumulationSteps) {
        return new TrainingJob(
                model,
                worldSize,
                8,
                sequenceLength,
                microBatch,
                accumulationSteps,
                Precision.BF16,
                Checkpointing.FULL,
                false,
                AttentionKind.STANDARD,
                true,
                "fused",
                1.0);
    }

    /** Bytes of all collectives of a kind on a stream; 0 when there are none. */
    static long bytes(StepPlan plan, io.shardsim.simulator.collective.CollectiveKind kind, String label) {
        long bytes = 0;
        for (int i = 0; i < plan.size(); i++) {
            if (plan.operation(i) instanceof Operation.Collective collective
                    && collective.kind() == kind
                    && collective.label().contains(label)) {
                bytes += collective.totalBytes();
            }
        }
        return bytes;
    }

    static long count(StepPlan plan, io.shardsim.simulator.collective.CollectiveKind kind, String label) {
        long count = 0;
        for (int i = 0; i < plan.size(); i++) {
            if (plan.operation(i) instanceof Operation.Collective collective
                    && collective.kind() == kind
                    && collective.label().contains(label)) {
                count++;
            }
        }
        return count;
    }
}
