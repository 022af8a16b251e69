package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.MemoryWords;
import io.shardsim.reports.Message;
import io.shardsim.reports.MessageCode;
import io.shardsim.reports.RunFacts;
import io.shardsim.scenarios.accuracy.RecordedErrors;
import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.job.Batch;
import io.shardsim.simulator.job.ModelParallel;
import io.shardsim.simulator.job.Precision;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryFit;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.run.TransformerWorkTimes;
import io.shardsim.topology.GpuSpec;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Facts known about a training run before it runs, as stated in its result. */
final class TrainingFacts {
    private final TrainingPoint training;
    private final Task.Training task;
    private final TrainingJob job;
    private final MemoryFit fit;

    TrainingFacts(TrainingPoint training) {
        this.training = training;
        task = training.task();
        job = training.job();
        fit = training.found().fit();
    }

    RunFacts facts() {
        ScenarioPoint point = training.point();
        return RunFacts.of(
                        point.scenario(),
                        point.values(),
                        point.cluster(),
                        new RunFacts.Sharded(strategy(), model(), memory()),
                        new RunFacts.Remarks(
                                notes(),
                                warnings(),
                                point.figures().stream()
                                        .map(RunFacts.Source::of)
                                        .toList(),
                                ResolvedSettings.of(training)))
                .withSurroundings(task.surroundings());
    }

    private RunFacts.Strategy strategy() {
        return new RunFacts.Strategy(
                task.strategy().kind(),
                task.strategy().descriptor().title(),
                training.strategy().shardGroups(job).size(),
                training.strategy().holders(job),
                split(training.strategy().modelParallel()),
                job.kernels());
    }

    private static RunFacts.Split split(ModelParallel parallel) {
        return new RunFacts.Split(
                parallel.tensor(),
                parallel.sequence(),
                parallel.context(),
                parallel.expertParallel(),
                parallel.expertTensor(),
                parallel.stages(),
                parallel.stages() > 1 && parallel.pipeline().chunks() > 1);
    }

    private RunFacts.Training model() {
        return new RunFacts.Training(
                task.modelName(),
                new RunFacts.Parameters(
                        job.model().parameters(),
                        job.model().activeParameters(),
                        Math.min(job.model().trainedParameters(), job.model().activeParameters()),
                        job.model().countedParameters(task.sequenceLength()),
                        fill()),
                job.model().attentionFlopsPerToken(task.sequenceLength()),
                task.globalBatch(),
                new Batch(task.sequenceLength(), job.microBatch(), job.accumulationSteps()),
                new RunFacts.Recomputation(job.recomputedProducts(), job.recomputedAttention()),
                peak());
    }

    private RunFacts.ExpertFill fill() {
        DoubleSummaryStatistics fullest = job.model().fullestRanks();
        return new RunFacts.ExpertFill(
                job.model().mixture().load().words(), fullest.getMin(), fullest.getAverage(), fullest.getMax());
    }

    private RunFacts.Peak peak() {
        GpuSpec gpu = Catalog.ofDataSheet(training.cluster().instance().gpu());
        return job.profile().eightBitProducts()
                ? new RunFacts.Peak(Precision.FP8.id(), gpu.peakEightBitFlopsPerSecond())
                : new RunFacts.Peak(
                        job.precision() == Precision.BF16_PURE
                                ? Precision.BF16.id()
                                : job.precision().id(),
                        gpu.peakFlopsPerSecond(job.precision().bytes()));
    }

    private RunFacts.Memory memory() {
        Map<MemoryOwner, Long> atPeak = new EnumMap<>(training.found().ledger().atPeak());
        atPeak.merge(MemoryOwner.RUNTIME, training.memory().bufferBytes(), Long::sum);
        long counted = training.found().ledger().peakBytes() + training.memory().bufferBytes();
        atPeak.merge(MemoryOwner.FRAGMENTATION, fit.reservedBytes() - counted, Long::sum);
        return new RunFacts.Memory(atPeak, fit.neededBytes(), training.memory().capacityBytes(), fit.host());
    }

    private List<String> notes() {
        List<String> notes = new ArrayList<>(training.point().notes());
        if (task.microBatch() == null && training.fits()) {
            notes.add("micro_batch " + job.microBatch()
                    + (fit.isRoomy()
                            ? (job.parallel().stages() > 1
                                            ? ": the one with the shortest estimated pipeline step."
                                            : ": the largest that fits with fragmentation.")
                                    + " Set training.micro_batch to change it."
                            : ": the smallest that fits. None fits with fragmentation."));
        }
        notes.addAll(new SettingRemarks(training).sentences());
        return notes;
    }

    private List<Message> warnings() {
        List<Message> warnings = new ArrayList<>();
        new TransformerWorkTimes(job, training.cluster())
                .remarks()
                .forEach(remark -> warnings.add(new Message(MessageCode.KERNEL_TIMES, remark)));
        // Do not advise less than a micro-batch that was chosen although it is tight.
        boolean mayLower = job.microBatch() > 1 && (task.microBatch() != null || fit.isRoomy());
        Message full =
                MemoryWords.warning(fit, mayLower, RecordedErrors.builtIn().ofMemory(training.point()));
        if (full != null) {
            warnings.add(full);
        }
        return warnings;
    }
}
