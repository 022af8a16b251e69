package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.Setting;
import io.shardsim.reports.writing.Paragraphs;
import io.shardsim.reports.writing.TextTable;
import io.shardsim.scenarios.explaining.Comparison.Contribution;
import io.shardsim.scenarios.explaining.Comparison.Difference;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Formats a comparison for the terminal: the answer, the differences, where the seconds go, and why. */
public final class CompareText {
    private static final int DIFFERENCES_MAX = 8;
    private static final int VALUE_MAX = 22;
    private static final int PART_MAX = 30;
    private static final int BAR_MAX = 24;
    /** Ratio below which two runs count as equally fast. */
    private static final double NOTABLE = 1.005;

    private final Comparison comparison;
    private final int width;
    private final Paragraphs out;

    private CompareText(Comparison comparison, int width) {
        this.comparison = comparison;
        this.width = width;
        out = new Paragraphs(width);
    }

    /** Returns text of at most {@code width} columns. */
    public static String write(Comparison comparison, int width) {
        return new CompareText(comparison, width).text();
    }

    /** Returns the two runs, and which is faster. */
    static List<String> opening(Comparison comparison) {
        CompareText text = new CompareText(comparison, Integer.MAX_VALUE);
        return List.of("A: " + side(comparison.a()), "B: " + side(comparison.b()), text.answer());
    }

    /** Returns the unit of work that seconds refer to: a step, or a number of tokens. */
    static String per(Comparison comparison) {
        return comparison.isScaled() ? Quantities.count(comparison.tokens()) + " tokens" : "step";
    }

    private String text() {
        line("A: " + side(comparison.a()));
        line("B: " + side(comparison.b()));
        if (!comparison.fits()) {
            differences();
            sayIfTooLarge("A", comparison.a());
            sayIfTooLarge("B", comparison.b());
            return out.toString();
        }
        line(answer());
        differences();
        if (comparison.aPs() != comparison.bPs() || !comparison.isSame()) {
            waterfall();
            causes();
        }
        return out.toString();
    }

    private void sayIfTooLarge(String side, ComparedRun run) {
        if (run.timed() == null) {
            line("Nothing to compare: " + side + " does not fit in memory. " + sentence(run.remedy()));
        }
    }

    private static String side(ComparedRun run) {
        ComparedRun.Timed timed = run.timed();
        return run.name() + ", " + run.label()
                + (timed == null
                        ? ""
                        : ": " + Quantities.seconds(timed.step().stepSeconds()) + " per step, "
                                + Quantities.threeDigits(timed.samplesPerSecond()) + " samples/s");
    }

    private static String sentence(String words) {
        String trimmed = words.strip();
        return trimmed.isEmpty()
                ? ""
                : Character.toUpperCase(trimmed.charAt(0)) + trimmed.substring(1) + (trimmed.endsWith(".") ? "" : ".");
    }

    private String answer() {
        if (comparison.isSame()) {
            return comparison.differences().isEmpty()
                    ? "A and B are the same run."
                    : "A and B run identically: the differences have no effect.";
        }
        long gap = comparison.bPs() - comparison.aPs();
        double ratio =
                (double) Math.max(comparison.aPs(), comparison.bPs()) / Math.min(comparison.aPs(), comparison.bPs());
        String seconds = Quantities.seconds(Math.abs(gap) * 1e-12) + " " + per();
        if (ratio < NOTABLE) {
            return "A and B are equally fast: B takes " + seconds + (gap < 0 ? " less." : " more.");
        }
        return (gap < 0 ? "B saves " : "B takes ") + seconds + (gap < 0 ? "" : " more") + ": " + (gap < 0 ? "B" : "A")
                + " is " + Quantities.fixed(ratio, 2) + "x as fast.";
    }

    private String per() {
        return comparison.isScaled() ? "per " + Quantities.count(comparison.tokens()) + " tokens" : "per step";
    }

    private void differences() {
        List<Difference> all = comparison.differences();
        if (all.isEmpty()) {
            return;
        }
        List<Difference> shown = comparison.telling().stream()
                .sorted(Comparator.comparing(Difference::cause))
                .limit(DIFFERENCES_MAX)
                .toList();
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("What differs", "A", "B"));
        shown.forEach(one -> rows.add(List.of("  " + one.key(), value(one.a()), value(one.b()))));
        out.asIs("\n").table(rows, 1);
        if (all.size() > shown.size()) {
            line("  and " + Quantities.counted(all.size() - shown.size(), "further setting") + " (--json lists all)");
        }
    }

    private static String value(@Nullable Setting setting) {
        return setting == null ? "-" : TextTable.cut(setting.value(), VALUE_MAX);
    }

    private void waterfall() {
        Map<String, Long> a = comparison.aParts();
        Map<String, Long> b = comparison.bParts();
        List<String> names = comparison.partNames();
        Rounded rounded = Rounded.of(Math.max(comparison.aPs(), comparison.bPs()));
        List<Long> before = rounded.quanta(
                names.stream().map(name -> a.getOrDefault(name, 0L)).toList());
        List<Long> after = rounded.quanta(
                names.stream().map(name -> b.getOrDefault(name, 0L)).toList());
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("Where the time goes [" + rounded.unit() + "]", "A", "B", "B - A"));
        List<Long> changes = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            if (before.get(i) == 0 && after.get(i) == 0) {
                continue;
            }
            rows.add(timesRow("  " + TextTable.cut(names.get(i), PART_MAX), before.get(i), after.get(i), rounded));
            changes.add(after.get(i) - before.get(i));
        }
        long aSum = before.stream().mapToLong(Long::longValue).sum();
        long bSum = after.stream().mapToLong(Long::longValue).sum();
        rows.add(timesRow(comparison.isScaled() ? "  all" : "  step", aSum, bSum, rounded));
        out.asIs("\n");
        List<String> lines = TextTable.lines(rows, 1, width);
        for (int i = 0; i < lines.size(); i++) {
            boolean part = i > 0 && i <= changes.size();
            String behind = part ? "  " + bar(changes.get(i - 1), changes) : "";
            out.asIs((lines.get(i) + behind).stripTrailing() + "\n");
        }
    }

    private static List<String> timesRow(String name, long a, long b, Rounded rounded) {
        return List.of(name, rounded.text(a), rounded.text(b), rounded.change(b - a));
    }

    private String bar(long change, List<Long> all) {
        long most = all.stream().mapToLong(Math::abs).max().orElse(0);
        int room = Math.min(BAR_MAX, width - PART_MAX - 36);
        if (most == 0 || room < 4) {
            return "";
        }
        int length = (int) ((Math.abs(change) * room + most / 2) / most);
        return (change < 0 ? "-" : "+").repeat(length);
    }

    private void causes() {
        out.asIs("\n");
        List<Contribution> contributions = comparison.contributions();
        if (contributions.isEmpty()) {
            line(comparison.withoutCauses());
            return;
        }
        line(
                comparison.reruns() == 0
                        ? "Why"
                        : "Why: differences applied one after another, "
                                + Quantities.counted(comparison.reruns(), "further run"));
        Rounded rounded = Rounded.of(Math.max(comparison.aPs(), comparison.bPs()));
        List<Long> quanta =
                rounded.quanta(contributions.stream().map(Contribution::ps).toList());
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < contributions.size(); i++) {
            rows.add(
                    List.of("  " + contributions.get(i).words(), rounded.change(quanta.get(i)) + " " + rounded.unit()));
        }
        List<String> heads = TextTable.lines(rows, 1, width - 12);
        for (int i = 0; i < heads.size(); i++) {
            String head = heads.get(i) + "  ";
            line(head + TextTable.cut(keys(contributions.get(i)), Math.max(10, width - head.length())));
        }
    }

    /** Returns the settings of a contribution, without their blocks. */
    private String keys(Contribution one) {
        return comparison.telling().stream()
                .filter(difference -> one.causes().contains(difference.cause()))
                .map(difference -> difference.key().substring(difference.key().indexOf('.') + 1))
                .collect(Collectors.joining(", "));
    }

    private void line(String text) {
        if (text.length() <= width) {
            out.asIs(text.stripTrailing() + "\n");
        } else {
            out.line(text, "   ");
        }
    }
}
