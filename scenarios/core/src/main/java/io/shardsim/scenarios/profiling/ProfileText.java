package io.shardsim.scenarios.profiling;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.writing.Paragraphs;
import io.shardsim.scenarios.profiling.KernelNames.Kind;
import io.shardsim.scenarios.profiling.StepSplit.Traffic;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Formats a profile comparison for the terminal. */
public final class ProfileText {
    private static final Traffic NONE = new Traffic(0, 0, 0);
    /** Ratio above which different bytes of a collective are reported. */
    private static final double NOTABLE = 1.02;

    private static final double NOTABLE_BYTES = 1e6;
    /** Maximum number of layers listed. */
    private static final int ODD_MAX = 4;

    private final ProfileComparison comparison;
    private final Paragraphs out;

    private ProfileText(ProfileComparison comparison, int width) {
        this.comparison = comparison;
        out = new Paragraphs(width);
    }

    /** Returns text of at most {@code width} columns. */
    public static String write(ProfileComparison comparison, int width) {
        return new ProfileText(comparison, width).text();
    }

    private String text() {
        Profile real = comparison.real();
        out.line("Trace: " + comparison.trace() + ", rank " + real.rank() + ", " + real.step());
        out.line("Simulated: " + comparison.scenario() + ", "
                + (comparison.fits()
                        ? "rank " + comparison.simulated().profile().rank() + ", "
                        : "")
                + comparison.run().label() + " on "
                + Quantities.counted(comparison.run().gpus(), "GPU"));
        if (!comparison.fits()) {
            out.line("Nothing to compare: the simulated training does not fit in memory. "
                    + Objects.requireNonNullElse(comparison.run().remedy(), ""));
            return out.toString();
        }
        out.asIs("\n");
        parts();
        out.asIs("\n");
        layers();
        collectives();
        out.asIs("\n");
        arrivals();
        comparison.doubts().forEach(out::line);
        largest();
        bytes();
        out.line("Overlapping time counts once: as kernel, else collective, else copy, so the parts sum to the "
                + "step. Exposed time overlaps with no kernel; idle includes waiting for the host. The "
                + "simulated step has whole layers.");
        return out.toString();
    }

    private void parts() {
        StepSplit theirs = comparison.traced();
        StepSplit ours = comparison.simulated().split();
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("ms of the step", "trace", "simulated", "difference"));
        for (ProfileComparison.Part part : comparison.parts()) {
            rows.add(row(part));
            if (part.name().equals("computing")) {
                for (String name : comparison.names(Kind.COMPUTING)) {
                    rows.add(List.of("  " + name, millis(theirs.parts(), name), millis(ours.parts(), name), ""));
                }
            }
        }
        rows.add(row(new ProfileComparison.Part("step", theirs.stepNs(), ours.stepNs())));
        out.table(rows, 1);
    }

    private static List<String> row(ProfileComparison.Part part) {
        return List.of(part.name(), millis(part.traceNs()), millis(part.simulatedNs()), signed(part.longerNs()));
    }

    private static String signed(long ns) {
        String millis = millis(ns);
        return ns > 0 && !millis.equals(millis(0)) ? "+" + millis : millis;
    }

    private static String millis(Map<String, Long> parts, String name) {
        Long ns = parts.get(name);
        return ns == null ? "-" : millis(ns);
    }

    private static String millis(long ns) {
        return Quantities.fixed(ns / 1e6, 2);
    }

    private void layers() {
        Layers theirs = comparison.theirs().layers();
        Layers ours = comparison.simulated().layers();
        if (theirs.forwardNs().isEmpty() || ours.forwardNs().isEmpty()) {
            out.line("No layers: in the " + (theirs.forwardNs().isEmpty() ? "trace" : "simulated step")
                    + " no sequence of GEMMs and attention follows itself three times.");
            out.asIs("\n");
            return;
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("ms of the median layer", "trace", "simulated", "difference"));
        rows.add(row(new ProfileComparison.Part(
                "forward", Layers.median(theirs.forwardNs()), Layers.median(ours.forwardNs()))));
        if (!theirs.backwardNs().isEmpty() && !ours.backwardNs().isEmpty()) {
            rows.add(row(new ProfileComparison.Part(
                    "backward", Layers.median(theirs.backwardNs()), Layers.median(ours.backwardNs()))));
        }
        out.table(rows, 1);
        if (theirs.forwardNs().size() != ours.forwardNs().size()) {
            out.line("The trace repeats " + theirs.forwardNs().size() + " layers, the simulated step "
                    + ours.forwardNs().size() + ".");
        }
        odd("trace", "forward", theirs.forwardNs());
        odd("trace", "backward", theirs.backwardNs());
        odd("simulated step", "forward", ours.forwardNs());
        odd("simulated step", "backward", ours.backwardNs());
        out.asIs("\n");
    }

    private void odd(String where, String pass, List<Long> layers) {
        List<String> words = Layers.odd(layers).stream()
                .map(layer -> layer + " (" + millis(layers.get(layer)) + " ms)")
                .toList();
        if (!words.isEmpty()) {
            out.line("Unlike the median " + pass + " layer of the " + where + ", counted from 0: "
                    + String.join(", ", words.subList(0, Math.min(ODD_MAX, words.size())))
                    + (words.size() > ODD_MAX ? " and " + (words.size() - ODD_MAX) + " more" : "") + ".");
        }
    }

    private void arrivals() {
        String words = late(comparison.arrivals());
        if (!words.isEmpty()) {
            out.line(words);
        }
    }

    /** Which rank the others wait for, in sentences; empty for a single profile. */
    static String late(Arrivals arrivals) {
        if (arrivals.ranks() < 2) {
            return "";
        }
        String of = Quantities.counted(arrivals.ranks(), "rank") + ", "
                + Quantities.counted(arrivals.collectives(), "collective") + " in two profiles or more: ";
        if (arrivals.collectives() == 0) {
            return of + "no all-gather, reduce-scatter or all-reduce is in more than one profile.";
        }
        if (!arrivals.isAnyLate()) {
            return of + "no rank is late.";
        }
        Arrivals.Late first = arrivals.late().get(0);
        return of + (arrivals.isAlwaysTheSame() ? "the same rank" : "not always the same rank") + " is late. Rank "
                + first.rank() + " comes last to " + first.last() + " ("
                + Quantities.percent((double) first.last() / arrivals.collectives())
                + "), " + Quantities.percent(arrivals.shareOfFirst())
                + " of all waits are for it. Exposed collectives take "
                + millis(first.exposedNs()) + " ms more of the median other rank's step than of its own."
                + (arrivals.isAlwaysTheSame() ? " Compare its computing with another rank's." : "");
    }

    private void collectives() {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("collectives", "trace", "bytes", "ms", "simulated", "bytes", "ms"));
        for (String name : comparison.names(Kind.COLLECTIVES)) {
            List<String> row = new ArrayList<>(List.of(name));
            row.addAll(cells(theirs(name)));
            row.addAll(cells(ours(name)));
            rows.add(row);
        }
        out.table(rows, 1);
    }

    private Traffic theirs(String name) {
        return comparison.traced().collectives().getOrDefault(name, NONE);
    }

    private Traffic ours(String name) {
        return comparison.simulated().split().collectives().getOrDefault(name, NONE);
    }

    private static List<String> cells(Traffic traffic) {
        return List.of(
                String.valueOf(traffic.number()),
                traffic.bytes() == 0 ? "-" : Quantities.bytes(traffic.bytes()),
                millis(traffic.busyNs()));
    }

    private void largest() {
        ProfileComparison.Part largest = comparison.largest();
        if (largest.longerNs() != 0) {
            out.line("Largest difference: " + largest.name() + " takes " + millis(Math.abs(largest.longerNs())) + " ms "
                    + (largest.longerNs() > 0 ? "more" : "less") + " than simulated.");
        }
    }

    /** Reports other collectives or other bytes: the training then has another wrapping, precision or schedule than the scenario. */
    private void bytes() {
        List<String> unknown = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        List<String> further = new ArrayList<>();
        for (String name : comparison.names(Kind.COLLECTIVES)) {
            long theirs = theirs(name).bytes();
            long ours = ours(name).bytes();
            if (theirs(name).number() == 0) {
                missing.add(name);
            } else if (ours(name).number() == 0) {
                further.add(name);
            } else if (theirs == 0) {
                unknown.add(name);
            } else if (Math.max(theirs, ours) > NOTABLE_BYTES
                    && Math.max(theirs, ours) > NOTABLE * Math.min(theirs, ours)) {
                out.line("In the trace " + name + " moves " + Quantities.bytes(theirs) + ", in the scenario "
                        + Quantities.bytes(ours)
                        + ": compare precision, regathering in backward, and accumulation.");
            }
        }
        tell("Only in the scenario, perhaps from another strategy: ", missing);
        tell("Only in the trace: ", further);
        tell("The trace does not give the bytes of these (PyTorch 2.3 and later do): ", unknown);
    }

    private void tell(String words, List<String> names) {
        if (!names.isEmpty()) {
            out.line(words + String.join(", ", names) + ".");
        }
    }
}
