package io.shardsim.scenarios.cli;

import io.shardsim.simulator.yaml.Problem;
import java.io.PrintWriter;
import java.util.List;

/** Prints problems of files, one a line, as compilers do. */
final class ProblemPrinter {
    /** More help nobody, and a hostile file can have very many. */
    private static final int LINES_MAX = 50;

    private ProblemPrinter() {}

    static void print(List<Problem> problems, PrintWriter out) {
        problems.stream().limit(LINES_MAX).forEach(out::println);
        if (problems.size() > LINES_MAX) {
            out.println("... and " + (problems.size() - LINES_MAX) + " more problems");
        }
        out.flush();
    }
}
