package io.shardsim.simulator.compute;

import static io.shardsim.simulator.schema.Key.optional;
import static io.shardsim.simulator.schema.Key.required;

import io.shardsim.simulator.catalog.FigureFolder;
import io.shardsim.simulator.catalog.FigureType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ListType;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ValueType;
import io.shardsim.topology.units.UnitTable;
import java.util.List;
import java.util.stream.Stream;

/** What a file of {@link GpuCalibration#FAMILIES} says. */
final class CalibrationKeys {
    private static final ValueType TIME = ScalarTypes.positiveQuantity(UnitTable.TIME);
    private static final ValueType RATE = ScalarTypes.positiveQuantity(UnitTable.RATE);
    private static final ValueType RATIO = ScalarTypes.positive();
    private static final ValueType TILE = ScalarTypes.text("\\d{1,4}x\\d{1,4}", "rows and columns such as 128x256");
    private static final ValueType RANGE = ScalarTypes.text("\\d{1,9}\\.\\.\\d{1,9}", "a range such as 512..65536");

    private static final List<Key> MATMUL = List.of(
            required(
                    "matmul_rate",
                    RATIO,
                    "share of the tensor-core peak that a tile reaches with its operands at hand"),
            optional("matmul_eight_bit_ratio", RATIO, "rate with FP8 operands over that with BF16; none: no FP8"),
            optional("matmul_eight_bit_split_sums_ratio", RATIO, "the same where partial sums are promoted to FP32"),
            required("matmul_operand_rate", RATE, "rate at which one SM takes operands from the L2 cache"),
            required(
                    "matmul_misaligned_ratio",
                    RATIO,
                    "rate of GEMMs whose rows are no multiple of 16 bytes, over others"),
            required("matmul_wave", TIME, "prologue of one wave of tiles"),
            required("matmul_epilogue", TIME, "writing the results of a tile, for each element"),
            required(
                    "matmul_sustained_slowdown",
                    RATIO,
                    "extra time at the sustained clock of a GPU at its power limit"),
            required("matmul_clock_settling", TIME, "time in which the clock settles"),
            required("matmul_fixed", TIME, "launch and drain of a GEMM"),
            required("matmul_hbm_ratio", RATIO, "share of the HBM data-sheet rate in GEMMs limited by it"),
            required("matmul_split_fixed", TIME, "second launch of a GEMM split along k"),
            required("matmul_split_rate", RATE, "partial results of a split GEMM, written and read"),
            required("matmul_tiles", new ListType(TILE, "tile"), "tiles of the matrix library, rows x columns"),
            required(
                    "matmul_splits",
                    new ListType(ScalarTypes.whole(1, 1024), "split"),
                    "parts that it may cut k into"));

    private static final List<Key> OTHERS = List.of(
            required("calibrated_tokens", RANGE, "tokens of a micro-batch for which the coefficients were fitted"),
            required("calibrated_hidden", RANGE, "hidden widths for which the coefficients were fitted"),
            required("kernel_fixed", ScalarTypes.time(1), "launch and drain of any other kernel"),
            required("elementwise_hbm_ratio", RATIO, "share of the HBM data-sheet rate in element-wise kernels"),
            required("flash_forward_rate", RATIO, "share of peak in fused attention forward, heads of 128 and wider"),
            required("flash_backward_rate", RATIO, "the same, backward"),
            required("flash_narrow_head_ratio", RATIO, "rate of narrower heads relative to it"),
            required(
                    "tensor_rate_spread",
                    RATIO,
                    "standard deviation of GEMM rates among GPUs of one kind, over the mean"));

    static final List<Key> ALL = FigureFolder.figures(
            Stream.concat(MATMUL.stream(), OTHERS.stream()).toList(),
            optional("remark", FigureType.LINE, "what a reader must know before trusting the figures"));

    private CalibrationKeys() {}
}
