package io.shardsim.reports;

import io.shardsim.simulator.plan.MemoryFit;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** How a training step fits in memory, in the same words wherever it is told. */
public final class MemoryWords {
    /** Share of a GPU's memory from which on published runs were sometimes slower than ours (DEVIATIONS.md, E). */
    private static final double EDGE = 0.93;

    private static final int DECIMALS_MAX = 6;

    private MemoryWords() {}

    /** {@code needs 37.9 of 39.6 GiB per GPU, 39.8 GiB with fragmentation}. */
    public static String needs(MemoryFit fit) {
        String host = "needs " + threeDigits(fit.host().neededBytes()) + " of "
                + threeDigits(fit.host().capacityBytes()) + " GiB of host memory per node";
        if (!fit.host().fits() && fit.fitsGpu()) {
            return host;
        }
        String needed =
                "needs " + gib(fit.neededBytes(), fit) + " of " + gib(fit.capacityBytes(), fit) + " GiB per GPU";
        String gpu = fit.reservedBytes() == fit.neededBytes()
                ? needed
                : needed + ", " + gib(fit.reservedBytes(), fit) + " GiB with fragmentation";
        return fit.host().fits() ? gpu : gpu + ", and " + host;
    }

    /** {@code 71.8 of 39.6 GiB per GPU, 32.3 GiB too much (73.5 GiB with fragmentation)}: of the memory that does not suffice. */
    public static String missing(MemoryFit fit) {
        String tooMuch = ", " + Quantities.gib(fit.missingBytes()) + " too much";
        String host = threeDigits(fit.host().neededBytes()) + " of "
                + threeDigits(fit.host().capacityBytes()) + " GiB of host memory per node";
        if (fit.fitsGpu()) {
            return host + tooMuch;
        }
        String gpu = gib(fit.neededBytes(), fit) + " of " + gib(fit.capacityBytes(), fit) + " GiB per GPU" + tooMuch
                + (fit.reservedBytes() == fit.neededBytes()
                        ? ""
                        : " (" + gib(fit.reservedBytes(), fit) + " GiB with fragmentation)");
        return fit.host().fits() ? gpu : gpu + ", and " + host;
    }

    /** Whether it fits, and how tightly, with what it needs in parentheses. */
    public static String verdict(MemoryFit fit) {
        String verdict = fit.isRoomy() ? "fits" : fit.isTight() ? "fits tightly" : "does not fit";
        return verdict + " (" + needs(fit) + ")";
    }

    /** What is reserved, for a column of GiB. */
    public static String cell(MemoryFit fit) {
        return Quantities.significant(fit.reservedBytes() / Quantities.GIB);
    }

    /** The name of a run in the first column of a table: it says whether the run is tight. */
    public static String named(String name, RunResult run) {
        return run.isTight() ? "tight: " + name : name;
    }

    /** What to know of the runs that {@link #isAtEdge}, by the numbers that a table gives them. */
    public static String edge(List<String> numbers) {
        return "Memory of " + String.join(", ", numbers) + " is more than " + Quantities.fixed(100 * EDGE, 0)
                + " % full: real runs there were up to 24 % slower.";
    }

    /** Whether it fits, and is so full that real runs were slower. */
    public static boolean isAtEdge(MemoryFit fit) {
        return fit.fits() && share(fit) > EDGE;
    }

    private static double share(MemoryFit fit) {
        return (double) fit.reservedBytes() / fit.capacityBytes();
    }

    /**
     * What a reader must know of a run that fills its memory, or whose memory is not known well enough to say whether it fits; null where neither is so.
     *
     * @param mayLower whether a smaller micro-batch may make room
     * @param range how far off the memory of such runs is; null where none was published
     */
    public static @Nullable Message warning(MemoryFit fit, boolean mayLower, @Nullable ErrorInterval range) {
        String bounds = range == null ? "" : bounds(fit, range);
        boolean full = isAtEdge(fit);
        if (!fit.host().fits() || (!full && bounds.isEmpty())) {
            return null;
        }
        String edge = Quantities.fixed(100 * EDGE, 0) + " %";
        String remedy = mayLower && fit.fitsGpu() ? " Lower micro_batch." : "";
        if (fit.isTight()) {
            return new Message(
                    MessageCode.MEMORY_TIGHT,
                    "memory is tight: the run " + needs(fit)
                            + ". The allocator then flushes and retries, which is not modelled: real runs above "
                            + edge + " were up to 24 % slower, and may run out of memory." + bounds + remedy);
        }
        String how = full
                ? "memory is " + Quantities.fixed(100 * share(fit), 0) + " % full with fragmentation. Above " + edge
                        + ", real runs were up to 24 % slower because the allocator flushes, which is not modelled."
                : "memory is nearly full: the run may or may not fit.";
        return new Message(MessageCode.MEMORY_EDGE, how + bounds + remedy);
    }

    /** What the memory of such runs lies between, where the GPU's lies there, too. */
    private static String bounds(MemoryFit fit, ErrorInterval range) {
        double least = fit.reservedBytes() / (1 + range.high());
        double most = fit.reservedBytes() / (1 + range.low());
        return fit.capacityBytes() < least || fit.capacityBytes() >= most
                ? ""
                : " " + Quantities.fixed(100 * range.coverage(), 0) + " % of such runs need "
                        + threeDigits(Math.round(least)) + " to " + threeDigits(Math.round(most))
                        + " GiB per GPU; it has "
                        + threeDigits(fit.capacityBytes()) + ".";
    }

    /** Three digits, or as many as tell the three figures apart. */
    private static String gib(long bytes, MemoryFit fit) {
        long[] figures = {fit.neededBytes(), fit.reservedBytes(), fit.capacityBytes()};
        long different = LongStream.of(figures).distinct().count();
        if (LongStream.of(figures).mapToObj(MemoryWords::threeDigits).distinct().count() == different) {
            return threeDigits(bytes);
        }
        int decimals = 2;
        while (decimals < DECIMALS_MAX && shown(figures, decimals) < different) {
            decimals++;
        }
        return Quantities.fixed(bytes / Quantities.GIB, decimals);
    }

    private static String threeDigits(long bytes) {
        return Quantities.significant(bytes / Quantities.GIB);
    }

    private static long shown(long[] figures, int decimals) {
        return LongStream.of(figures)
                .mapToObj(bytes -> Quantities.fixed(bytes / Quantities.GIB, decimals))
                .distinct()
                .count();
    }
}
