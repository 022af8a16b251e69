package io.shardsim.scenarios.fuzz;

import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.RandomScenario;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.planning.Goal;
import io.shardsim.scenarios.planning.Objective;
import io.shardsim.scenarios.planning.Plan;
import io.shardsim.scenarios.planning.PlanJson;
import io.shardsim.scenarios.planning.PlanText;
import io.shardsim.scenarios.planning.Planner;
import io.shardsim.scenarios.scenario.Variations;
import io.shardsim.simulator.TooLargeException;
import io.shardsim.simulator.kernel.RunLimitException;
import io.shardsim.simulator.yaml.InputException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.json.JsonMapper;

/** Searches over what a small scenario lists or leaves open. A long one is interrupted, and must then return its results so far. */
final class PlanTarget implements Target {
    private static final List<String> LISTS = List.of(
            "training.micro_batch: [1, 2]",
            "training.micro_batch: [0, 3, 1e9]",
            "training.activation_checkpointing: [none, full]",
            "training.attention: [standard, flash, VALUE]",
            "cluster.nodes: [1, 2]",
            "cluster.nodes: [2, -1]",
            "strategy.kind: [zero3, fsdp]",
            "strategy.kind: [mics, VALUE]",
            "strategy.shard_group: [2, 8, 1024]",
            "strategy.tensor_parallel: [1, 2, 3]",
            "cluster.instance: [p4d.24xlarge, VALUE]");
    private static final long EVENTS_MAX = 50_000;
    private static final long SECONDS = 3;
    private static final int NODES_MAX = 2;
    private static final int WIDTH = 80;

    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "fuzz-clock");
        thread.setDaemon(true);
        return thread;
    });

    @Override
    public byte[] input(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        String text = random.nextInt(3) == 0 ? FuzzedScenario.text(seed) : RandomScenario.text(random.nextLong());
        StringBuilder whole = new StringBuilder(text.replaceAll("(?m)^sweep:.*\n", ""));
        whole.append(random.nextInt(8) == 0 ? "sweep: {" : "search: {");
        for (int count = random.nextInt(1, 4); count > 0; count--) {
            String list = LISTS.get(random.nextInt(LISTS.size()));
            whole.append(list.replace("VALUE", random.nextBoolean() ? "none" : "p5.48xlarge"))
                    .append(count > 1 ? ", " : "");
        }
        return whole.append("}\n").toString().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Outcome outcome(byte[] input) throws InterruptedException {
        String text = new String(input, StandardCharsets.UTF_8);
        Goal goal = new Goal(Objective.FASTEST, 1e11, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, false);
        RunOptions options = new RunOptions(1, true).within(EVENTS_MAX);
        try {
            Variations variations = Variations.readText("fuzzed.yaml", text);
            try (Planner planner = new Planner(variations, goal, NODES_MAX, 1, (share, what) -> {});
                    PointSimulation simulation = new PointSimulation(options)) {
                var interruption = clock.schedule(planner::interrupt, SECONDS, TimeUnit.SECONDS);
                Plan plan = planner.plan(simulation, (share, what) -> {});
                interruption.cancel(false);
                return judged(plan, variations, text);
            }
        } catch (InputException refused) {
            return Verdicts.refusal(refused.problems(), text);
        } catch (TooLargeException told) {
            return Outcome.of(Outcome.Kind.TOLD);
        } catch (RunLimitException tooLong) {
            return Outcome.of(Outcome.Kind.TOO_LONG);
        }
    }

    private static Outcome judged(Plan plan, Variations variations, String text) {
        String wrong = Verdicts.printed(PlanText.write(plan, WIDTH), text);
        if (wrong.isEmpty()) {
            wrong = Verdicts.absurd("", JsonMapper.shared().readTree(PlanJson.write(plan, variations)));
        }
        if (!wrong.isEmpty()) {
            return Outcome.fault(wrong);
        }
        Outcome.Kind found = plan.best().isEmpty() ? Outcome.Kind.TOO_LARGE : Outcome.Kind.RAN;
        return Outcome.of(plan.complete() ? found : Outcome.Kind.TOO_LONG);
    }
}
