package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.scenarios.planning.Goal;
import io.shardsim.scenarios.planning.Objective;
import io.shardsim.scenarios.planning.Plan;
import io.shardsim.scenarios.planning.PlanJson;
import io.shardsim.scenarios.planning.PlanText;
import io.shardsim.scenarios.planning.Planner;
import io.shardsim.scenarios.scenario.Variations;
import io.shardsim.simulator.yaml.InputException;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code plan FILE}: finds the best configuration that a scenario leaves open. */
@Command(
        name = "plan",
        description = {
            "Finds the fastest or cheapest configuration of what a scenario leaves open.",
            "Open is what the file lists under search, and what it leaves out: strategy, shard group, tensor and pipeline parallelism,"
                    + " micro-batch, checkpointing, offload, attention, instance and nodes."
        },
        footer = {
            "",
            "Example: shardsim plan my.yaml --objective cheapest --deadline 30d --tokens 300B --max-nodes 64",
            "Exit status: 0 done, 1 the simulation failed, 2 wrong usage or input, 3 nothing fits or keeps the limits, 130 interrupted;"
                    + " then the best so far are printed."
        })
final class PlanCommand implements Callable<Integer> {
    private static final int NODES_MAX = 65_536;

    private final RunnerFactory runners;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "A scenario, or what import printed.")
    private String file = "";

    @Option(names = "--objective", paramLabel = "fastest|cheapest", description = "What is best. Default: fastest.")
    private String objective = "fastest";

    @Option(
            names = "--tokens",
            paramLabel = "N",
            converter = Amount.Tokens.class,
            description = "Tokens to train on, for days and dollars. Default: 500B.")
    private double tokens = 500e9;

    @Option(
            names = "--deadline",
            paramLabel = "DAYS",
            converter = Amount.Days.class,
            description = "Longest time to train, for example 30d.")
    private double deadline = Double.POSITIVE_INFINITY;

    @Option(
            names = "--budget",
            paramLabel = "USD",
            converter = Amount.Dollars.class,
            description = "Most money to train, for example '400k USD'.")
    private double budget = Double.POSITIVE_INFINITY;

    @Option(
            names = "--max-nodes",
            paramLabel = "N",
            description = "Largest cluster, where the file leaves the number of nodes open. Default: 64.")
    private int nodesMax = 64;

    @Option(names = "--json", description = "Print the plan as JSON on stdout.")
    private boolean json;

    @Option(
            names = "--threads",
            paramLabel = "N",
            converter = Threads.class,
            description = "Candidates that are looked at at once. Default: the number of cores. Changes no result.")
    private int threads = Runtime.getRuntime().availableProcessors();

    PlanCommand(RunnerFactory runners) {
        this.runners = runners;
    }

    @Override
    public Integer call() throws InterruptedException {
        Goal goal = goal();
        try {
            Variations variations = Variations.read(file);
            try (Planner planner = new Planner(variations, goal, nodesMax, threads)) {
                return plan(planner, variations);
            }
        } catch (InputException refused) {
            ProblemPrinter.print(
                    ScenarioFiles.problems(file, refused), spec.commandLine().getErr());
            return ExitStatus.USAGE;
        }
    }

    private Goal goal() {
        if (!objective.equals("fastest") && !objective.equals("cheapest")) {
            throw new ParameterException(
                    spec.commandLine(), "--objective " + objective + " is not known; write fastest or cheapest");
        }
        if (nodesMax < 1 || nodesMax > NODES_MAX) {
            throw new ParameterException(
                    spec.commandLine(), "--max-nodes " + nodesMax + " is not from 1 to " + NODES_MAX);
        }
        return new Goal(Objective.valueOf(objective.toUpperCase(Locale.ROOT)), tokens, deadline, budget);
    }

    private int plan(Planner planner, Variations variations) throws InterruptedException {
        Plan plan;
        try (Interruption interruption = new Interruption(planner::interrupt)) {
            try (ScenarioRunner runner = runners.create(new RunOptions(threads, true));
                    ProgressBarLine progress = ProgressBarLine.open()) {
                plan = planner.plan(runner, progress);
            }
            String text = json ? PlanJson.write(plan, variations) : PlanText.write(plan, Terminal.width());
            spec.commandLine().getOut().print(text);
            spec.commandLine().getOut().flush();
            interruption.finished();
        }
        if (!plan.complete()) {
            return ExitStatus.INTERRUPTED;
        }
        return plan.best().isEmpty() ? ExitStatus.OUT_OF_MEMORY : ExitStatus.DONE;
    }
}
