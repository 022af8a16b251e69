package io.shardsim.reports;

import io.shardsim.simulator.observation.OperationSpan;
import io.shardsim.simulator.plan.Stream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Exposed communication, which the compute stream waited for; the rest overlapped with compute.
 *
 * @param seconds time that compute waited for collectives, mean over ranks [s]
 * @param linkSeconds time that collectives ran, overlapped or not, mean over ranks [s]
 * @param culprits what rank 0's compute stream waited for, longest first; other ranks may wait longer or shorter
 */
public record ExposedCommunication(double seconds, double linkSeconds, List<Culprit> culprits) {

    /** Streams that run collectives. */
    static final List<Stream> COLLECTIVES =
            Arrays.stream(Stream.values()).filter(Stream::exchangesData).toList();

    /**
     * Operations of the same name.
     *
     * @param what the name, for example {@code gather backward layer}
     * @param stream where they ran
     * @param seconds time that compute waited for them [s]
     * @param waits number of waits
     */
    public record Culprit(String what, Stream stream, double seconds, int waits) {}

    static ExposedCommunication of(StepBreakdown breakdown, double linkSeconds, List<OperationSpan> timeline) {
        return new ExposedCommunication(
                COLLECTIVES.stream().mapToDouble(breakdown::exposedSeconds).sum(), linkSeconds, culprits(timeline));
    }

    /**
     * Charges each gap of the compute stream along its critical path: backwards from the gap's end to the operation of another stream that ended
     * last, from its start to the one that ended last before it, until the gap's start.
     */
    static List<Culprit> culprits(List<OperationSpan> timeline) {
        List<OperationSpan> others = timeline.stream()
                .filter(span -> span.stream() != Stream.COMPUTE && span.startPs() < span.endPs())
                .sorted(Comparator.comparingLong(OperationSpan::endPs).thenComparingLong(OperationSpan::startPs))
                .toList();
        List<OperationSpan> compute = timeline.stream()
                .filter(span -> span.stream() == Stream.COMPUTE)
                .sorted(Comparator.comparingLong(OperationSpan::startPs))
                .toList();
        Map<String, Charge> byWords = new TreeMap<>();
        int ended = 0;
        long freePs = 0;
        for (OperationSpan span : compute) {
            while (ended < others.size() && others.get(ended).endPs() <= span.startPs()) {
                ended++;
            }
            chargeGap(byWords, others, ended, freePs, span.startPs());
            freePs = Math.max(freePs, span.endPs());
        }
        // After its last operation, compute waits for the rest of the step.
        if (!compute.isEmpty() && !others.isEmpty()) {
            chargeGap(
                    byWords,
                    others,
                    others.size(),
                    freePs,
                    others.get(others.size() - 1).endPs());
        }
        List<Culprit> sorted = new ArrayList<>();
        for (Charge charge : byWords.values()) {
            sorted.add(new Culprit(
                    charge.what(),
                    charge.stream(),
                    charge.gapPs() * StepBreakdown.SECONDS_PER_PICOSECOND,
                    charge.waits()));
        }
        sorted.sort(Comparator.comparingDouble(Culprit::seconds).reversed().thenComparing(Culprit::what));
        return Collections.unmodifiableList(sorted);
    }

    /** @param ended how many of the others ended before the gap did */
    private static void chargeGap(
            Map<String, Charge> byWords, List<OperationSpan> others, int ended, long fromPs, long toPs) {
        long untilPs = toPs;
        for (int i = ended - 1; i >= 0 && untilPs > fromPs && others.get(i).endPs() > fromPs; i--) {
            OperationSpan span = others.get(i);
            if (span.endPs() <= untilPs) {
                long startPs = Math.max(fromPs, span.startPs());
                charge(byWords, span, span.endPs() - startPs);
                untilPs = startPs;
            }
        }
    }

    private record Charge(String what, Stream stream, long gapPs, int waits) {}

    private static void charge(Map<String, Charge> byWords, OperationSpan span, long gapPs) {
        byWords.merge(
                span.label() + "/" + span.stream(),
                new Charge(span.label(), span.stream(), gapPs, 1),
                (a, b) -> new Charge(a.what(), a.stream(), a.gapPs() + b.gapPs(), a.waits() + b.waits()));
    }
}
