package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.evaluation.Benchmark;
import io.shardsim.scenarios.evaluation.Growth;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Seconds on a core against what grows, one panel each: steps to the right double it, gridlines upwards are powers of ten. */
final class GrowthPlot {
    private static final int PANEL = 250;
    private static final int HEIGHT = 260;
    private static final int LEFT = 44;
    private static final int TOP = 30;
    private static final int BOTTOM = 44;
    private static final String STYLE = "text{font:12px sans-serif;fill:#1c1f24}.tick{fill:#565d68;font-size:11px}"
            + ".grid{stroke:#dedad2}.line{fill:none;stroke:#0b5f96;stroke-width:2}.dot{fill:#0b5f96}";

    private final StringBuilder out = new StringBuilder();
    private final int lowest;
    private final int highest;

    private GrowthPlot(Map<Growth, List<Benchmark.Measured>> rows) {
        double[] seconds = rows.values().stream()
                .flatMap(List::stream)
                .mapToDouble(Benchmark.Measured::cpuSeconds)
                .sorted()
                .toArray();
        lowest = (int) StrictMath.floor(StrictMath.log10(seconds[0]));
        highest = Math.max(lowest + 1, (int) StrictMath.ceil(StrictMath.log10(seconds[seconds.length - 1])));
    }

    static String svg(Map<Growth, List<Benchmark.Measured>> rows) {
        GrowthPlot plot = new GrowthPlot(rows);
        plot.append(
                "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' role='img' aria-label='CPU seconds against GPUs,"
                        + " layers and chunk size'>%n<style>%s</style>%n<rect width='100%%' height='100%%' fill='#fcfbf8'/>%n",
                PANEL * rows.size(), HEIGHT, STYLE);
        int panel = 0;
        for (Map.Entry<Growth, List<Benchmark.Measured>> entry : rows.entrySet()) {
            plot.panel(PANEL * panel++, entry.getKey().unit(), entry.getValue());
        }
        plot.append("</svg>%n");
        return plot.out.toString();
    }

    private void panel(int left, String unit, List<Benchmark.Measured> rows) {
        double right = left + PANEL - 12;
        append("<text x='%d' y='18'>CPU s against %s</text>%n", left + LEFT, unit);
        for (int power = lowest; power <= highest; power++) {
            double y = y(StrictMath.pow(10, power));
            append("<line x1='%d' y1='%.1f' x2='%.1f' y2='%.1f' class='grid'/>", left + LEFT, y, right, y);
            append(
                    "<text x='%d' y='%.1f' class='tick' text-anchor='end'>%s</text>%n",
                    left + LEFT - 6, y + 4, power < 0 ? "0." + "0".repeat(-power - 1) + "1" : "1" + "0".repeat(power));
        }
        StringBuilder points = new StringBuilder();
        for (int i = 0; i < rows.size(); i++) {
            double x = left + LEFT + 14 + i * (PANEL - LEFT - 40.0) / Math.max(1, rows.size() - 1);
            double y = y(rows.get(i).cpuSeconds());
            points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
            append("<circle cx='%.1f' cy='%.1f' r='3.5' class='dot'/>", x, y);
            append(
                    "<text x='%.1f' y='%d' class='tick' text-anchor='middle'>%s</text>%n",
                    x, HEIGHT - BOTTOM + 18 + 13 * (i % 2), rows.get(i).workload());
        }
        append("<polyline points='%s' class='line'/>%n", points.toString().trim());
    }

    private double y(double seconds) {
        double share = (StrictMath.log10(seconds) - lowest) / (highest - lowest);
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
    }

    private void append(String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values));
    }
}
