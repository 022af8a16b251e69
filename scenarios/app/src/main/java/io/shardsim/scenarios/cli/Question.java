package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.evaluation.ProgressListener;
import io.shardsim.simulator.yaml.InputException;
import java.io.PrintWriter;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options of commands that answer a question with further runs, and the output of the answer. */
class Question {
    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(names = "--json", description = "Print results as JSON on stdout.")
    private boolean json;

    @Option(
            names = "--threads",
            paramLabel = "N",
            converter = Threads.class,
            description = "Concurrent runs. Default: the number of cores. Does not change results.")
    private int threads = Runtime.getRuntime().availableProcessors();

    /** Computes an answer; null if interrupted. */
    interface Asked<A> {
        @Nullable
        A answer(ProgressListener progress) throws InputException;
    }

    final boolean isJson() {
        return json;
    }

    int threads() {
        return threads;
    }

    /**
     * Computes the answer and prints it.
     *
     * @param interrupt ends the runs early
     * @param json formats the answer for programs
     * @param text formats the answer for people, at a given width in columns
     * @return null if interrupted
     */
    final <A> @Nullable A ask(
            Asked<A> question, Runnable interrupt, Function<A, String> json, BiFunction<A, Integer, String> text)
            throws InputException {
        A answer;
        try (Interruption interruption = new Interruption(interrupt)) {
            try (ProgressBarLine progress = ProgressBarLine.open()) {
                answer = question.answer(progress);
            }
            PrintWriter to = answer != null
                    ? spec.commandLine().getOut()
                    : spec.commandLine().getErr();
            if (answer == null) {
                to.println("interrupted before all runs were done");
            } else {
                to.print(this.json ? json.apply(answer) : text.apply(answer, Terminal.width()));
            }
            to.flush();
            interruption.finished();
        }
        return answer;
    }
}
