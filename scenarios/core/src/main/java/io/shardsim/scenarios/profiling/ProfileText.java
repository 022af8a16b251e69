package io.shardsim.scenarios.profiling;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.writing.Paragraphs;
import io.shardsim.scenarios.profiling.KernelNames.Kind;
import io.shardsim.scenarios.profiling.StepSplit.Traffic;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A profiled step beside the simulated one, for the terminal. */
public final class ProfileText {
    private static final Traffic NONE = new Traffic(0, 0, 0);
    /** Bytes of a class of collectives that differ by more are told of. */
    private static final double NOTABLE = 1.02;

    private static final double NOTABLE_BYTES = 1e6;

    private final ProfileComparison comparison;
    private final Paragraphs out;

    private ProfileText(ProfileComparison comparison, int width) {
        this.comparison = comparison;
        out = new Paragraphs(width);
    }

    /** At most {@code width} columns wide. */
    public static String write(ProfileComparison comparison, int width) {
        return new ProfileText(comparison, width).text();
    }

    private String text() {
        Profile real = comparison.real();
        out.line("Trace: " + comparison.trace() + ", rank " + real.rank() + ", " + real.step());
        out.line("Simulated: " + comparison.scenario() + ", rank " + comparison.simulatedRank() + ", "
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
        collectives();
        out.asIs("\n");
        largest();
        bytes();
        out.line("Overlapping time counts once: as kernel, else collective, else copy, so the parts sum to the "
                + "step. Exposed time overlaps with no kernel; idle includes waiting for the host. The "
                + "simulated step has whole layers.");
        return out.toString();
    }

    private void parts() {
        StepSplit theirs = comparison.traced();
        StepSplit ours = Objects.requireNonNull(comparison.simulated());
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
        return Objects.requireNonNull(comparison.simulated()).collectives().getOrDefault(name, NONE);
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

    /** Other collectives and other bytes are another wrapping, precision or schedule than the scenario says. */
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
