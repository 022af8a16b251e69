package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * What was measured beside what healthy runs show, and the faults that would make up the difference.
 *
 * @param name the run as the command line names it
 * @param logs what was measured, one of which at least is of the run itself
 * @param suspects those that a log shows first, then those that fit, the likeliest first; then the closest
 * @param others faults that change nothing here, do not fit in memory or take too long to simulate, and what is known of faults
 * @param beyond what was tried where no single fault fits
 */
public record Explanation(String name, List<Log> logs, List<Suspect> suspects, Others others, Beyond beyond) {
    /** A fault explains what was measured where its own speed is within so many standard deviations. */
    static final double FIT_MAX = 2;

    /** What a comparison comes to. */
    public enum Verdict {
        HEALTHY,
        /** The speed is as it should be, and memory is not. */
        OTHER_MEMORY,
        FASTER,
        EXPLAINED,
        UNEXPLAINED,
        DOES_NOT_FIT
    }

    /**
     * The error of simulated speeds, or of memory, as the logarithm of simulated over measured.
     *
     * @param low at one end of the range of published runs like this one [1]
     * @param high at its other end [1]
     * @param assumed why the range is an assumption; empty where published runs make it
     */
    record Expected(double low, double high, String assumed) {
        /** Standard deviations between the middle of a normal distribution and the ends of the range that holds four fifths of it. */
        private static final double DEVIATIONS = 1.2816;

        boolean published() {
            return assumed.isEmpty();
        }

        double deviation() {
            return (high - low) / 2 / DEVIATIONS;
        }

        /** How many standard deviations a ratio is off. */
        double deviations(double timesAsFast) {
            return (StrictMath.log(timesAsFast) - (low + high) / 2) / deviation();
        }

        boolean isUsual(double timesAsFast) {
            return StrictMath.log(timesAsFast) >= low && StrictMath.log(timesAsFast) <= high;
        }

        /** Whether it was measured faster than published runs like this one are. */
        boolean isFaster(double timesAsFast) {
            return StrictMath.log(timesAsFast) < low;
        }
    }

    /**
     * A measured speed or memory, and the run without a fault.
     *
     * @param expected how far off simulated figures are
     */
    record Log(Measured measured, RunResult healthy, Expected expected) {
        /** A figure so near to a multiple of what is simulated may be that of other GPUs than its unit says [1]. */
        private static final double SCOPE_ERROR = 0.1;

        double timesAsFast() {
            return timesAsFast(healthy);
        }

        /** A speed that is given as a share of what it should be has the usual error. */
        private double timesAsFast(RunResult run) {
            double times = measured.timesAsFast(run, healthy);
            return measured.unit() == Measured.Unit.OF_HEALTHY
                    ? times * StrictMath.exp((expected.low() + expected.high()) / 2)
                    : times;
        }

        /** Memory tells faults apart, but not whether a run is slow. */
        boolean isSpeed() {
            return !measured.unit().isMemory();
        }

        boolean isUsual() {
            return expected.isUsual(timesAsFast());
        }

        boolean isFaster() {
            return expected.isFaster(timesAsFast());
        }

        /** What the nodes cost a day, in dollars; 0 where the catalog has no price. */
        double usdPerDay() {
            return 24
                    * healthy.nodes()
                    * healthy.facts().cluster().instance().price().usdPerHour();
        }

        /** The share of a slow run's time that a healthy one would not take; 0 of every other run. */
        double lostShare() {
            return !isSpeed() || isUsual() ? 0 : Math.max(0, 1 - 1 / timesAsFast());
        }

        /** What the log of a run would print. */
        double figure(RunResult run) {
            return measured.figure(run, healthy);
        }

        /** Asks where the figure is what all GPUs, those of a node or one alone should reach, and its unit says another; empty where it is not so. */
        String scope() {
            Measured.Unit unit = measured.unit();
            if (isUsual() || !(unit.isOfOneGpu() || unit.isOfAllGpus())) {
                return "";
            }
            for (int gpus : new int[] {healthy.gpus(), healthy.gpus() / healthy.nodes()}) {
                double factor = unit.isOfOneGpu() ? 1.0 / gpus : gpus;
                if (gpus > 1 && Math.abs(timesAsFast() / factor - 1) <= SCOPE_ERROR) {
                    return " Is it the speed of "
                            + (unit.isOfOneGpu() ? "all " + gpus + " GPUs" : "one of " + gpus + " GPUs")
                            + "? Then write '" + measured.words(measured.value() * factor) + "'.";
                }
            }
            return "";
        }

        /** Between which figures a run without a fault is usual, the smaller one first. */
        String healthyRange() {
            return Quantities.threeDigits(healthyLow()) + " to " + measured.words(healthyHigh());
        }

        double healthyLow() {
            return isTime() ? middle() * StrictMath.exp(expected.low()) : middle() * StrictMath.exp(-expected.high());
        }

        double healthyHigh() {
            return isTime() ? middle() * StrictMath.exp(expected.high()) : middle() * StrictMath.exp(-expected.low());
        }

        private double middle() {
            return isTime() ? measured.value() / timesAsFast() : measured.value() * timesAsFast();
        }

        private boolean isTime() {
            return measured.unit() == Measured.Unit.SECONDS;
        }

        /** Whether a run with a fault is itself as fast as healthy ones are, so that it makes no run unhealthy. */
        boolean isHealthyToo(RunResult run) {
            double slower = StrictMath.log(Measured.Unit.seconds(run) / Measured.Unit.seconds(healthy));
            return slower >= expected.low() && slower <= expected.high();
        }

        /** By how many standard deviations a run differs from what was measured. */
        double deviations(RunResult run) {
            return expected.deviations(timesAsFast(run));
        }
    }

    /**
     * A fault, and the runs with it in the strength that fits best.
     *
     * @param fault name of its file
     * @param title with the strength
     * @param settings that make it
     * @param runs with it, one for each log; empty where it is not simulated
     * @param deviations for each log, by how many standard deviations its speed differs from what was measured; and that of a profile's parts [1]
     * @param likelihood of all its strengths, before it is compared with other faults [1]
     * @param share of the likelihood of all that fit, 0 to 1; 0 where it does not fit
     */
    record Suspect(
            String fault,
            String title,
            Map<String, String> settings,
            List<String> look,
            List<RunResult> runs,
            List<Double> deviations,
            double likelihood,
            double share) {
        Suspect withShare(double otherShare) {
            return new Suspect(fault, title, settings, look, runs, deviations, likelihood, otherShare);
        }

        /**
         * With one more deviation.
         *
         * @param deviation of the parts of a profile
         * @param fitting whether some strength makes the speed that was measured
         */
        Suspect with(double deviation, boolean fitting) {
            List<Double> all = new ArrayList<>(fitting ? Collections.nCopies(deviations.size(), 0.0) : deviations);
            all.add(deviation);
            double before = fitting ? KnownFault.named(fault).odds() : likelihood;
            double weighed = before * StrictMath.exp(-deviation * deviation / 2);
            return new Suspect(fault, title, settings, look, runs, all, weighed, share);
        }

        /** The same fault with another strength. */
        Suspect or(Suspect other) {
            Suspect best = other.worst() < worst() ? other : this;
            return new Suspect(
                    fault,
                    best.title,
                    best.settings,
                    look,
                    best.runs,
                    best.deviations,
                    likelihood + other.likelihood,
                    share);
        }

        /** Standard deviations of the log that it fits worst. */
        double worst() {
            return deviations.stream().mapToDouble(Math::abs).max().orElse(0);
        }

        boolean explains() {
            return worst() <= FIT_MAX;
        }
    }

    /**
     * What was tried where no single fault fits.
     *
     * @param pairs of the closest faults, the closest first; each is a fault of both titles
     * @param next the measurement that would tell most; empty where none tells the closest apart
     */
    record Beyond(List<Suspect> pairs, String next) {
        static final Beyond NOTHING = new Beyond(List.of(), "");
    }

    /**
     * Titles of faults that can say nothing here, and what is known of faults by name.
     *
     * @param healthyToo those with which a run is as fast as healthy ones, where what was measured is not
     * @param ruledOut those that somebody has looked for and not found
     * @param shown lines of logs that show a fault
     * @param questions of faults whose keys the scenario leaves open
     * @param profiled what a profile says: parts that are long, and faults that would lengthen others
     */
    record Others(
            List<String> withoutEffect,
            List<String> tooLarge,
            List<String> tooLong,
            List<String> healthyToo,
            Set<String> ruledOut,
            Map<String, String> shown,
            Map<String, String> questions,
            List<String> profiled) {
        Others {
            withoutEffect = List.copyOf(withoutEffect);
            tooLarge = List.copyOf(tooLarge);
            tooLong = List.copyOf(tooLong);
            healthyToo = List.copyOf(healthyToo);
            ruledOut = Collections.unmodifiableSet(new TreeSet<>(ruledOut));
            shown = Collections.unmodifiableMap(new LinkedHashMap<>(shown));
            questions = Collections.unmodifiableMap(new LinkedHashMap<>(questions));
            profiled = List.copyOf(profiled);
        }

        Others with(List<String> words) {
            return new Others(withoutEffect, tooLarge, tooLong, healthyToo, ruledOut, shown, questions, words);
        }
    }

    /** Ranks the suspects. A fault is as likely as its strengths together, and shown with the one that fits best. */
    static Explanation of(String name, List<Log> logs, List<Suspect> suspects, Others others) {
        return new Explanation(
                name, List.copyOf(logs), ranked(logs, suspects, others.shown().keySet()), others, Beyond.NOTHING);
    }

    Explanation with(Beyond tried) {
        return new Explanation(name, logs, suspects, others, tried);
    }

    private static List<Suspect> ranked(List<Log> logs, List<Suspect> suspects, Set<String> shown) {
        Map<String, Suspect> faults = new LinkedHashMap<>();
        suspects.forEach(one -> faults.merge(one.fault(), one, Suspect::or));
        double all = faults.values().stream()
                .filter(Suspect::explains)
                .mapToDouble(Suspect::likelihood)
                .sum();
        return faults.values().stream()
                .map(one -> one.withShare(one.explains() && all > 0 ? one.likelihood() / all : 0))
                .sorted(Comparator.<Suspect, Boolean>comparing(one -> !shown.contains(one.fault()))
                        .thenComparing(
                                Comparator.comparingDouble(Suspect::share).reversed())
                        .thenComparing(one -> isSlower(logs, one))
                        .thenComparing(one -> misfit(logs, one))
                        .thenComparing(Suspect::worst)
                        .thenComparing(Suspect::title))
                .toList();
    }

    /** Whether a fault makes a run slower than measured, which nothing else that is wrong can mend. */
    private static boolean isSlower(List<Log> logs, Suspect one) {
        return IntStream.range(0, logs.size())
                .anyMatch(i -> logs.get(i).isSpeed() && one.deviations().get(i) < -FIT_MAX);
    }

    /**
     * How badly a fault fits the pattern of all evidence, where something unknown may slow every run alike as well: half the squared deviations that are left, plus
     * the logarithm of that slowdown.
     */
    static double misfit(List<Log> logs, Suspect one) {
        double weights = 0;
        double weighted = -1;
        for (int i = 0; i < logs.size(); i++) {
            if (logs.get(i).isSpeed()) {
                double deviation = logs.get(i).expected().deviation();
                weights += 1 / (deviation * deviation);
                weighted += one.deviations().get(i) / deviation;
            }
        }
        double slowdown = Math.max(0, weighted / weights);
        double sum = slowdown;
        for (int i = 0; i < logs.size(); i++) {
            double left = one.deviations().get(i)
                    - (logs.get(i).isSpeed() ? slowdown / logs.get(i).expected().deviation() : 0);
            sum += left * left / 2;
        }
        return sum;
    }

    /** The first speed as a command line has it. */
    String measured() {
        Measured first = logs.get(0).measured();
        return first.words(first.value());
    }

    /** Whether all runs fit in memory. */
    public boolean fits() {
        return logs.stream().allMatch(log -> log.healthy().fits());
    }

    /** What to say first. */
    Verdict verdict() {
        if (!fits()) {
            return Verdict.DOES_NOT_FIT;
        }
        List<Log> speeds = logs.stream().filter(Log::isSpeed).toList();
        if (speeds.stream().allMatch(Log::isUsual)) {
            return logs.stream().allMatch(Log::isUsual) ? Verdict.HEALTHY : Verdict.OTHER_MEMORY;
        }
        if (speeds.stream().allMatch(log -> log.isUsual() || log.isFaster())) {
            return Verdict.FASTER;
        }
        return suspects.stream().anyMatch(Suspect::explains) ? Verdict.EXPLAINED : Verdict.UNEXPLAINED;
    }
}
