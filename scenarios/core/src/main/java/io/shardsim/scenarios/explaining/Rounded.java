package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Quantities;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Times rounded to one unit and number of decimals such that displayed parts sum to the displayed total: largest-remainder method, as in the
 * allocation of seats.
 *
 * @param unit the unit's name, for example {@code ms}
 * @param quantumPs one unit of the last displayed decimal [ps]
 */
record Rounded(String unit, int decimals, long quantumPs) {
    private static final long SECOND_PS = 1_000_000_000_000L;
    private static final List<String> UNITS = List.of("s", "ms", "us");

    /** Returns a rounding with three or four digits for the longest time. */
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

    /** Rounds parts to whole quanta that sum to the rounded total. */
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

    /** Returns the nearest number of quanta. */
    long quanta(long ps) {
        return Math.floorDiv(ps + quantumPs / 2, quantumPs);
    }

    /** Formats quanta without the unit. */
    String text(long quanta) {
        return Quantities.fixed(BigDecimal.valueOf(quanta, decimals).doubleValue(), decimals);
    }

    /** Formats quanta with a sign, also if positive. */
    String change(long quanta) {
        return (quanta > 0 ? "+" : "") + text(quanta);
    }
}
