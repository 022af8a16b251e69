package io.shardsim.reports;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The critical path of a run by what it waited for, traced back from its end. Parts sum to the run, to the picosecond.
 *
 * @param endPs length of the run [ps]
 * @param parts parts, longest first
 */
public record CriticalParts(long endPs, List<Part> parts) {
    private static final int SHOWN = 4;

    /**
     * Time spent waiting for one thing.
     *
     * @param waiting its kind in documents: kernel, interference, copy, host, launch, thread_block, link or queue
     * @param what a description with the operation
     */
    public record Part(String waiting, String what, long ps) {}

    public CriticalParts {
        parts = List.copyOf(parts);
        long sum = parts.stream().mapToLong(Part::ps).sum();
        if (sum != endPs) {
            throw new IllegalStateException("parts of a critical path sum to " + sum + " ps of " + endPs + " ps");
        }
    }

    /** Returns a part's share of the run [1]. */
    public double share(Part part) {
        return (double) part.ps() / endPs;
    }

    /** Describes the largest part. */
    public String sentence() {
        return "Critical path: "
                + parts.stream()
                        .limit(SHOWN)
                        .map(part -> part.what() + " " + Quantities.percent(share(part)))
                        .collect(Collectors.joining(", "))
                + (parts.size() > SHOWN ? ", and " + Quantities.counted(parts.size() - SHOWN, "other") : "") + ".";
    }
}
