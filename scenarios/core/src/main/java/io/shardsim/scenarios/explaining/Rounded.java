package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Quantities;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Times in one unit with as many decimals, rounded such that what is shown sums to what is shown of the whole: by largest remainder, as seats are dealt.
 *
 * @param unit name of the unit, for example {@code ms}
 * @param quantumPs a unit of the last decimal that is shown [ps]
 */
record Rounded(String unit, int decimals, long quantumPs) {
    private static final long SECOND_PS = 1_000_000_000_000L;
    private static final List<String> UNITS = List.of("s", "ms", "us");

    /** Three or four digits of the longest of some times. */
    static Rounded of(long longestPs) {
        long unitPs = SECOND_PS;
        int unit = 0;
        while (unit < UNITS.size() - 1 && longestPs < unitPs) {
            unitPs /= 1000;
            unit++;
        }
        int decimals = longestPs >= 100 * unitPs ? 1 : longestPs >= 10 * unitPs ? 2 : 3;
        long quantum = unitPs;
        for (int i = 0; i < decimals; i++) {
            quantum /= 10;
        }
        return new Rounded(UNITS.get(unit), decimals, quantum);
    }

    /** Whole quanta that sum to the quanta of the sum. */
    List<Long> quanta(List<Long> partsPs) {
        long whole = quanta(partsPs.stream().mapToLong(Long::longValue).sum());
        List<Long> quanta = new ArrayList<>();
        partsPs.forEach(ps -> quanta.add(Math.floorDiv(ps, quantumPs)));
        long missing = whole - quanta.stream().mapToLong(Long::longValue).sum();
        IntStream.range(0, partsPs.size())
                .boxed()
                .sorted(Comparator.comparingLong(part -> -Math.floorMod(partsPs.get(part), quantumPs)))
                .limit(Math.max(0, missing))
                .forEach(part -> quanta.set(part, quanta.get(part) + 1));
        return quanta;
    }

    /** The nearest number of quanta. */
    long quanta(long ps) {
        return Math.floorDiv(ps + quantumPs / 2, quantumPs);
    }

    /** Without the unit. */
    String text(long quanta) {
        return Quantities.fixed(BigDecimal.valueOf(quanta, decimals).doubleValue(), decimals);
    }

    /** With a sign, also where it is more. */
    String change(long quanta) {
        return (quanta > 0 ? "+" : "") + text(quanta);
    }
}
