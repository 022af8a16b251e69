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
 * Measurements compared with healthy runs, and the faults that would explain the difference.
 *
 * @param name the run's name on the command line
 * @param logs measurements, at least one of the run itself
 * @param suspects faults shown by a log first, then those that fit, most likely first; then the closest
 * @param others faults that change nothing here, do not fit in memory or take too long to simulate, and what is known about faults
 * @param beyond what was tried if no single fault fits
 */
public record Explanation(String name, List<Log> logs, List<Suspect> suspects, Others others, Beyond beyond) {
    /** Standard deviations within which a fault's speed explains the measurement. */
    static final double FIT_MAX = 2;

    /** The outcome of a comparison. */
    public enum Verdict {
        HEALTHY,
        /** The speed is as expected, but memory is not. */
        OTHER_MEMORY,
        FASTER,
        EXPLAINED,
        UNEXPLAINED,
        DOES_NOT_FIT
    }

    /**
     * The expected error of a simulated speed or memory, as the logarithm of simulated over measured.
     *
     * @param low lower end of the range of similar published runs [1]
     * @param high upper end of the range [1]
     * @param assumed why the range is an assumption; empty if it comes from published runs
     */
    record Expected(double low, double high, String assumed) {
        /** Standard deviations from the centre of a normal distribution to the ends of its central 80 % range. */
        private static final double DEVIATIONS = 1.2816;

        boolean published() {
            return assumed.isEmpty();
        }

        double deviation() {
            return (high - low) / 2 / DEVIATIONS;
        }

        /** Returns how many standard deviations a ratio is off. */
        double deviations(double timesAsFast) {
            return (StrictMath.log(timesAsFast) - (low + high) / 2) / deviation();
        }

        boolean isUsual(double timesAsFast) {
            return StrictMath.log(timesAsFast) >= low && StrictMath.log(timesAsFast) <= high;
        }

        /** Returns whether the measurement is faster than similar published runs. */
        boolean isFaster(double timesAsFast) {
            return StrictMath.log(timesAsFast) < low;
        }
    }

    /**
     * A measured speed or memory, with the run without a fault.
     *
     * @param expected expected error of the simulation
     */
    record Log(Measured measured, RunResult healthy, Expected expected) {
        /** Tolerance within which a figure is a multiple of the simulated one, and so may count other GPUs than its unit says [1]. */
        private static final double SCOPE_ERROR = 0.1;

        double timesAsFast() {
            return timesAsFast(healthy);
        }

        /** Returns how much faster a run is than measured; a speed given as a share of the healthy speed has the usual error. */
        private double timesAsFast(RunResult run) {
            double times = measured.timesAsFast(run, healthy);
            return measured.unit() == Measured.Unit.OF_HEALTHY
                    ? times * StrictMath.exp((expected.low() + expected.high()) / 2)
                    : times;
        }

        /** Returns whether this is a speed; memory separates faults, but does not show whether a run is slow. */
        boolean isSpeed() {
            return !measured.unit().isMemory();
        }

        boolean isUsual() {
            return expected.isUsual(timesAsFast());
        }

        boolean isFaster() {
            return expected.isFaster(timesAsFast());
        }

        /** Returns the nodes' cost per day in dollars; 0 if the catalog has no price. */
        double usdPerDay() {
            return 24
                    * healthy.nodes()
                    * healthy.facts().cluster().instance().price().usdPerHour();
        }

        /** Returns the share of a slow run's time that a healthy one would not take; 0 for any other run. */
        double lostShare() {
            return !isSpeed() || isUsual() ? 0 : Math.max(0, 1 - 1 / timesAsFast());
        }

        /** Returns the figure that a run's log would print. */
        double figure(RunResult run) {
            return measured.figure(run, healthy);
        }

        /** Asks about the unit if the figure matches all GPUs, a node or one GPU, but its unit says another; empty otherwise. */
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

        /** Returns the usual range of figures of a run without a fault, lower end first. */
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

        /** Returns whether a run with a fault is as fast as healthy ones, so that the fault explains nothing. */
        boolean isHealthyToo(RunResult run) {
            double slower = StrictMath.log(Measured.Unit.seconds(run) / Measured.Unit.seconds(healthy));
            return slower >= expected.low() && slower <= expected.high();
        }

        /** Returns by how many standard deviations a run differs from the measurement. */
        double deviations(RunResult run) {
            return expected.deviations(timesAsFast(run));
        }
    }

    /**
     * A fault, with its runs at the strength that fits best.
     *
     * @param fault name of its file
     * @param title title including the strength
     * @param settings settings that cause it
     * @param runs runs with it, one per log; empty if not simulated
     * @param deviations standard deviations between its speed and the measurement, per log; and those of a profile's parts [1]
     * @param likelihood likelihood of all its strengths, before normalization [1]
     * @param share share of the likelihood of all faults that fit, 0 to 1; 0 if it does not fit
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
         * Returns this suspect with one more deviation.
         *
         * @param deviation deviation of a profile's parts
         * @param fitting whether some strength gives the measured speed
         */
        Suspect with(double deviation, boolean fitting) {
            List<Double> all = new ArrayList<>(fitting ? Collections.nCopies(deviations.size(), 0.0) : deviations);
            all.add(deviation);
            double before = fitting ? KnownFault.named(fault).odds() : likelihood;
            double weighed = before * StrictMath.exp(-deviation * deviation / 2);
            return new Suspect(fault, title, settings, look, runs, all, weighed, share);
        }

        /** Combines this suspect with another strength of the fault. */
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

        /** Returns the deviation of the log that it fits worst. */
        double worst() {
            return deviations.stream().mapToDouble(Math::abs).max().orElse(0);
        }

        boolean explains() {
            return worst() <= FIT_MAX;
        }
    }

    /**
     * Further attempts if no single fault fits.
     *
     * @param pairs pairs of the closest faults, closest first; each is one suspect with both titles
     * @param next the most informative next measurement; empty if none separates the closest faults
     */
    record Beyond(List<Suspect> pairs, String next) {
        static final Beyond NOTHING = new Beyond(List.of(), "");
    }

    /**
     * Titles of faults without evidence here, and what is known about faults by name.
     *
     * @param healthyToo faults with which a run is as fast as healthy ones, though the measurement is not
     * @param ruledOut faults that were checked and excluded
     * @param shown log lines that show a fault
     * @param questions questions about faults whose keys the scenario leaves open
     * @param profiled findings of a profile: parts that take long, and faults that would lengthen others
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

    /** Ranks the suspects. A fault's likelihood is that of its strengths together; it is shown with the strength that fits best. */
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

    /** Returns whether a fault makes a run slower than measured, which no further fault can repair. */
    private static boolean isSlower(List<Log> logs, Suspect one) {
        return IntStream.range(0, logs.size())
                .anyMatch(i -> logs.get(i).isSpeed() && one.deviations().get(i) < -FIT_MAX);
    }

    /**
     * Returns how badly a fault fits all evidence, allowing for an unknown slowdown of all runs alike: half the squared remaining deviations, plus
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

    /** Returns the first speed as written on a command line. */
    String measured() {
        Measured first = logs.get(0).measured();
        return first.words(first.value());
    }

    /** Returns whether all runs fit in memory. */
    public boolean fits() {
        return logs.stream().allMatch(log -> log.healthy().fits());
    }

    /** Returns the main finding. */
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
