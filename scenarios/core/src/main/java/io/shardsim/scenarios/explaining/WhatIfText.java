package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Advice;
import io.shardsim.reports.Diagnosis;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.Trial;
import io.shardsim.reports.writing.Paragraphs;
import io.shardsim.reports.writing.TextTable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/** Formats prices for the terminal: the bottleneck, what to try next, then all resources and settings as a tornado chart, largest gain first. */
public final class WhatIfText {
    private static final int GAINS_MAX = 8;
    private static final int NAMED_MAX = 8;
    private static final int TITLE_MAX = 44;
    private static final int BAR_MAX = 20;
    /** Gain below which it would print as 0.0 %. */
    private static final double SHOWN = 0.0005;

    private final Prices prices;
    private final int width;
    private final Paragraphs out;

    private WhatIfText(Prices prices, int width) {
        this.prices = prices;
        this.width = width;
        out = new Paragraphs(width);
    }

    /** Returns text of at most {@code width} columns. */
    public static String write(List<Prices> all, int width) {
        return all.stream().map(prices -> new WhatIfText(prices, width).text()).collect(Collectors.joining("\n"));
    }

    private String text() {
        String who = prices.name() + ": " + prices.run().label() + " on "
                + Quantities.counted(prices.run().gpus(), "GPU");
        if (!prices.fits()) {
            Diagnosis diagnosis = Diagnosis.of(prices.run());
            out.line(who);
            out.line("Not simulated: it does not fit in memory. " + diagnosis.why() + " " + diagnosis.next());
            return out.toString();
        }
        out.line(who + ", " + Quantities.threeDigits(prices.samplesPerSecond()) + " samples/s");
        out.line(bound());
        out.line(next());
        resources();
        knobs();
        named("Lose", losers().stream().map(WhatIfText::lost).toList());
        List<String> idle = new ArrayList<>(
                prices.others().withoutEffect().stream().map(Trial::title).toList());
        prices.knobs().stream()
                .filter(knob -> Math.abs(knob.gain()) < SHOWN)
                .forEach(knob -> idle.add(knob.trial().title()));
        named("No effect on speed", idle);
        named(
                "Do not fit",
                prices.others().tooLarge().stream().map(Trial::title).toList());
        named("Take too long to simulate", prices.others().tooLong());
        return out.toString();
    }

    private String bound() {
        Prices.Priced bound = prices.bound();
        if (bound == null) {
            return "Bound by none of these resources: 10 % of each changes less than 0.2 %.";
        }
        return "Bound by " + bound.resource().words() + ": "
                + (bound.resource().isRate() ? "10 % more gives " : "10 % less gives ")
                + signed(gain(bound.betterPerSecond())) + ", "
                + (bound.resource().isRate() ? "10 % less " : "10 % more ")
                + signed(gain(bound.worsePerSecond())) + ".";
    }

    private String next() {
        Prices.Knob best = prices.knobs().isEmpty() ? null : prices.knobs().get(0);
        int fitting = prices.knobs().size() + prices.others().withoutEffect().size();
        return best == null || best.gain() < Advice.GAIN_MIN
                ? "Next: "
                        + Diagnosis.noneGains(
                                fitting, prices.others().tooLarge().size())
                : "Next: "
                        + new Advice(
                                        best.trial(),
                                        best.gain(),
                                        prices.run().facts().model().microBatch(),
                                        prices.run().facts().ledger().fit())
                                .sentence();
    }

    private double gain(double samplesPerSecond) {
        return samplesPerSecond / prices.samplesPerSecond() - 1;
    }

    private static String signed(double share) {
        if (Math.abs(share) < SHOWN) {
            return "0 %";
        }
        String text = Quantities.percent(share);
        return share > 0 ? "+" + text : text;
    }

    private void resources() {
        double most = prices.resources().stream()
                .mapToDouble(one -> Math.abs(one.derivative()))
                .max()
                .orElse(0);
        boolean wide = width >= 50;
        out.asIs("\nResource      10 % better  10 % worse" + (wide ? "  derivative\n" : "\n"));
        for (Prices.Priced one : prices.resources()) {
            row(
                    ("  %-11s %12s %11s" + (wide ? " %11s" : ""))
                            .formatted(
                                    one.resource().words(),
                                    signed(gain(one.betterPerSecond())),
                                    signed(gain(one.worsePerSecond())),
                                    Quantities.fixed(one.derivative(), 2)),
                    Math.abs(one.derivative()),
                    most);
        }
    }

    private List<Prices.Knob> gainers() {
        return prices.knobs().stream().filter(knob -> knob.gain() >= SHOWN).toList();
    }

    private List<Prices.Knob> losers() {
        List<Prices.Knob> losers = new ArrayList<>(
                prices.knobs().stream().filter(knob -> knob.gain() <= -SHOWN).toList());
        Collections.reverse(losers);
        return losers;
    }

    private static String lost(Prices.Knob knob) {
        return knob.trial().title() + " (" + Quantities.percent(knob.gain()) + ")";
    }

    private void knobs() {
        List<Prices.Knob> gainers = gainers();
        if (gainers.isEmpty()) {
            return;
        }
        double most = gainers.get(0).gain();
        int words = Math.min(TITLE_MAX, width - 20);
        String form = "%-" + (words + 2) + "s %9s %7s";
        out.asIs("\n" + form.formatted("Setting", "samples/s", "gain") + "\n");
        for (Prices.Knob knob : gainers.subList(0, Math.min(GAINS_MAX, gainers.size()))) {
            row(
                    form.formatted(
                            "  " + TextTable.cut(title(knob.trial()), words),
                            Quantities.threeDigits(knob.trial().samplesPerSecond()),
                            signed(knob.gain())),
                    knob.gain(),
                    most);
        }
        if (gainers.size() > GAINS_MAX) {
            out.line("  and " + Quantities.counted(gainers.size() - GAINS_MAX, "smaller gain") + " (--json lists all)");
        }
    }

    /** Returns the title, with the micro-batch if that changed. */
    private String title(Trial trial) {
        int usual = prices.run().facts().model().microBatch();
        return trial.title()
                + (trial.microBatch() == usual || trial.title().startsWith("micro_batch")
                        ? ""
                        : ", micro-batch " + trial.microBatch())
                + (trial.fit().isTight() ? ", tight" : "");
    }

    private void row(String text, double size, double most) {
        int room = Math.min(BAR_MAX, width - text.length() - 2);
        int bar = most <= 0 || room < 1 ? 0 : (int) Math.round(size / most * room);
        out.asIs((text + "  " + "#".repeat(bar)).stripTrailing() + "\n");
    }

    private void named(String what, List<String> names) {
        if (!names.isEmpty()) {
            List<String> shown = names.subList(0, Math.min(NAMED_MAX, names.size()));
            out.line(what + ": " + String.join(", ", shown)
                    + (names.size() > NAMED_MAX ? ", and " + (names.size() - NAMED_MAX) + " more" : "") + ".");
        }
    }
}
