package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Diagnosis;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.writing.Paragraphs;
import io.shardsim.reports.writing.TextTable;
import io.shardsim.simulator.observation.CriticalPath;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Formats a critical path for the terminal: what the step waited for, longest first, and on which ranks. */
public final class CriticalPathText {
    private static final int ROWS_MAX = 16;
    private static final int RANKS_MAX = 6;
    private static final int COLUMNS = 24;

    private CriticalPathText() {}

    /** Returns text of at most {@code width} columns. */
    public static String write(CriticalPaths.Followed followed, int width) {
        Paragraphs out = new Paragraphs(width);
        RunResult run = followed.run();
        CriticalPath path = followed.path();
        out.line(followed.name() + ": " + run.label() + " on " + Quantities.counted(run.gpus(), "GPU"));
        if (path == null) {
            Diagnosis diagnosis = Diagnosis.of(run);
            out.line("No critical path: it does not fit in memory. " + diagnosis.why() + " " + diagnosis.next());
            return out.toString();
        }
        List<Map.Entry<PathParts.Key, Long>> parts = PathParts.byKey(path);
        out.line("Critical path: " + Quantities.seconds(path.endPs() * 1e-12) + ", the whole run.");
        int words = width - COLUMNS;
        out.asIs(("\n%-" + (words + 2) + "s%12s   share\n").formatted("Waited for", "time"));
        long restPs = 0;
        for (int i = 0; i < parts.size(); i++) {
            if (i < ROWS_MAX || parts.size() == ROWS_MAX + 1) {
                row(out, parts.get(i).getKey().words(), parts.get(i).getValue(), path.endPs(), words);
            } else {
                restPs += parts.get(i).getValue();
            }
        }
        if (restPs > 0) {
            row(out, (parts.size() - ROWS_MAX) + " others", restPs, path.endPs(), words);
        }
        out.asIs("\n");
        List<Map.Entry<Integer, Long>> ranks = PathParts.byRank(path);
        out.line("At " + (ranks.size() == 1 ? "rank " : "ranks ")
                + ranks.stream()
                        .limit(RANKS_MAX)
                        .map(rank -> rank.getKey() + " (" + share(rank.getValue(), path.endPs()) + ")")
                        .collect(Collectors.joining(", "))
                + (ranks.size() > RANKS_MAX ? " and " + (ranks.size() - RANKS_MAX) + " others." : "."));
        return out.toString();
    }

    private static void row(Paragraphs out, String what, long ps, long wholePs, int words) {
        out.asIs(("  %-" + words + "s%12s%8s\n")
                .formatted(TextTable.cut(what, words), Quantities.seconds(ps * 1e-12), share(ps, wholePs)));
    }

    private static String share(long ps, long wholePs) {
        return Quantities.fixed(100.0 * ps / wholePs, 1) + " %";
    }
}
