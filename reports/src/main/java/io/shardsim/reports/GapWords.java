package io.shardsim.reports;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Describes a gap, for example {@code 9.8 s per step: 7.1 s less waiting for parameter gathers, 3.6 s less kernel time, 0.9 s more interference}.
 * Displayed figures sum to the total: the largest part absorbs rounding.
 */
public final class GapWords {
    private static final long SECOND_PS = 1_000_000_000_000L;

    /** A part, with words for an increase and a decrease. */
    private record Part(long ps, String less, String more) {}

    private final StepGap gap;
    private final long unitPs;
    private final String unitName;
    private final int decimals;

    GapWords(StepGap gap) {
        this.gap = gap;
        long size = Math.abs(gap.gapPs());
        unitPs = size >= SECOND_PS ? SECOND_PS : size >= SECOND_PS / 1000 ? SECOND_PS / 1000 : SECOND_PS / 1_000_000;
        unitName = unitPs == SECOND_PS ? "s" : unitPs == SECOND_PS / 1000 ? "ms" : "us";
        decimals = size < 10 * unitPs ? 2 : size < 100 * unitPs ? 1 : 0;
    }

    /**
     * Describes what a run loses to a faster one, for example {@code 1.2 s more per step: 0.9 s more waiting for gathers, 0.3 s more kernel time}.
     * Both have the same global batch, or the slower one's time is scaled to as many samples.
     */
    public static String lost(RunResult slow, RunResult fast) {
        StepGap gap = StepGap.between(fast, slow);
        GapWords words = new GapWords(gap.reversed());
        return words.time(gap.gapPs()) + " more per step" + listed(words.parts());
    }

    /**
     * A displayed part of a gap.
     *
     * @param id {@code kernels}, {@code waiting} or {@code work}
     * @param ps extra time of the slower run; negative if it takes less [ps]
     * @param words the description, for example {@code 3.62 s slower kernels}
     */
    public record Block(String id, long ps, String words) {}

    /**
     * Splits what a run loses to a faster one into three parts, which sum to the gap to the picosecond, as do the displayed figures. Kernels are
     * forward, backward and recomputation; other work is the optimizer, copies, and the slowdown of kernels by overlapping work.
     */
    public static List<Block> blocks(RunResult slow, RunResult fast) {
        StepGap gap = StepGap.between(fast, slow);
        long work = gap.workPs().getOrDefault(StepGap.WorkPart.OTHER_WORK, 0L) + gap.interferencePs();
        long kernels = gap.workPs().getOrDefault(StepGap.WorkPart.KERNELS, 0L)
                + gap.workPs().getOrDefault(StepGap.WorkPart.RECOMPUTATION, 0L);
        long waiting = gap.idlePs()
                + gap.waitingPs().values().stream().mapToLong(Long::longValue).sum();
        if (kernels + waiting + work != gap.gapPs()) {
            throw new IllegalStateException("a gap of " + gap.gapPs() + " ps is not the sum of kernels " + kernels
                    + ", waiting " + waiting + " and other work " + work);
        }
        return new GapWords(gap).blocks(kernels, waiting, work);
    }

    private List<Block> blocks(long kernels, long waiting, long work) {
        long[] ps = {kernels, waiting, work};
        String[] ids = {"kernels", "waiting", "work"};
        String[][] words = {
            {"equal kernels", "slower kernels", "faster kernels"},
            {"equal waiting", "more waiting", "less waiting"},
            {"equal other work", "more other work", "less other work"}
        };
        List<BigDecimal> shown = shown(List.of(kernels, waiting, work));
        List<Block> blocks = new ArrayList<>();
        for (int i = 0; i < ps.length; i++) {
            BigDecimal figure = shown.get(i);
            String more = words[i][Math.floorMod(figure.signum(), 3)];
            blocks.add(new Block(ids[i], ps[i], figure.signum() == 0 ? more : words(figure.abs()) + " " + more));
        }
        return blocks;
    }

    /** Formats the gap of a run to a faster one, for example {@code 9.76 s}, consistent with {@link #blocks}. */
    public static String gap(RunResult slow, RunResult fast) {
        return new GapWords(StepGap.between(fast, slow)).total();
    }

    /** Formats the gap, for example {@code 9.8 s}. */
    String total() {
        return time(gap.gapPs());
    }

    /** Formats parts to follow the gap, after a colon; a single part is the whole gap. */
    static String listed(List<String> parts) {
        return parts.size() == 1 ? ", all from " + parts.get(0) : ": " + String.join(", ", parts);
    }

    /** Formats parts to follow the gap, in parentheses. */
    static String inParentheses(List<String> parts) {
        return parts.size() == 1 ? ", all from " + parts.get(0) : " (" + String.join(", ", parts) + ")";
    }

    /** Formats its parts, largest first: {@code 7.1 s ...}, {@code 3.6 s ...}; a single part without its figure. */
    List<String> parts() {
        List<Part> parts = parts(gap);
        parts.sort((a, b) -> Long.compare(Math.abs(b.ps()), Math.abs(a.ps())));
        List<BigDecimal> shown = shown(parts.stream().map(Part::ps).toList());
        List<String> words = new ArrayList<>();
        String only = "";
        for (int i = 0; i < shown.size(); i++) {
            BigDecimal figure = shown.get(i);
            if (figure.signum() != 0) {
                only = figure.signum() > 0 ? parts.get(i).less() : parts.get(i).more();
                words.add(words(figure.abs()) + " " + only);
            }
        }
        return words.size() == 1 ? List.of(only) : words;
    }

    /** Formats the cost of each difference, largest first: {@code 3.7 s kernels}, {@code -1.1 s sharding}; the figures sum to {@link #total}. A single one has no figure. */
    List<String> causes(Map<String, Long> causesPs) {
        List<Map.Entry<String, Long>> ordered = new ArrayList<>(causesPs.entrySet());
        ordered.sort((a, b) -> Long.compare(Math.abs(b.getValue()), Math.abs(a.getValue())));
        BigDecimal rest = rounded(gap.gapPs());
        for (Map.Entry<String, Long> cause : ordered) {
            rest = rest.subtract(rounded(cause.getValue()));
        }
        List<String> words = new ArrayList<>();
        String only = "";
        for (Map.Entry<String, Long> cause : ordered) {
            BigDecimal figure = rounded(cause.getValue()).add(words.isEmpty() ? rest : BigDecimal.ZERO);
            if (figure.signum() != 0) {
                only = cause.getKey();
                words.add(words(figure) + " " + only);
            }
        }
        return words.size() == 1 ? List.of(only) : words;
    }

    /** Formats the cost of several differences in a sentence: {@code kernels save 3.05 s/step, sharding costs 0.49 s}. */
    String savings(Map<String, Long> causesPs, String per) {
        StringBuilder text = new StringBuilder();
        int sign = 0;
        for (String cause : causes(causesPs)) {
            String[] figureUnitCause = cause.split(" ", 3);
            String name = figureUnitCause[2];
            int own = figureUnitCause[0].startsWith("-") ? -1 : 1;
            boolean plural = name.endsWith("s") || name.contains(" and ");
            String verb = (own > 0 ? "save" : "cost") + (plural ? "" : "s");
            text.append(text.isEmpty() ? "" : ", ")
                    .append(name)
                    .append(own == sign ? " " : " " + verb + " ")
                    .append(figureUnitCause[0].replaceFirst("^-", ""))
                    .append(" ")
                    .append(figureUnitCause[1])
                    .append(sign == 0 ? per : "");
            sign = own;
        }
        return text.toString();
    }

    /** Rounds parts so that they sum to the rounded gap: the largest absorbs the difference. */
    private List<BigDecimal> shown(List<Long> partsPs) {
        List<BigDecimal> shown = new ArrayList<>();
        BigDecimal rest = rounded(gap.gapPs());
        int largest = 0;
        for (int i = 0; i < partsPs.size(); i++) {
            shown.add(rounded(partsPs.get(i)));
            rest = rest.subtract(shown.get(i));
            largest = Math.abs(partsPs.get(i)) > Math.abs(partsPs.get(largest)) ? i : largest;
        }
        if (!shown.isEmpty()) {
            shown.set(largest, shown.get(largest).add(rest));
        }
        return shown;
    }

    /** Formats a time in the gap's unit. */
    String time(long ps) {
        return words(rounded(ps));
    }

    private static List<Part> parts(StepGap gap) {
        List<Part> parts = new ArrayList<>();
        gap.waitingPs().forEach((stream, ps) -> {
            String what = " waiting for " + StreamLook.of(stream).waitedFor();
            parts.add(new Part(ps, "less" + what, "more" + what));
        });
        gap.workPs()
                .forEach((part, ps) -> parts.add(
                        switch (part) {
                            case KERNELS -> new Part(ps, "less kernel time", "more kernel time");
                            case RECOMPUTATION -> new Part(ps, "less recomputation time", "more recomputation time");
                            case OTHER_WORK ->
                                new Part(ps, "less for optimizer and copies", "more for optimizer and copies");
                        }));
        parts.add(new Part(gap.interferencePs(), "less interference", "more interference"));
        parts.add(new Part(gap.idlePs(), "less idle time", "more idle time"));
        return parts;
    }

    private BigDecimal rounded(long ps) {
        return BigDecimal.valueOf(ps).divide(BigDecimal.valueOf(unitPs), decimals, RoundingMode.HALF_UP);
    }

    private String words(BigDecimal figure) {
        return Quantities.fixed(figure.doubleValue(), decimals) + " " + unitName;
    }
}
