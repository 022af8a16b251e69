package io.shardsim.scenarios.profiling;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.reports.writing.html.ComparePage;
import io.shardsim.reports.writing.html.Figure;
import io.shardsim.scenarios.profiling.KernelNames.Kind;
import io.shardsim.scenarios.profiling.ProfileComparison.Part;
import io.shardsim.scenarios.profiling.ProfileComparison.Side;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A profile comparison as one HTML file: both timelines on one axis, and a waterfall of the differences. */
public final class ProfileReport {
    private static final long PS_PER_NS = 1000;
    private static final int NS_PER_US = 1000;
    /** Kernels of one class are drawn as one if the gap is below this fraction of the step. */
    private static final long CLOSE = 2000;

    /** Share of the step up to which parts count as equal. */
    private static final double NOISE = 0.01;

    private static final int MARKED = 3;
    private static final int HEIGHT = 410;
    /** One lane for each kind of kernels. */
    private static final List<String> LANES = List.of("compute", "collectives", "copies");

    private static final List<String> COLOURS = List.of("lane-compute", "lane-gather", "lane-copy");

    private final ProfileComparison comparison;
    private final List<List<Integer>> spans = new ArrayList<>();
    private final Map<String, Integer> labels = new LinkedHashMap<>();

    private ProfileReport(ProfileComparison comparison) {
        this.comparison = comparison;
    }

    /** @param comparison with a training that fits in memory */
    public static String write(ProfileComparison comparison) {
        return new ProfileReport(comparison).page().write();
    }

    private ComparePage page() {
        double noiseNs = NOISE * comparison.traced().stepNs();
        List<Part> largest = comparison.parts().stream()
                .filter(part -> Math.abs(part.longerNs()) > noiseNs)
                .sorted(Comparator.comparingLong((Part part) -> Math.abs(part.longerNs()))
                        .reversed())
                .limit(MARKED)
                .toList();
        for (int i = 0; i < largest.size(); i++) {
            mark(i, largest.get(i));
        }
        lanes(largest.size(), comparison.theirs());
        lanes(largest.size() + LANES.size(), comparison.simulated());
        List<String> sentences = new ArrayList<>();
        sentences.add("A: " + comparison.trace() + ", rank " + comparison.real().rank() + ", "
                + comparison.real().step() + ". B: " + comparison.scenario() + ", "
                + comparison.run().label() + ".");
        largest.forEach(part -> sentences.add(words(part) + "."));
        if (largest.isEmpty()) {
            sentences.add("No part differs by more than " + Quantities.seconds(noiseNs / 1e9) + ", "
                    + Quantities.percent(NOISE) + " of the step.");
        }
        Stream.concat(Stream.of(ProfileText.late(comparison.arrivals())), comparison.doubts().stream())
                .filter(sentence -> !sentence.isEmpty())
                .forEach(sentences::add);
        return new ComparePage(
                "A profile and its simulated step",
                sentences,
                "step",
                comparison.parts().stream()
                        .map(part -> new ComparePage.Bar(
                                part.name(), PS_PER_NS * part.traceNs(), PS_PER_NS * part.simulatedNs()))
                        .toList(),
                List.of(),
                ComparePage.table(List.of(), List.of()),
                List.of(figure(largest)));
    }

    private static String words(Part part) {
        return part.name() + " takes " + Quantities.seconds(Math.abs(part.longerNs()) / 1e9)
                + (part.longerNs() > 0 ? " more" : " less") + " in A than in B";
    }

    private static JsonObject lane(String name, String colour) {
        return new JsonObject().with("name", name).with("colour", colour);
    }

    private Figure figure(List<Part> largest) {
        List<JsonObject> lanes = new ArrayList<>();
        largest.forEach(part -> lanes.add(lane(
                part.name() + (part.longerNs() > 0 ? " +" : " -") + Quantities.seconds(Math.abs(part.longerNs()) / 1e9),
                "lane-reduce")));
        for (String side : List.of("A ", "B ")) {
            for (int i = 0; i < LANES.size(); i++) {
                lanes.add(lane(side + LANES.get(i), COLOURS.get(i)));
            }
        }
        int end = us(Math.max(
                comparison.traced().stepNs(), comparison.simulated().split().stepNs()));
        return new Figure(
                "timelines",
                Figure.Kind.SPANS,
                "Both steps on one axis",
                "What the GPU does in the profiled step and in the simulated one",
                HEIGHT,
                new JsonObject()
                        .list("lanes", lanes, lane -> lane)
                        .with("spans", spans)
                        .with("labels", List.copyOf(labels.keySet()))
                        .with("end", end)
                        .with("from", 0)
                        .with("to", end),
                ComparePage.table(
                        List.of("largest difference", "A - B"),
                        largest.stream()
                                .map(part -> List.of(part.name(), Quantities.fixed(part.longerNs() / 1e9, 4) + " s"))
                                .toList()));
    }

    /** Marks the longest interval of a part, in the step that spends more time on it. */
    private void mark(int lane, Part part) {
        Profile profile = (part.longerNs() > 0 ? comparison.theirs() : comparison.simulated()).profile();
        String name = part.name().replace("exposed ", "");
        long startNs = profile.startNs();
        long longest = 0;
        long until = profile.startNs();
        for (Profile.Kernel kernel : profile.kernels()) {
            boolean idle = name.equals(StepSplit.IDLE);
            boolean own = kernel.of().name().equals(name)
                    || name.equals("computing") && kernel.of().kind() == Kind.COMPUTING;
            long length = idle ? kernel.startNs() - until : own ? kernel.ns() : 0;
            if (length > longest) {
                longest = length;
                startNs = idle ? until : kernel.startNs();
            }
            until = Math.max(until, kernel.endNs());
        }
        add(lane, words(part), startNs - profile.startNs(), longest);
    }

    private void lanes(int first, Side side) {
        long close = side.split().stepNs() / CLOSE;
        for (Kind kind : Kind.values()) {
            String name = "";
            long fromNs = 0;
            long untilNs = 0;
            for (Profile.Kernel kernel : side.profile().kernels()) {
                if (kernel.of().kind() != kind) {
                    continue;
                }
                if (!kernel.of().name().equals(name) || kernel.startNs() - untilNs > close) {
                    add(first + kind.ordinal(), name, fromNs - side.profile().startNs(), untilNs - fromNs);
                    name = kernel.of().name();
                    fromNs = kernel.startNs();
                    untilNs = kernel.endNs();
                }
                untilNs = Math.max(untilNs, kernel.endNs());
            }
            add(first + kind.ordinal(), name, fromNs - side.profile().startNs(), untilNs - fromNs);
        }
    }

    private void add(int lane, String label, long startNs, long ns) {
        if (!label.isEmpty()) {
            spans.add(List.of(lane, labels.computeIfAbsent(label, same -> labels.size()), us(startNs), us(ns)));
        }
    }

    private static int us(long ns) {
        return (int) Math.min(Integer.MAX_VALUE, ns / NS_PER_US);
    }
}
