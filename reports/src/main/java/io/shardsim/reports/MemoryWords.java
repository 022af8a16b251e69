package io.shardsim.reports;

import io.shardsim.simulator.plan.MemoryFit;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Describes how a training step fits in memory, in one wording everywhere. */
public final class MemoryWords {
    /** Share of GPU memory above which published runs were sometimes slower than simulated (DEVIATIONS.md, E). */
    private static final double EDGE = 0.93;

    private static final int DECIMALS_MAX = 6;

    private MemoryWords() {}

    /** Formats {@code needs 37.9 of 39.6 GiB per GPU, 39.8 GiB with fragmentation}. */
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

    /** Formats by how much memory falls short, for example {@code 71.8 of 39.6 GiB per GPU, 32.3 GiB too much (73.5 GiB with fragmentation)}. */
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

    /** Formats whether it fits, and how tightly, with its needs in parentheses. */
    public static String verdict(MemoryFit fit) {
        String verdict = fit.isRoomy() ? "fits" : fit.isTight() ? "fits tightly" : "does not fit";
        return verdict + " (" + needs(fit) + ")";
    }

    /** Formats the reserved memory for a column of GiB. */
    public static String cell(MemoryFit fit) {
        return Quantities.significant(fit.reservedBytes() / Quantities.GIB);
    }

    /** Returns a run's name for the first column of a table, marked if it is tight. */
    public static String named(String name, RunResult run) {
        return run.isTight() ? "tight: " + name : name;
    }

    /** Returns the caveat for runs that {@link #isAtEdge}, listed by their numbers in a table. */
    public static String edge(List<String> numbers) {
        return "Memory of " + String.join(", ", numbers) + " is more than " + Quantities.fixed(100 * EDGE, 0)
                + " % full: real runs there were up to 24 % slower.";
    }

    /** Returns whether it fits, but so full that real runs were slower. */
    public static boolean isAtEdge(MemoryFit fit) {
        return fit.fits() && share(fit) > EDGE;
    }

    private static double share(MemoryFit fit) {
        return (double) fit.reservedBytes() / fit.capacityBytes();
    }

    /**
     * Returns a warning for a run whose memory is nearly full, or too uncertain to say whether it fits; null otherwise.
     *
     * @param mayLower whether a smaller micro-batch may free memory
     * @param range error range of similar runs' memory; null if none was published
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

    /** Returns the range of similar runs' memory, if it includes the GPU's capacity. */
    private static String bounds(MemoryFit fit, ErrorInterval range) {
        double least = fit.reservedBytes() / (1 + range.high());
        double most = fit.reservedBytes() / (1 + range.low());
        return fit.capacityBytes() < least || fit.capacityBytes() >= most
                ? ""
                : " " + Quantities.fixed(100 * range.coverage(), 0) + " % of similar runs need "
                        + threeDigits(Math.round(least)) + " to " + threeDigits(Math.round(most))
                        + " GiB per GPU; it has "
                        + threeDigits(fit.capacityBytes()) + ".";
    }

    /** Formats three digits, or as many as distinguish the three figures. */
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
