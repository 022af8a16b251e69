package io.shardsim.scenarios.planning;

import io.shardsim.reports.GapWords;
import io.shardsim.reports.KnownSetting;
import io.shardsim.reports.MemoryWords;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.writing.Paragraphs;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.simulator.strategy.ShardGroupRule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Formats a plan for the terminal: the best, why others lost, and what was ruled out. */
public final class PlanText {
    private static final int FRONT_MAX = 4;

    private final Plan plan;
    private static final int NARROW = 60;
    private final int width;
    private final Paragraphs out;

    private PlanText(Plan plan, int width) {
        this.plan = plan;
        this.width = width;
        out = new Paragraphs(width);
    }

    /** Returns text of at most {@code width} columns. */
    public static String write(Plan plan, int width) {
        return new PlanText(plan, width).text();
    }

    private String text() {
        out.line(title());
        if (plan.best().isEmpty()) {
            out.line(nothing());
            unavailable();
            tooLarge();
            return out.toString();
        }
        String common = common();
        if (!common.isEmpty()) {
            out.line(common);
        }
        out.asIs("\n");
        table();
        out.asIs("\n");
        runnersUp();
        others();
        unavailable();
        fullMemory();
        front();
        rule();
        accuracy();
        out.line(counts());
        notSearched();
        left();
        tooLarge();
        return out.toString();
    }

    private String title() {
        Goal goal = plan.goal();
        StringBuilder title = new StringBuilder(plan.scenario() + ": "
                + (goal.objective() == Objective.FASTEST ? "fastest" : "cheapest") + " of "
                + Quantities.count(plan.counts().searched()) + " configurations");
        if (goal.daysMax() < Double.POSITIVE_INFINITY) {
            title.append(", within ")
                    .append(Quantities.significant(goal.daysMax()))
                    .append(" days");
        }
        if (goal.usdMax() < Double.POSITIVE_INFINITY) {
            title.append(", within ").append(Quantities.usd(goal.usdMax()));
        }
        String stopped = plan.isInterrupted() ? "interrupted" : "out of time";
        return title.append(plan.complete() || plan.best().isEmpty() ? "" : " (" + stopped + ": the best so far)")
                .toString();
    }

    private String nothing() {
        Plan.Counts counts = plan.counts();
        if (!plan.complete()) {
            return (plan.isInterrupted() ? "Interrupted" : "Out of time") + " before any configuration met the limits.";
        }
        String sayable = counts.unwritten() == 0 ? "" : " that these files can express";
        if (counts.simulated() == 0 && counts.prunedByMemory() == counts.searched() - counts.unwritten()) {
            return "Nothing" + sayable + " fits in memory" + tight() + ". Allow more nodes, or use a GPU with "
                    + "more memory.";
        }
        Goal goal = plan.goal();
        boolean days = goal.daysMax() < Double.POSITIVE_INFINITY;
        boolean usd = goal.usdMax() < Double.POSITIVE_INFINITY;
        if (!days && !usd) {
            return "Nothing" + sayable + " can be run.";
        }
        Plan.Ranked nearest = plan.beyondLimits();
        return "Nothing meets the limits. "
                + (nearest == null ? "" : "The best one simulated takes " + cost(nearest) + ". ")
                + (days && usd
                        ? "Allow more days or a larger budget."
                        : days ? "Allow more days or more nodes." : "Allow a larger budget.");
    }

    private static String cost(Plan.Ranked one) {
        return Quantities.threeDigits(one.cost().days()) + " days"
                + (one.cost().hasPrice() ? " and " + Quantities.usd(one.cost().usd()) : "");
    }

    /** Returns the settings that all of the best share. */
    private String common() {
        Map<String, String> alike = plan.best().get(0).candidate().shown();
        plan.best()
                .forEach(one -> alike.entrySet()
                        .removeIf(setting -> !setting.getValue()
                                .equals(one.candidate().shown().get(setting.getKey()))));
        return alike.isEmpty() ? "" : "All of these: " + words(alike);
    }

    private static String words(Map<String, String> settings) {
        List<String> words = new ArrayList<>();
        settings.forEach((key, value) -> words.add(name(key) + " " + value));
        return String.join(", ", words);
    }

    private static String name(String key) {
        return key.equals(SearchSpace.KIND) ? "strategy" : key.substring(key.indexOf('.') + 1);
    }

    /** Adds a table with a column for each setting that differs among the best. */
    private void table() {
        Set<String> differing = new LinkedHashSet<>();
        plan.best().forEach(one -> differing.addAll(one.candidate().shown().keySet()));
        differing.removeIf(key -> plan.best().stream()
                        .map(one -> one.candidate().shown().getOrDefault(key, ""))
                        .distinct()
                        .count()
                == 1);
        List<List<String>> rows = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of(""));
        differing.forEach(key -> head.add(KnownSetting.of(key).shortName()));
        head.addAll(List.of("samples/s", "step s", "GiB", "days", "USD"));
        rows.add(head);
        int rank = 0;
        for (Plan.Ranked one : plan.best()) {
            List<String> row = new ArrayList<>(List.of((one.isTight() ? "tight " : "") + ++rank));
            differing.forEach(key -> row.add(one.candidate().shown().getOrDefault(key, "-")));
            row.addAll(List.of(
                    Quantities.threeDigits(one.samplesPerSecond()),
                    Quantities.threeDigits(one.run().meanStepSeconds()),
                    MemoryWords.cell(one.run().facts().ledger().fit()),
                    Quantities.threeDigits(one.cost().days()),
                    one.cost().hasPrice() ? Quantities.fixed(one.cost().usd(), 0) : "-"));
            rows.add(row);
        }
        if (width < NARROW) {
            int first = head.indexOf("step s");
            rows.forEach(row -> row.subList(first, first + 3).clear());
        }
        out.table(rows, 0);
        out.line("days and USD: " + Quantities.tokens(plan.goal().tokens()) + " tokens, all nodes "
                + plan.best().get(0).run().facts().cluster().instance().price().terms());
    }

    /** Adds why others are not the best; the table covers clusters of other sizes. */
    private void runnersUp() {
        Plan.Ranked best = plan.best().get(0);
        for (int i = 1; i < plan.best().size(); i++) {
            Plan.Ranked other = plan.best().get(i);
            double gain = 1 - plan.goal().score(other) / plan.goal().score(best);
            if (gain > 0 && other.isTight() == best.isTight()) {
                out.line((i + 1) + " is " + Quantities.percent(gain)
                        + " better but splits or offloads more; within 1 %, the simpler one ranks first.");
            } else if (other.run().gpus() == best.run().gpus()
                    && other.run().meanStepSeconds() > best.run().meanStepSeconds()) {
                out.line((i + 1) + " takes " + GapWords.lost(other.run(), best.run()) + ".");
            }
        }
    }

    private void others() {
        List<Plan.Other> others = plan.others(true);
        if (!others.isEmpty()) {
            boolean proven = others.stream().allMatch(Plan.Other::proven);
            out.line("The best of other strategies" + (proven ? ": " : " (at least: time ran out): ")
                    + others.stream().map(this::words).collect(Collectors.joining(", ")) + ".");
        }
    }

    /** Adds strategies whose software is not available, with the gain of each one's best candidate. */
    private void unavailable() {
        plan.others(false).stream()
                .collect(Collectors.groupingBy(
                        other -> Strategies.software(other.kind()),
                        LinkedHashMap::new,
                        Collectors.mapping(this::words, Collectors.joining(", "))))
                .forEach((software, words) -> out.line("Left out (add with --available "
                        + String.join(",", Strategies.software()) + "): " + software.title()
                        + (software.only().isEmpty() ? "" : ", " + software.only()) + ". " + words
                        + "."));
    }

    /** Describes the best of a strategy, with its cluster size if that differs. */
    private String words(Plan.Other other) {
        Plan.Ranked best = other.best();
        if (best == null) {
            String none = other.proven() ? " is no better" : " was not simulated";
            return other.title() + (other.available() ? " does not fit or meet the limits" : none);
        }
        int gpus = best.run().gpus();
        double gain =
                1 - plan.goal().score(best) / plan.goal().score(plan.best().get(0));
        return other.title() + (other.proven() ? " " : " at least ")
                + Quantities.threeDigits(best.samplesPerSecond()) + " samples/s"
                + (gpus == plan.best().get(0).run().gpus() ? "" : " on " + Quantities.counted(gpus, "GPU"))
                + dollars(other)
                + (best.isTight() ? " (tight)" : "")
                + (other.available() ? "" : ", " + Quantities.percent(gain) + " better");
    }

    /** Returns its cost, if money decides. */
    private String dollars(Plan.Other other) {
        Plan.Ranked best = other.best();
        return plan.goal().objective() == Objective.CHEAPEST
                        && best != null
                        && best.cost().hasPrice()
                ? " for " + Quantities.usd(best.cost().usd())
                : "";
    }

    private void fullMemory() {
        List<String> full = IntStream.range(0, plan.best().size())
                .filter(i -> MemoryWords.isAtEdge(
                        plan.best().get(i).run().facts().ledger().fit()))
                .mapToObj(i -> String.valueOf(i + 1))
                .toList();
        if (!full.isEmpty()) {
            out.line(MemoryWords.edge(full));
        }
    }

    private void front() {
        List<Plan.Ranked> front = plan.front();
        if (front.size() < 2) {
            return;
        }
        List<String> words = new ArrayList<>();
        for (Plan.Ranked one : front.subList(0, Math.min(FRONT_MAX, front.size()))) {
            words.add(Quantities.counted(one.candidate().nodes(), "node") + " "
                    + Quantities.threeDigits(one.cost().days()) + " days "
                    + Quantities.usd(one.cost().usd()));
        }
        out.line("Days vs. dollars: " + String.join(", ", words)
                + (front.size() > FRONT_MAX ? ", and " + (front.size() - FRONT_MAX) + " more" : ""));
    }

    /** Compares AWS's rule for the shard group with the result. */
    private void rule() {
        Plan.Ranked best = plan.best().get(0);
        String found = best.candidate().settings().get("strategy." + StrategyDescriptor.SHARD_GROUP);
        if (found == null || best.candidate().nodes() == 1) {
            return;
        }
        int advised = ShardGroupRule.ranks(
                best.run().facts().model().parameters(),
                best.candidate().point().cluster().gpusPerNode(),
                best.run().gpus());
        out.line("AWS's rule of thumb, one node per 3 billion parameters, gives shard_group " + advised
                + "; the best plan has " + found + ".");
    }

    private void accuracy() {
        String words = plan.best().get(0).run().facts().accuracyWords();
        if (!words.isEmpty()) {
            out.line("Accuracy: " + words + ".");
        }
    }

    private String counts() {
        Plan.Counts counts = plan.counts();
        return "Of " + Quantities.count(counts.searched()) + ": " + Quantities.count(counts.simulated())
                + " simulated, "
                + (counts.unwritten() == 0
                        ? ""
                        : Quantities.count(counts.unwritten()) + " cannot be expressed in these files, ")
                + Quantities.count(counts.prunedByMemory()) + " do not fit" + tight() + ", "
                + Quantities.count(counts.prunedByBound()) + " ruled out by a lower bound on time"
                + (counts.refused() == 0
                        ? ""
                        : "; " + Quantities.count(counts.refused()) + " further combinations cannot run");
    }

    /** Adds options that were not searched: changes to the training itself, and features of the strategy. */
    private void notSearched() {
        Candidate best = plan.best().get(0).candidate();
        Predicate<KnownSetting> open = known -> !best.settings().containsKey(known.path());
        String switches = names(
                best.strategy().descriptor().parameterNames().stream()
                        .map(name -> KnownSetting.of("strategy." + name))
                        .filter(known -> known.isSwitch() || known.name().contains("bucket")),
                open);
        out.line("Not searched: " + names(KnownSetting.all().stream().filter(KnownSetting::isLearned), open)
                + " (they affect convergence)"
                + (switches.isEmpty() ? "" : "; of " + best.kind() + ": " + switches));
    }

    private static String names(Stream<KnownSetting> settings, Predicate<KnownSetting> which) {
        return settings.filter(which).map(KnownSetting::name).collect(Collectors.joining(", "));
    }

    /** Returns which of them --tight includes. */
    private String tight() {
        int tight = plan.counts().tight();
        return tight == 0
                ? ""
                : " (" + Quantities.count(tight) + " only because of fragmentation: --tight " + "includes them)";
    }

    /** Adds how much better the unsearched rest can be. */
    private void left() {
        Plan.Ending ending = plan.ending();
        if (ending.unlisted() > 0) {
            out.line("Not searched for lack of time: "
                    + Quantities.counted(ending.unlisted(), "further combination")
                    + " of instance, nodes and strategy. Leave fewer settings open, or raise --time-limit.");
        }
        if (ending.left() > 0) {
            String verb = plan.goal().objective() == Objective.FASTEST ? "take" : "cost";
            String less = plan.goal().objective() == Objective.FASTEST ? " less time" : " less";
            out.line(Quantities.count(ending.left()) + " are left. By their lower bounds, "
                    + (ending.gap() == 0
                            ? "none of them beats the best."
                            : "none of them can " + verb + " more than " + Quantities.percent(ending.gap()) + less
                                    + " than the best.")
                    + (plan.isInterrupted() ? "" : " Continue with --resume and a longer --time-limit."));
        }
    }

    private void tooLarge() {
        if (!plan.tooLarge().isEmpty()) {
            out.line("Left out, too large to simulate: "
                    + Quantities.count(plan.tooLarge().size()) + ". The first is "
                    + plan.tooLarge().get(0).words());
        }
    }
}
