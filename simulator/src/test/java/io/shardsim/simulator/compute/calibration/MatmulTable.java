package io.shardsim.simulator.compute.calibration;

import io.shardsim.simulator.compute.Kernel.Matmul;
import io.shardsim.simulator.compute.RooflineKernelTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Measured GEMMs of one GPU. */
public final class MatmulTable {

    /**
     * @param matmul the GEMM
     * @param measuredPs its measured time
     */
    public record Row(Matmul matmul, double measuredPs) {
        /** Returns whether it is a shape that occurs in training: a thousand by a thousand weights and at least 512 tokens. */
        public boolean trainingLike() {
            return matmul.m() >= 512 && matmul.n() >= 1024 && matmul.k() >= 1024;
        }

        /** Returns the logarithm of modelled over measured time. */
        public double logError(RooflineKernelTime model) {
            return StrictMath.log(model.isolatedPs(matmul) / measuredPs);
        }
    }

    private final List<Row> rows;

    private MatmulTable(List<Row> rows) {
        this.rows = rows;
    }

    /** Reads all rows of a table file. */
    public static MatmulTable read(String table) {
        List<Row> rows = new ArrayList<>();
        for (Map<String, String> row : ReferenceTables.read(table)) {
            Matmul matmul = new Matmul(
                    "table",
                    1,
                    Long.parseLong(row.get("m")),
                    Long.parseLong(row.get("n")),
                    Long.parseLong(row.get("k")));
            rows.add(new Row(matmul, Double.parseDouble(row.get("latency_ms")) * 1e9));
        }
        return new MatmulTable(rows);
    }

    /** Reads square GEMMs from a row of measurements.csv whose value lists TFLOPS, one per size. */
    public static MatmulTable squares(String id, List<Long> sizes) {
        Map<String, String> row = ReferenceTables.read("measurements.csv").stream()
                .filter(r -> r.get("id").equals(id) && r.get("role").equals("calibration"))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no calibration row " + id));
        String[] teraflops = row.get("value").split("/");
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < sizes.size(); i++) {
            long n = sizes.get(i);
            Matmul matmul = new Matmul(id, 1, n, n, n);
            rows.add(new Row(matmul, matmul.flops() / Double.parseDouble(teraflops[i])));
        }
        return new MatmulTable(rows);
    }

    /** Returns every n-th row: enough for a fit. */
    public MatmulTable every(int n) {
        List<Row> some = new ArrayList<>();
        for (int i = 0; i < rows.size(); i += n) {
            some.add(rows.get(i));
        }
        return new MatmulTable(some);
    }

    public List<Row> rows() {
        return rows;
    }

    /** Returns the mean absolute relative error of the rows that match. */
    public double meanAbsoluteError(RooflineKernelTime model, Predicate<Row> filter) {
        return rows.stream()
                .filter(filter)
                .mapToDouble(row -> Math.abs(StrictMath.exp(row.logError(model)) - 1))
                .average()
                .orElse(Double.NaN);
    }

    /** Returns the mean relative error of the rows that match. */
    public double bias(RooflineKernelTime model, Predicate<Row> filter) {
        return rows.stream()
                .filter(filter)
                .mapToDouble(row -> StrictMath.exp(row.logError(model)) - 1)
                .average()
                .orElse(Double.NaN);
    }

    /** Returns the objective of the fit: mean absolute log error, with three times the weight for training-like shapes. */
    public double objective(RooflineKernelTime model) {
        double sum = 0;
        double weights = 0;
        for (Row row : rows) {
            double weight = row.trainingLike() ? 3 : 1;
            sum += weight * Math.abs(row.logError(model));
            weights += weight;
        }
        return sum / weights;
    }
}
