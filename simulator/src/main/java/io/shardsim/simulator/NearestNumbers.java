package io.shardsim.simulator;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Suggests numbers that divide evenly, for remedies in messages. */
public final class NearestNumbers {
    private NearestNumbers() {}

    /** Returns {@code nearest divisors: 32, 64}, at most one on each side of the wanted number. */
    public static String divisors(long number, long wanted) {
        TreeSet<Long> divisors = new TreeSet<>();
        for (long low = 1; low * low <= number; low++) {
            if (number % low == 0) {
                divisors.add(low);
                divisors.add(number / low);
            }
        }
        Set<Long> nearest = new TreeSet<>();
        if (wanted <= number) {
            nearest.add(divisors.ceiling(wanted));
        }
        if (wanted >= 1) {
            nearest.add(divisors.floor(wanted));
        }
        return said("divisor", nearest);
    }

    /** Returns {@code nearest multiples: 1280, 1536}, at most one on each side of the wanted number. */
    public static String multiples(long of, long wanted) {
        long below = wanted / of * of;
        return said("multiple", below == 0 ? Set.of(of) : new TreeSet<>(Set.of(below, below + of)));
    }

    private static String said(String what, Set<Long> nearest) {
        return "nearest " + what + (nearest.size() == 1 ? ": " : "s: ")
                + nearest.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }
}
