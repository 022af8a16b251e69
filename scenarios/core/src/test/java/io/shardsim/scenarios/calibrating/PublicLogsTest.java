package io.shardsim.scenarios.calibrating;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.explaining.ExplanationText;
import io.shardsim.scenarios.explaining.FurtherRuns;
import io.shardsim.scenarios.explaining.KnownFault;
import io.shardsim.simulator.yaml.InputException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a calibration on the smaller sizes of public logs says of the larger ones. */
@Tag("night")
@Timeout(value = 3, unit = TimeUnit.HOURS)
class PublicLogsTest {
    /** Sizes up to here are fitted, those beyond are judged [bytes]. */
    private static final long FITTED = 64L << 20;

    private static List<CollectiveTest> only(CollectiveTest test, boolean small) {
        List<CollectiveTest.Row> rows = test.rows().stream()
                .filter(row -> row.bytes() <= FITTED == small && row.bytes() >= 8)
                .toList();
        return rows.isEmpty()
                ? List.of()
                : List.of(new CollectiveTest(test.file(), test.kind(), test.ranks(), test.nodes(), rows));
    }

    /** Errors of the larger sizes, in logarithms: with the catalog's figures, and with fitted ones. */
    private static double[][] errors(PrintedLogs.Public log) throws InputException {
        CollectiveTest test =
                CollectiveLog.read(log.file(), log.text(), null, 0).get(0);
        List<CollectiveTest> small = only(test, true);
        List<CollectiveTest> large = only(test, false);
        if (small.isEmpty() || large.isEmpty()) {
            return new double[2][0];
        }
        Simulated simulated =
                new Simulated(Base.of(log.machine()), new FurtherRuns(PointSimulation::new, 2), (share, what) -> {});
        List<Simulated.Size> seen = small.get(0).rows().stream()
                .map(row -> new Simulated.Size(small.get(0), row))
                .toList();
        Fit fit = Fit.of(
                seen.stream().map(Simulated.Size::sample).toList(),
                test.nodes() == 1 ? Parameter.IN_NODE : Parameter.BETWEEN_NODES,
                Objects.requireNonNull(Catalog.instance(log.machine())).spec(),
                given -> simulated.seconds(seen, given));
        List<Simulated.Size> sizes = large.get(0).rows().stream()
                .map(row -> new Simulated.Size(large.get(0), row))
                .toList();
        System.out.printf("%s: %s%n", log.file(), fit.resolved());
        return new double[][] {off(sizes, simulated, Map.of()), off(sizes, simulated, fit.resolved())};
    }

    private static double[] off(List<Simulated.Size> sizes, Simulated simulated, Map<String, Object> changed) {
        double[] seconds = simulated.seconds(sizes, changed);
        double[] errors = new double[seconds.length];
        for (int i = 0; i < errors.length; i++) {
            errors[i] = Math.abs(seconds[i] / sizes.get(i).row().seconds() - 1);
        }
        return errors;
    }

    private static double mean(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
    }

    /** The fault of the catalog that a page's words mean; empty where the catalog has none. */
    private static String fault(String cause) {
        return cause.startsWith("tcp")
                ? "tcp-over-ethernet"
                : cause.startsWith("nvlink off")
                        ? "no-nvlink"
                        : cause.startsWith("one NIC of four missing")
                                ? "lost-nic"
                                : cause.startsWith("no gpudirect") ? "no-gpudirect" : "";
    }

    private static Calibration calibration(PrintedLogs.Public log, String base) throws InputException {
        return Objects.requireNonNull(new Calibrator(PointSimulation::new, 2)
                .calibrate(
                        new Calibrator.Question(
                                Base.of(base), Map.of(log.file(), log.text()), List.of(), null, 0, false),
                        (share, what) -> {}));
    }

    /** Of logs that their pages call broken with a cause, and of healthy ones, on machines that are known. */
    @Test
    void brokenClustersAreNamed() throws InputException {
        int named = 0;
        int broken = 0;
        int cried = 0;
        int healthy = 0;
        for (PrintedLogs.Public log : CollectiveLogTest.simulated().toList()) {
            String fault = fault(log.cause());
            boolean isBroken = log.verdict().equals("broken") && !fault.isEmpty();
            String base = log.base();
            if (base == null || log.gpus() > 64 || !isBroken && !log.verdict().equals("healthy")) {
                continue;
            }
            List<Calibrator.Broken> found = calibration(log, base).broken();
            String first = found.isEmpty()
                    ? "healthy"
                    : ExplanationText.write(found.get(0).explanation(), 400)
                            .lines()
                            .filter(line -> line.contains("Likeliest") || line.contains("In the log"))
                            .findFirst()
                            .orElse("no cause");
            System.out.printf("%-36s %-8s %-16s %s%n", log.file(), log.verdict(), fault, first);
            broken += isBroken ? 1 : 0;
            healthy += isBroken ? 0 : 1;
            named += isBroken && first.contains(KnownFault.named(fault).title()) ? 1 : 0;
            cried += !isBroken && !found.isEmpty() ? 1 : 0;
        }
        System.out.printf(
                "%d of %d broken ones named, %d of %d healthy ones called broken%n", named, broken, cried, healthy);
        assertThat(cried).isLessThanOrEqualTo(healthy / 4);
    }

    /** Of logs that their pages do not call broken; a fit describes a broken cluster as it is. */
    @Test
    void smallSizesTellWhatLargeOnesReach() throws InputException {
        List<Double> catalog = new ArrayList<>();
        List<Double> fitted = new ArrayList<>();
        for (PrintedLogs.Public log : CollectiveLogTest.simulated().toList()) {
            if (Catalog.instance(log.machine()) == null) {
                continue;
            }
            double[][] errors = errors(log);
            System.out.printf(
                    "%-36s %3d sizes: catalog %5.1f %%, fitted %5.1f %%%n",
                    log.file(), errors[0].length, 100 * Fit.median(errors[0]), 100 * Fit.median(errors[1]));
            for (int i = 0; i < errors[0].length && !log.verdict().equals("broken"); i++) {
                catalog.add(errors[0][i]);
                fitted.add(errors[1][i]);
            }
        }
        double before =
                Fit.median(catalog.stream().mapToDouble(Double::doubleValue).toArray());
        double after =
                Fit.median(fitted.stream().mapToDouble(Double::doubleValue).toArray());
        System.out.printf(
                "%d values: catalog %.1f %%, fitted %.1f %%; mean %.1f and %.1f %%%n",
                fitted.size(), 100 * before, 100 * after, 100 * mean(catalog), 100 * mean(fitted));
        assertThat(after).isLessThanOrEqualTo(before).isLessThanOrEqualTo(0.06);
    }
}
