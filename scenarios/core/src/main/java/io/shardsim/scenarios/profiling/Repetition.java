package io.shardsim.scenarios.profiling;

import io.shardsim.scenarios.profiling.KernelNames.Kind;
import io.shardsim.scenarios.profiling.StepSplit.Traffic;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * How many steps a profile shows that names none: its collectives of each class are so many times those of the simulated step.
 *
 * @param step the step whose length is the median, the first of three or more and the last left out; all of the profile where its kernels do not repeat themselves
 * @param times number of steps; 1 where the collectives do not tell more
 */
record Repetition(Profile step, int times) {
    static Repetition of(Profile profile, StepSplit simulated) {
        int times = profile.namesStep() ? 1 : times(StepSplit.of(profile).collectives(), simulated.collectives());
        List<Long> starts = times == 1 ? List.of() : starts(profile, times);
        if (starts.isEmpty()) {
            return new Repetition(profile, times);
        }
        int chosen = ProfileReader.usual(starts);
        return new Repetition(
                profile.between(
                        "step " + (chosen + 1) + " of " + times + ", found by repetition",
                        starts.get(chosen),
                        starts.get(chosen + 1)),
                times);
    }

    /** Whether the profile shows one step, or the one shown was found. */
    boolean isCertain(Profile whole) {
        return times == 1 || step != whole;
    }

    private static int times(Map<String, Traffic> profiled, Map<String, Traffic> simulated) {
        int times = 0;
        for (Map.Entry<String, Traffic> each : simulated.entrySet()) {
            Traffic traffic = profiled.get(each.getKey());
            int number = traffic == null ? 0 : traffic.number();
            int of = each.getValue().number();
            if (number % of != 0 || times != 0 && times != number / of) {
                return 1;
            }
            times = number / of;
        }
        return Math.max(1, times);
    }

    /** When steps start; none unless kernels that compute, and collectives, are the same in each. */
    private static List<Long> starts(Profile profile, int times) {
        List<Profile.Kernel> computing = Layers.computing(profile);
        List<Profile.Kernel> collectives = profile.kernels().stream()
                .filter(kernel -> kernel.of().kind() == Kind.COLLECTIVES)
                .toList();
        if (!repeat(computing, times) || !repeat(collectives, times)) {
            return List.of();
        }
        List<Long> starts = new ArrayList<>(List.of(profile.startNs()));
        for (int i = 1; i < times; i++) {
            // The first collective of a step may start before what computes.
            starts.add(Math.min(
                    computing.get(i * computing.size() / times).startNs(),
                    collectives.get(i * collectives.size() / times).startNs()));
        }
        return starts;
    }

    private static boolean repeat(List<Profile.Kernel> kernels, int times) {
        int period = kernels.size() / times;
        return kernels.size() % times == 0
                && period > 0
                && IntStream.range(period, kernels.size())
                        .allMatch(i -> kernels.get(i)
                                .label()
                                .name()
                                .equals(kernels.get(i - period).label().name()));
    }
}
