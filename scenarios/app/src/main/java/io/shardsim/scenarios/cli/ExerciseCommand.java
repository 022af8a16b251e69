package io.shardsim.scenarios.cli;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.writing.Paragraphs;
import io.shardsim.scenarios.demo.Exercise;
import io.shardsim.scenarios.evaluation.AssertedRun;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.explaining.FurtherRuns;
import io.shardsim.scenarios.scenario.OpenedFile;
import io.shardsim.scenarios.scenario.Overrides;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.scenarios.scenario.Variations;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code exercise check NN FILE}: checks whether a student's scenario solves an exercise. */
@Command(
        name = "exercise",
        description = {
            "Exercises for the lessons: list shows them, show prints an exercise's scenario, check tests FILE "
                    + "against its goals and gives hints."
        },
        footer = {
            "",
            "Examples:",
            "  shardsim exercise",
            "  shardsim exercise show 9 > mine.yaml",
            "  shardsim exercise check 9 mine.yaml",
            "Exit status: 0 done, all goals hold, 1 the simulation failed, 2 wrong usage or input, 4 a goal does not hold,",
            ExitStatus.INTERRUPTED_HELP + "."
        })
final class ExerciseCommand extends Speaking {
    private final RunnerFactory runners;

    @Parameters(index = "0", arity = "0..1", paramLabel = "ACTION", description = "list, show or check. Default: list.")
    private String action = "list";

    @Parameters(index = "1", arity = "0..1", paramLabel = "NN", description = "Number of the lesson.")
    private @Nullable String number;

    @Parameters(index = "2", arity = "0..1", paramLabel = "FILE", description = "The solution.")
    private @Nullable Path file;

    @Option(names = "--hints", paramLabel = "N", description = "Hints to show for a missed goal. Default: 1.")
    private int hints = 1;

    ExerciseCommand(RunnerFactory runners) {
        this.runners = runners;
    }

    @Override
    int answer() throws IOException, InputException {
        return switch (action) {
            case "list" -> list();
            case "show" -> {
                out().print(exercise().text());
                out().flush();
                yield ExitStatus.DONE;
            }
            case "check" -> check(exercise());
            default ->
                throw refused("no action " + action + "; " + Nearest.remedy(action, List.of("list", "show", "check")));
        };
    }

    private int list() {
        Exercise.all().forEach(each -> out().println(each.number() + "  " + each.title()));
        out().println("`shardsim exercise show NN > mine.yaml` prints one.");
        out().flush();
        return ExitStatus.DONE;
    }

    private Exercise exercise() {
        List<String> known = Exercise.all().stream().map(Exercise::number).toList();
        Exercise found = number == null ? null : Exercise.find(number);
        if (found == null) {
            throw refused((number == null ? action + " needs a number" : "no exercise " + number) + "; there are "
                    + String.join(", ", known));
        }
        return found;
    }

    private int check(Exercise exercise) throws IOException, InputException {
        if (file == null) {
            throw refused("check needs your FILE; `shardsim exercise show " + exercise.number() + "` hands one out");
        }
        OpenedFile opened = ScenarioFiles.open(file.toString());
        Variations.of(opened, Overrides.NONE);
        List<String> forbidden = exercise.forbidden(Files.readString(file));
        if (!forbidden.isEmpty()) {
            throw refused(file + ": " + String.join("\n" + file + ": ", forbidden));
        }
        Scenario solution = ScenarioReader.read(opened, Overrides.NONE);
        FurtherRuns further = new FurtherRuns(runners, Runtime.getRuntime().availableProcessors());
        PointRuns runs;
        try (Interruption interruption = new Interruption(further::interrupt)) {
            // No progress bar: "0 of 1 points" would read as a mark.
            runs = further.runWhole(solution.points(), UnaryOperator.identity(), (share, what) -> {});
            interruption.finished();
        }
        if (runs == null) {
            return ExitStatus.INTERRUPTED;
        }
        List<RunResult> results = solution.points().stream().map(runs::resultOf).toList();
        return say(exercise, AssertedRun.of(exercise.task(), ScenarioResult.of(solution.name(), results)));
    }

    private int say(Exercise exercise, List<AssertedRun> goals) {
        Paragraphs said = new Paragraphs(Terminal.width());
        said.line("Exercise " + exercise.number() + ": " + exercise.title());
        goals.forEach(goal -> said.item("  ", goal.line()));
        long hold = goals.stream().filter(AssertedRun::holds).count();
        boolean all = hold == goals.size();
        said.line(hold + " of " + goals.size() + " goals hold.");
        if (all) {
            said.line(exercise.why());
        } else {
            int given = Math.max(0, Math.min(hints, exercise.hints().size()));
            for (int i = 0; i < given; i++) {
                said.line("Hint " + (i + 1) + " of " + exercise.hints().size() + ": "
                        + exercise.hints().get(i));
            }
            if (given < exercise.hints().size()) {
                said.line("--hints " + (given + 1) + " shows the next one.");
            }
        }
        out().print(said);
        out().flush();
        return all ? ExitStatus.DONE : ExitStatus.ASSERTION;
    }
}
