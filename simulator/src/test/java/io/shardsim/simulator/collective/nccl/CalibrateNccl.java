package io.shardsim.simulator.collective.nccl;

import io.shardsim.simulator.catalog.Figure;
import io.shardsim.simulator.catalog.FigureFile;
import io.shardsim.simulator.compute.calibration.Coefficient;
import io.shardsim.topology.units.UnitTable;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Fits the step times of NCCL's collectives inside a node to the measurements in nccl_intra_node.csv, by least squares of logarithms. NCCL's choices
 * do not depend on these constants. {@code CalibrateNccl [ampere|hopper [iterations]]}
 */
public final class CalibrateNccl {
    /** Initial spread of a search, in logarithms. */
    private static final double SPREAD = 0.2;

    private static final int SEARCHES = 5;
    private static final int POPULATION = 16;

    private CalibrateNccl() {}

    public static void main(String[] arguments) {
        run(
                arguments.length > 0 ? arguments[0] : "ampere",
                arguments.length > 1 ? Integer.parseInt(arguments[1]) : 400);
    }

    /** Fits, prints, and returns the root mean square log error: with the shipped and with the fitted values. */
    public static double[] run(String architecture, int iterations) {
        FigureFile shipped = NcclCatalog.GPUS.named(architecture);
        List<NodeMeasurements.Row> rows = NodeMeasurements.of(architecture);
        List<Coefficient> coefficients = coefficients(architecture, shipped);
        double[] best = Coefficient.fit(
                coefficients,
                values -> error(with(shipped, coefficients, values), rows),
                new Coefficient.Effort(SEARCHES, iterations * POPULATION, POPULATION, 1e-9));
        double[] errors = {error(shipped, rows), error(with(shipped, coefficients, best), rows)};
        System.out.printf(
                "%s: %d collectives, error %.4f as shipped, %.4f as fitted%n",
                architecture, rows.size(), errors[0], errors[1]);
        Coefficient.print(coefficients, best);
        return errors;
    }

    /**
     * Returns the coefficients to fit. The minimum of a step is the latency of an NVLink and a switch. On Hopper the shares of NVLink are those that
     * several p5.48xlarge need, which these rows do not reach.
     */
    private static List<Coefficient> coefficients(String architecture, FigureFile shipped) {
        return Stream.of(
                        coefficient(architecture, shipped, "base_ll", 1, 30),
                        coefficient(architecture, shipped, "base_ll128", 1, 30),
                        coefficient(architecture, shipped, "base_simple", 1, 60),
                        coefficient(architecture, shipped, "nvlink_step_ll", 0.5, 10),
                        coefficient(architecture, shipped, "nvlink_step_ll128", 0.5, 10),
                        coefficient(architecture, shipped, "nvlink_step_simple", 0.5, 20),
                        coefficient(architecture, shipped, "lane_ll", 1, 40),
                        coefficient(architecture, shipped, "nvlink_copy_ratio", 0.5, 1),
                        coefficient(architecture, shipped, "nvlink_all_reduce_copy_ratio", 0.5, 1),
                        coefficient(architecture, shipped, "nvlink_reduce_ratio", 0.5, 1),
                        coefficient(architecture, shipped, "store", 5, 100),
                        coefficient(architecture, shipped, "nvls_step", 0.5, 50),
                        coefficient(architecture, shipped, "nvls_ratio", 0.3, 1))
                .flatMap(Optional::stream)
                .filter(coefficient ->
                        !architecture.equals("hopper") || !coefficient.key().matches("nvlink_.*ratio"))
                .toList();
    }

    /** Returns a coefficient, if the architecture has it. */
    private static Optional<Coefficient> coefficient(
            String architecture, FigureFile shipped, String key, double least, double most) {
        return Optional.ofNullable(shipped.figures().get(key))
                .map(Figure::text)
                .map(text -> Double.parseDouble(text.split(" ")[0]))
                .map(value -> Coefficient.logarithmic(architecture, key, least, most, value, SPREAD));
    }

    /** Returns the constants with fitted values, in the units of the file, to three decimals. */
    private static FigureFile with(FigureFile shipped, List<Coefficient> coefficients, double[] values) {
        Map<String, Object> fitted = new HashMap<>();
        for (int i = 0; i < values.length; i++) {
            String key = coefficients.get(i).key();
            Figure figure = Objects.requireNonNull(shipped.figures().get(key));
            String number = String.format(Locale.ROOT, "%.3f", values[i]);
            String text = figure.text().replaceFirst("[0-9.]+", number);
            fitted.put(
                    key,
                    figure.value() instanceof Double
                            ? (Object) Double.valueOf(number)
                            : text.endsWith("/s")
                                    ? UnitTable.RATE.parseWhole(text)
                                    : (Object) UnitTable.TIME.parseWhole(text));
        }
        return shipped.with(fitted);
    }

    private static double error(FigureFile constants, List<NodeMeasurements.Row> rows) {
        NcclGpu gpu = NcclGpu.of(constants);
        NcclTransportModel model = new NcclTransportModel(NodeMeasurements.ALGORITHMS, Long.MAX_VALUE, spec -> gpu);
        double sum = 0;
        for (NodeMeasurements.Row row : rows) {
            double log = StrictMath.log(row.seconds(model) / row.seconds());
            sum += log * log;
        }
        return Math.sqrt(sum / rows.size());
    }
}
