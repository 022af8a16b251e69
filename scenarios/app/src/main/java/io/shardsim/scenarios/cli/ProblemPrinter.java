package io.shardsim.scenarios.cli;

import io.shardsim.simulator.yaml.Problem;
import java.io.PrintWriter;
import java.util.List;

/** Prints problems in files, one per line, as compilers do. */
final class ProblemPrinter {
    /** More lines help nobody, and a hostile file can cause very many. */
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
