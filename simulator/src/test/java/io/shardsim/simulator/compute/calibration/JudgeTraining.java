package io.shardsim.simulator.compute.calibration;

import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.compute.GpuCalibration;
import io.shardsim.simulator.compute.Gpus;
import io.shardsim.simulator.compute.LayerKernels.Logits;
import io.shardsim.simulator.compute.LayerKernels.Split;
import io.shardsim.simulator.compute.LayerKernels.Workload;
import io.shardsim.simulator.compute.TransformerTimes;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.Segment.Section;
import io.shardsim.simulator.workload.Segments;
import io.shardsim.topology.GpuSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * Compares hand-computed estimates of whole training steps with published ones of role calibration, and prints the error of each and of each group.
 * {@code JudgeTraining [all]}: with {@code all}, one line per case.
 */
public final class JudgeTraining {

    /**
     * One published step.
     *
     * @param group cases that share hardware and framework
     * @param id row
     * @param measured seconds per step
     * @param estimated seconds per step
     */
    public record Case(String group, String id, double measured, double estimated) {
        /** Returns estimated over measured, minus one. */
        public double error() {
            return estimated / measured - 1;
        }
    }

    /** SMs that NCCL uses on A100 (measurements.csv SMDDP-SM), also assumed for H100. */
    private static final int NCCL_SMS = 24;

    /** vTrain's default ({@code src/config.py}); not padded. */
    private static final int VTRAIN_VOCAB = 50257;

    private JudgeTraining() {}

    public static void main(String[] arguments) {
        List<Case> cases = new ArrayList<>(sharded());
        cases.addAll(megatron());
        boolean all = arguments.length > 0 && arguments[0].equals("all");
        if (all) {
            for (Case c : cases) {
                System.out.printf(
                        Locale.ROOT,
                        "%-28s %-60s %9.4f %9.4f %+6.1f %%%n",
                        c.group(),
                        c.id(),
                        c.measured(),
                        c.estimated(),
                        100 * c.error());
            }
        }
        cases.stream().map(Case::group).distinct().forEach(group -> summary(group, cases));
    }

    private static void summary(String group, List<Case> cases) {
        double absolute = 0;
        double bias = 0;
        double worst = 0;
        int n = 0;
        for (Case c : cases) {
            if (c.group().equals(group)) {
                absolute += Math.abs(c.error());
                bias += c.error();
                worst = Math.abs(c.error()) > Math.abs(worst) ? c.error() : worst;
                n++;
            }
        }
        System.out.printf(
                Locale.ROOT,
                "%-34s n %3d  mean absolute %5.1f %%  bias %+5.1f %%  worst %+6.1f %%%n",
                group,
                n,
                100 * absolute / n,
                100 * bias / n,
                100 * worst);
    }

    /** Composer's MPT models under FSDP on one node (llm-foundry). */
    public static List<Case> sharded() {
        return sharded(FrameworkProfile::named, GpuCalibration::of);
    }

    static List<Case> sharded(
            Function<String, FrameworkProfile> profiles, Function<GpuSpec, GpuCalibration> calibrations) {
        NcclTable nccl = new NcclTable();
        List<Case> cases = new ArrayList<>();
        for (Map<String, String> row : ReferenceTables.read("measurements.csv")) {
            boolean wanted = row.get("id").startsWith("LLMF-")
                    && row.get("role").equals("calibration")
                    && row.get("gpus").equals("8");
            if (!wanted) {
                continue;
            }
            int sequence = Integer.parseInt(row.get("seq_len"));
            int microBatch = Integer.parseInt(row.get("micro_batch"));
            int accumulation = Integer.parseInt(row.get("grad_accum"));
            ModelShape shape = ModelShape.gpt2(
                    Integer.parseInt(row.get("hidden")),
                    Integer.parseInt(row.get("layers")),
                    Integer.parseInt(row.get("heads")),
                    Integer.parseInt(row.get("vocab")),
                    sequence);
            if (shape.parameters() != Long.parseLong(row.get("params"))) {
                throw new IllegalStateException(row.get("id") + ": shape has " + shape.parameters() + " parameters");
            }
            GpuSpec gpu = gpuOf(row.get("hardware"));
            boolean pure = row.get("precision").contains("PURE");
            FrameworkProfile profile = profiles.apply(pure ? "composer-torch-1" : "composer");
            TransformerTimes times = TransformerTimes.of(
                    shape,
                    gpu,
                    calibrations.apply(gpu),
                    gpu.smCount(),
                    Workload.of(sequence, microBatch, AttentionKind.FLASH),
                    profile);
            double ps = StepEstimate.fullyShardedPs(
                    shape,
                    times,
                    nccl,
                    gpu.name(),
                    8,
                    accumulation,
                    new Segments(shape.operators())
                            .recompute(
                                    Section.LAYER,
                                    Checkpointing.valueOf(row.get("act_ckpt").toUpperCase(Locale.ROOT)),
                                    profile.recomputeStopsEarly()),
                    pure ? 2 : 4,
                    (double) NCCL_SMS / gpu.smCount());
            double tokens = (double) microBatch * accumulation * sequence;
            double measured = tokens / Double.parseDouble(row.get("value"));
            cases.add(new Case("FSDP " + gpu.name() + " " + row.get("act_ckpt"), row.get("id"), measured, ps * 1e-12));
        }
        return cases;
    }

    private static GpuSpec gpuOf(String hardware) {
        if (hardware.startsWith("h100")) {
            return Gpus.H100_80GB;
        }
        return hardware.startsWith("a100_40gb") ? Gpus.A100_40GB : Gpus.A100_80GB;
    }

    /**
     * vTrain's single-node grid of Megatron-DeepSpeed. Its configurations name checkpointing, but the times leave no room for it: without
     * recomputation, rows with tensor parallelism 1 are within 4 % and unbiased at every pipeline depth; with it they are 7-13 % too slow in deep
     * pipelines and worse in flat ones. To the microsecond, the rows are sums of a time per layer, per micro-batch and per parameter, as composed by
     * its own predictor (src/predictor.py), with an unpadded vocabulary.
     */
    public static List<Case> megatron() {
        NcclTable nccl = new NcclTable();
        FrameworkProfile profile = FrameworkProfile.named("deepspeed");
        List<Case> cases = new ArrayList<>();
        for (Map<String, String> row : ReferenceTables.read("vtrain_single_node.csv")) {
            int tensor = integer(row, "tensor parallelism");
            int pipeline = integer(row, "pipeline parallelism");
            int data = integer(row, "data parallelism");
            int sequence = integer(row, "sequence length");
            int microBatch = integer(row, "micro batch");
            int hidden = integer(row, "hidden size");
            ModelShape shape = ModelShape.gpt2(
                    hidden, integer(row, "# layers"), integer(row, "attention heads"), VTRAIN_VOCAB, sequence);
            TransformerTimes times = TransformerTimes.of(
                    shape,
                    Gpus.A100_80GB,
                    new Workload(
                            sequence, microBatch, AttentionKind.STANDARD, new Split(tensor, 1, false, Logits.SPLIT)),
                    profile);
            int microBatches = integer(row, "global batch") / microBatch / data;
            double ps = StepEstimate.megatronPs(
                    shape,
                    times,
                    nccl,
                    "a100-80gb",
                    tensor,
                    pipeline,
                    data,
                    microBatches,
                    (long) sequence * microBatch,
                    Checkpointing.NONE);
            double measured = Double.parseDouble(row.get("iteration time (ms)")) * 1e-3;
            String group = String.format(
                    Locale.ROOT, "Megatron tp%d pp%s h%d mb%d", tensor, pipeline > 1 ? ">1" : "1", hidden, microBatch);
            cases.add(new Case(group, row.values().toString(), measured, ps * 1e-12));
        }
        cases.sort(Comparator.comparing(Case::group));
        return cases;
    }

    private static int integer(Map<String, String> row, String column) {
        return Integer.parseInt(row.get(column));
    }
}
