package io.shardsim.reports.writing.html;

import io.shardsim.reports.Names;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.StreamLook;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.simulator.observation.OperationSpan;
import io.shardsim.simulator.plan.Stream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One training step of rank 0, operation by operation, a lane per stream. It initially shows a short stretch; the reader can zoom out to the whole
 * step.
 */
final class StepTimeline {
    /** Number of compute operations in the stretch. */
    private static final int STRETCH_OPERATIONS = 14;
    /** Maximum number of operations, beyond which a chart gets slow; a longer step shows the part around the stretch. */
    static final int SPANS_MAX = 6000;

    private static final double PS_TO_SECONDS = 1e-12;
    private static final double PS_TO_US = 1e-6;
    private static final int LANE = 34;
    private static final int AROUND_LANES = 130;

    private final List<OperationSpan> spans;
    private final List<StreamLook> streams;
    private final long endPs;
    private final long fromPs;
    private final long toPs;

    /** @param stretchPs length of the stretch, equal for all timelines on the page [ps] */
    StepTimeline(List<OperationSpan> spans, long stretchPs) {
        this.spans = spans;
        streams = streamsOf(spans);
        endPs = endOf(spans);
        long length = Math.min(stretchPs, endPs);
        long middle = turnOf(spans);
        fromPs = Math.max(0, Math.min(endPs - length, middle - length / 2));
        toPs = fromPs + length;
    }

    /** Returns the length of a stretch with the usual number of operations around the turn from forward to backward [ps]. */
    static long stretchPs(List<OperationSpan> spans) {
        List<OperationSpan> compute = ofStream(spans, Stream.COMPUTE);
        if (compute.size() <= STRETCH_OPERATIONS) {
            return endOf(spans);
        }
        int turn = turn(compute);
        int first = Math.max(0, Math.min(compute.size() - STRETCH_OPERATIONS, turn - STRETCH_OPERATIONS / 2));
        return compute.get(first + STRETCH_OPERATIONS - 1).endPs()
                - compute.get(first).startPs();
    }

    Figure figure(String id, String run, boolean bare) {
        List<String> labels = new ArrayList<>();
        JsonObject data = new JsonObject()
                .list(
                        "lanes",
                        streams,
                        look -> new JsonObject()
                                .with("name", Names.of(look.stream()))
                                .with("colour", "lane-" + look.id()))
                .with("spans", drawn(labels))
                .with("labels", labels)
                .with("end", microseconds(endPs))
                .with("from", microseconds(fromPs))
                .with("to", microseconds(toPs));
        return new Figure(
                id,
                Figure.Kind.SPANS,
                (bare ? "The collective, " : "One training step, ") + run,
                run + ": activity of each stream of rank 0 in "
                        + (bare ? "the collective of " : "one training step of ") + seconds(endPs),
                LANE * streams.size() + AROUND_LANES,
                data,
                table());
    }

    /** Returns lane, label, start and length of each operation [us]; waiting compute has a label without an operation. */
    private List<List<Integer>> drawn(List<String> labels) {
        Map<String, Integer> numbers = new LinkedHashMap<>();
        List<List<Integer>> all = new ArrayList<>();
        List<OperationSpan> kept = spans.size() <= SPANS_MAX
                ? spans
                : spans.stream()
                        .sorted(Comparator.comparingLong(
                                span -> Math.abs(span.startPs() + span.endPs() - fromPs - toPs)))
                        .limit(SPANS_MAX)
                        .toList();
        for (int lane = 0; lane < streams.size(); lane++) {
            Stream stream = streams.get(lane).stream();
            long freePs = -1;
            for (OperationSpan span : ofStream(kept, stream)) {
                if (stream == Stream.COMPUTE && freePs >= 0 && span.startPs() > freePs) {
                    all.add(row(lane, -1, freePs, span.startPs()));
                }
                Integer label = numbers.computeIfAbsent(span.label(), text -> numbers.size());
                all.add(row(lane, label, span.startPs(), span.endPs()));
                freePs = Math.max(freePs, span.endPs());
            }
        }
        labels.addAll(numbers.keySet());
        return all;
    }

    private static List<Integer> row(int lane, int label, long startPs, long endPs) {
        int start = microseconds(startPs);
        return List.of(lane, label, start, microseconds(endPs) - start);
    }

    private static int microseconds(long ps) {
        return (int) Math.round(ps * PS_TO_US);
    }

    private Figure.Table table() {
        return new Columns<List<OperationSpan>>()
                .words("stream", own -> Names.of(own.get(0).stream().reportedAs()))
                .figure("operations", own -> Quantities.count(own.size()))
                .figure(
                        "time of operations",
                        own -> seconds(own.stream()
                                .mapToLong(span -> span.endPs() - span.startPs())
                                .sum()))
                .figure("first starts", own -> seconds(own.get(0).startPs()))
                .figure("last ends", own -> seconds(endOf(own)))
                .of(streams.stream().map(look -> ofStream(spans, look.stream())).toList());
    }

    private static String seconds(long ps) {
        return Quantities.seconds(ps * PS_TO_SECONDS);
    }

    /** Returns streams with operations, in display order. */
    private static List<StreamLook> streamsOf(List<OperationSpan> spans) {
        return StreamLook.all().stream()
                .filter(look -> spans.stream().anyMatch(span -> span.stream().reportedAs() == look.stream()))
                .toList();
    }

    private static long endOf(List<OperationSpan> spans) {
        return Math.max(1, spans.stream().mapToLong(OperationSpan::endPs).max().orElse(1));
    }

    private static List<OperationSpan> ofStream(List<OperationSpan> spans, Stream stream) {
        return spans.stream()
                .filter(span -> span.stream().reportedAs() == stream)
                .sorted(Comparator.comparingLong(OperationSpan::startPs))
                .toList();
    }

    private static long turnOf(List<OperationSpan> spans) {
        List<OperationSpan> compute = ofStream(spans, Stream.COMPUTE);
        return compute.isEmpty() ? endOf(spans) / 2 : compute.get(turn(compute)).startPs();
    }

    /** Returns the index closest to the middle where a run of similar operations ends: from forward to backward. */
    private static int turn(List<OperationSpan> compute) {
        int middle = compute.size() / 2;
        int best = middle;
        int distance = Integer.MAX_VALUE;
        for (int i = 2; i < compute.size(); i++) {
            boolean turns = like(compute.get(i - 2), compute.get(i - 1)) && !like(compute.get(i - 1), compute.get(i));
            if (turns && Math.abs(i - middle) < distance) {
                best = i;
                distance = Math.abs(i - middle);
            }
        }
        return best;
    }

    private static boolean like(OperationSpan a, OperationSpan b) {
        return a.label().equals(b.label());
    }
}
