package io.shardsim.reports;

import io.shardsim.simulator.observation.OperationSpan;
import io.shardsim.simulator.strategy.Stream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Communication that the compute stream waited for; the rest was hidden behind compute.
 *
 * @param seconds time that compute stood still for collectives, mean over ranks [s]
 * @param linkSeconds time that collectives ran, hidden or not, mean over ranks [s]
 * @param culprits what rank 0's compute stream waited for, longest first
 */
public record ExposedCommunication(double seconds, double linkSeconds, List<Culprit> culprits) {

    /**
     * Operations with the same words, numbers left out.
     *
     * @param what for example {@code gather backward layer}
     * @param stream where they ran
     * @param seconds how long compute waited for them [s]
     * @param waits how many times
     */
    public record Culprit(String what, Stream stream, double seconds, int waits) {}

    static ExposedCommunication of(StepBreakdown breakdown, double linkSeconds, List<OperationSpan> timeline) {
        return new ExposedCommunication(
                breakdown.exposedSeconds(Stream.GATHER) + breakdown.exposedSeconds(Stream.REDUCE),
                linkSeconds,
                culprits(timeline));
    }

    /**
     * Charges each gap of the compute stream to the operation of another stream that ended last before the gap did: compute went on
     * because that one was done.
     */
    static List<Culprit> culprits(List<OperationSpan> timeline) {
        List<OperationSpan> others = timeline.stream()
                .filter(span -> span.stream() != Stream.COMPUTE)
                .sorted(Comparator.comparingLong(OperationSpan::endPs))
                .toList();
        List<OperationSpan> compute = timeline.stream()
                .filter(span -> span.stream() == Stream.COMPUTE)
                .sorted(Comparator.comparingLong(OperationSpan::startPs))
                .toList();
        Map<String, Charge> byWords = new TreeMap<>();
        int next = 0;
        long freePs = 0;
        for (OperationSpan span : compute) {
            while (next < others.size() && others.get(next).endPs() <= span.startPs()) {
                next++;
            }
            OperationSpan last = next == 0 ? null : others.get(next - 1);
            if (span.startPs() > freePs && last != null && last.endPs() > freePs) {
                charge(byWords, last, span.startPs() - freePs);
            }
            freePs = Math.max(freePs, span.endPs());
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

    private record Charge(String what, Stream stream, long gapPs, int waits) {}

    private static void charge(Map<String, Charge> byWords, OperationSpan span, long gapPs) {
        String words = withoutNumbers(span.label());
        byWords.merge(
                words + "/" + span.stream(),
                new Charge(words, span.stream(), gapPs, 1),
                (a, b) -> new Charge(a.what(), a.stream(), a.gapPs() + b.gapPs(), a.waits() + b.waits()));
    }

    static String withoutNumbers(String label) {
        String words =
                label.replaceAll("[0-9][0-9.,]*", "").replaceAll("\\s+", " ").trim();
        return words.isEmpty() ? label : words;
    }
}
