package io.shardsim.scenarios.explaining;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.evaluation.PointBounds;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.ProgressListener;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.scenario.ScenarioKeys;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Variations;
import io.shardsim.simulator.catalog.FigureFolder;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.topology.InstanceSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The fewest GPUs on which each common setup for training a model fits, and its speed there. A setup is a file in {@code catalog/ways}. GPU counts
 * are powers of two, then whole servers; setups fit with headroom for fragmentation.
 */
public final class Fits {
    /** Samples per GPU and step. */
    static final int SAMPLES_PER_GPU = 8;

    private static final FigureFolder WAYS = new FigureFolder(
            "catalog/ways",
            "training setup",
            List.of(
                    Key.optional("of", ScalarTypes.choice("dense", "experts"), "models that it is for; omitted: all"),
                    Key.required("settings", BlockType.openWith(), "what it writes into a scenario, by dotted key")));

    private static final String LORA = "lora";

    private final Asked asked;
    private final Variations file;
    private final FurtherRuns further;

    /**
     * The question.
     *
     * @param model a model of the catalog
     * @param server the server type of all GPUs, which may be used in part
     * @param sequenceLength sequence length
     * @param gpusMax maximum number of GPUs to consider
     * @param adaptersOnly whether to exclude setups that train all weights
     */
    public record Asked(String model, InstanceSpec server, int sequenceLength, int gpusMax, boolean adaptersOnly) {}

    /**
     * A setup on the fewest GPUs it fits on.
     *
     * @param settings settings of its scenario, by dotted key
     * @param point null if it fits on no number of GPUs
     * @param why why it does not fit; empty if it fits
     * @param run null if nothing was run
     */
    public record Row(
            String way,
            Map<String, String> settings,
            @Nullable ScenarioPoint point,
            String why,
            @Nullable RunResult run) {
        double tokensPerSecond(Asked asked) {
            return Objects.requireNonNull(run).step().samplesPerSecond() * asked.sequenceLength();
        }

        /** Returns the on-demand price of all its servers; NaN if the catalog has none [USD per hour]. */
        double usdPerHour(Asked asked) {
            return Objects.requireNonNull(point).cluster().nodes()
                    * asked.server().price().usdPerHour();
        }

        double usdPerBillionTokens(Asked asked) {
            return usdPerHour(asked) / 3600 / tokensPerSecond(asked) * 1e9;
        }
    }

    /** @throws InputException never for a model and a server of the catalog */
    public Fits(Asked asked, RunnerFactory runners, int threads) throws InputException {
        this.asked = asked;
        further = new FurtherRuns(runners, threads);
        file = Variations.readText("fits", """
                scenario: %s
                model: %s
                cluster: {instance: %s, nodes: 1}
                training: {sequence_length: %d, global_batch: %d}
                """.formatted(
                        asked.model(), asked.model(), asked.server().name(), asked.sequenceLength(), SAMPLES_PER_GPU));
    }

    /** Finds the fewest GPUs for each setup; runs nothing. */
    public List<Row> ways() {
        return WAYS.names().stream()
                .filter(name -> !asked.adaptersOnly() || settings(name).containsKey(LORA))
                .filter(this::suits)
                .map(name -> fewest(WAYS.named(name).title(), settings(name)))
                .toList();
    }

    private boolean suits(String way) {
        String models = WAYS.named(way).block().text("of");
        boolean mixture = Objects.requireNonNull(Catalog.model(asked.model()))
                .spec()
                .mixture()
                .isPresent();
        return models == null || models.equals(mixture ? "experts" : "dense");
    }

    /** Runs each setup where it fits; returns null if interrupted. */
    public @Nullable List<Row> run(ProgressListener progress) {
        List<Row> ways = ways();
        List<ScenarioPoint> points =
                ways.stream().map(Row::point).filter(Objects::nonNull).toList();
        PointRuns runs = further.runWhole(points, UnaryOperator.identity(), progress);
        return runs == null
                ? null
                : ways.stream()
                        .map(row -> new Row(
                                row.way(),
                                row.settings(),
                                row.point(),
                                row.why(),
                                row.point() == null ? null : runs.resultOf(row.point())))
                        .toList();
    }

    public void interrupt() {
        further.interrupt();
    }

    /** Returns the scenario of a setup, as plain Java values. */
    public Map<String, Object> scenario(Row row) {
        return file.file(row.settings());
    }

    private static Map<String, String> settings(String way) {
        Map<String, String> settings = new LinkedHashMap<>();
        Block block = Objects.requireNonNull(WAYS.named(way).block().block("settings"));
        block.others().forEach(entry -> settings.put(entry.key(), ((YamlNode.Scalar) entry.value()).text()));
        return settings;
    }

    private Row fewest(String title, Map<String, String> way) {
        String why = "";
        for (int gpus : numbers()) {
            if (further.isInterrupted()) {
                break;
            }
            Map<String, String> settings = new LinkedHashMap<>(way);
            int perNode = asked.server().gpusPerNode();
            settings.put("cluster.gpus_per_node", String.valueOf(Math.min(gpus, perNode)));
            settings.put("cluster.nodes", String.valueOf(Math.max(1, gpus / perNode)));
            settings.put("training.global_batch", String.valueOf(SAMPLES_PER_GPU * gpus));
            try {
                Map<String, String> smallest = new LinkedHashMap<>(settings);
                smallest.put("training.micro_batch", "1");
                PointBounds prospect = PointBounds.of(file.with(smallest));
                if (prospect.fits() && !prospect.tight()) {
                    return new Row(title, settings, file.with(settings), "", null);
                }
                why = "does not fit on " + gpus + " GPUs";
            } catch (InputException refused) {
                why = refused.problems().get(0).message();
            }
        }
        return new Row(title, way, null, why, null);
    }

    /** Returns powers of two up to a server, then powers of two of servers. */
    private List<Integer> numbers() {
        int perNode = asked.server().gpusPerNode();
        List<Integer> numbers = new ArrayList<>();
        for (int gpus = 1; gpus < perNode && gpus <= asked.gpusMax(); gpus *= 2) {
            numbers.add(gpus);
        }
        for (int nodes = 1; nodes <= Math.min(ScenarioKeys.NODES_MAX, asked.gpusMax() / perNode); nodes *= 2) {
            numbers.add(nodes * perNode);
        }
        return numbers;
    }
}
