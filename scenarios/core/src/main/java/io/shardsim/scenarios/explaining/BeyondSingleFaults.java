package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.ProgressListener;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Explanations beyond single faults: pairs of faults, and the next measurement that would best separate the closest ones. */
final class BeyondSingleFaults {
    /** Number of closest faults to pair with all others. */
    private static final int PAIRED = 2;

    private static final int PAIRS_MAX = 24;
    private static final int TOLD_APART = 3;
    /** Standard deviations of a simulated speed by which predictions must differ for a measurement to separate them. */
    private static final double TELLS = 2;

    private static final List<Map<String, String>> PROBES = List.of(
            Map.of("cluster.nodes", "1"), Map.of("training.micro_batch", "1"), Map.of("workload.size", "1 MiB"));

    private final Explainer.Subject subject;
    private final Explanation single;
    private final FurtherRuns further;
    private final long eventsMax;
    private final ProgressListener progress;

    BeyondSingleFaults(
            Explainer.Subject subject,
            Explanation single,
            FurtherRuns further,
            long eventsMax,
            ProgressListener progress) {
        this.subject = subject;
        this.single = single;
        this.further = further;
        this.eventsMax = eventsMax;
        this.progress = progress;
    }

    /** Returns the explanation with these results; null if interrupted. */
    @Nullable
    Explanation tried(List<FaultCase> cases) {
        List<FaultCase> pairs = pairs(cases);
        PointRuns runs =
                run(pairs.stream().flatMap(pair -> pair.points().stream()).toList());
        if (runs == null) {
            return null;
        }
        Map<FaultCase, List<RunResult>> ran = new IdentityHashMap<>();
        pairs.forEach(pair -> ran.put(pair, pair.results(runs)));
        List<Explanation.Suspect> two = Suspects.explanation(single, pairs, ran).suspects();
        boolean fits = !two.isEmpty() && two.get(0).explains();
        List<Explanation.Suspect> closest = (fits ? two : single.suspects())
                .stream()
                        .filter(one -> !one.runs().isEmpty() && (!fits || one.explains()))
                        .limit(TOLD_APART)
                        .toList();
        String next = next(closest);
        return next == null ? null : single.with(new Explanation.Beyond(two, next));
    }

    private List<FaultCase> pairs(List<FaultCase> cases) {
        List<FaultCase> closest = single.suspects().stream()
                .flatMap(one -> cases.stream()
                        .filter(each -> each.title().equals(one.title())
                                && !each.points().isEmpty()))
                .toList();
        List<FaultCase> pairs = new ArrayList<>();
        for (int i = 0; i < Math.min(PAIRED, closest.size()); i++) {
            for (FaultCase other : closest.subList(i + 1, closest.size())) {
                FaultCase pair = pair(closest.get(i), other);
                if (pair != null && pairs.size() < PAIRS_MAX) {
                    pairs.add(pair);
                }
            }
        }
        return pairs;
    }

    /** Returns both faults combined; null if they set the same key, or the strategy cannot run with both. */
    private @Nullable FaultCase pair(FaultCase one, FaultCase other) {
        List<Map<String, String>> settings = new ArrayList<>();
        List<ScenarioPoint> points = new ArrayList<>();
        for (int i = 0; i < single.logs().size(); i++) {
            Map<String, String> both = new LinkedHashMap<>(one.settings().get(i));
            both.putAll(other.settings().get(i));
            ScenarioPoint point = Collections.disjoint(
                            one.settings().get(i).keySet(),
                            other.settings().get(i).keySet())
                    ? FaultCase.changed(subject, single.logs().get(i).measured().at(), both)
                    : null;
            if (point == null) {
                return null;
            }
            settings.add(both);
            points.add(point);
        }
        return new FaultCase(
                one.fault() + " + " + other.fault(),
                one.known().and(other.known()),
                one.title() + " + " + other.title(),
                settings,
                points);
    }

    /** Returns the measurement whose prediction differs most among the closest faults; empty if none differs, null if interrupted. */
    private @Nullable String next(List<Explanation.Suspect> closest) {
        double most = TELLS * single.logs().get(0).expected().deviation();
        String best = "";
        for (Map<String, String> at : PROBES) {
            List<ScenarioPoint> points =
                    single.logs().stream().anyMatch(log -> log.measured().at().equals(at))
                            ? List.of()
                            : closest.stream()
                                    .map(one -> FaultCase.changed(subject, at, one.settings()))
                                    .filter(Objects::nonNull)
                                    .toList();
            PointRuns runs = run(points);
            if (runs == null) {
                return null;
            }
            List<RunResult> ran = points.stream()
                    .map(runs::result)
                    .filter(run -> run != null && run.fits())
                    .toList();
            Spread spread = Spread.of(ran, ran.isEmpty() ? Measured.Unit.SECONDS : Measured.Unit.speedOf(ran.get(0)));
            if (ran.size() == closest.size() && isNews(ran, closest) && spread.logarithm() > most) {
                most = spread.logarithm();
                best = "the speed at " + new Measured(1, spread.unit(), at).place() + ": " + spread.words();
            }
        }
        List<RunResult> usual = closest.stream().map(one -> one.runs().get(0)).toList();
        if (usual.stream().allMatch(run -> run.training() != null)) {
            Spread memory = Spread.of(usual, Measured.Unit.RESERVED);
            best = memory.logarithm() > most ? "reserved memory: " + memory.words() : best;
        }
        return best;
    }

    /** Returns whether the runs differ from those measured. */
    private static boolean isNews(List<RunResult> ran, List<Explanation.Suspect> closest) {
        return IntStream.range(0, ran.size())
                .anyMatch(i -> !Objects.equals(
                        ran.get(i).digest(), closest.get(i).runs().get(0).digest()));
    }

    /** The spread of predictions for one measurement. */
    private record Spread(double least, double most, Measured.Unit unit) {
        static Spread of(List<RunResult> runs, Measured.Unit unit) {
            return new Spread(
                    runs.stream().mapToDouble(unit::of).min().orElse(1),
                    runs.stream().mapToDouble(unit::of).max().orElse(1),
                    unit);
        }

        double logarithm() {
            return StrictMath.log(most / least);
        }

        String words() {
            return "the closest give " + Quantities.threeDigits(least) + " to "
                    + new Measured(most, unit, Map.of()).words(most);
        }
    }

    private @Nullable PointRuns run(List<ScenarioPoint> points) {
        return further.runWhole(points, options -> options.within(eventsMax), progress);
    }
}
