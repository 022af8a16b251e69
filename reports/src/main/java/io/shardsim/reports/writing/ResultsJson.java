package io.shardsim.reports.writing;

import io.shardsim.reports.Advice;
import io.shardsim.reports.AroundTheStep;
import io.shardsim.reports.Assumption;
import io.shardsim.reports.BlastRadius;
import io.shardsim.reports.BusBandwidth;
import io.shardsim.reports.CriticalParts;
import io.shardsim.reports.Diagnosis;
import io.shardsim.reports.ErrorInterval;
import io.shardsim.reports.ExposedCommunication;
import io.shardsim.reports.Goodput;
import io.shardsim.reports.KeyWeight;
import io.shardsim.reports.LinkUse;
import io.shardsim.reports.Message;
import io.shardsim.reports.Names;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScalingEfficiency;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.Setting;
import io.shardsim.reports.StepBreakdown;
import io.shardsim.reports.StrategyComparison;
import io.shardsim.reports.TrainingCost;
import io.shardsim.reports.Trial;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.topology.PriceSpec;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.util.DefaultIndenter;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The result document, {@code results.json} and {@code --json}: one object with {@code runs}. The same results give the same bytes on every
 * JDK and operating system, except for {@code wall_seconds}; keys keep their order, numbers have twelve significant digits in plain notation,
 * a figure that does not exist is {@code null}.
 */
public final class ResultsJson {
    /** Enough for any comparison; fewer than a double's 15.95, so that the last bit of a sum does not show. */
    private static final MathContext SIGNIFICANT = new MathContext(12, RoundingMode.HALF_EVEN);

    static final ObjectWriter WRITER = writer();

    private ResultsJson() {}

    /** The document of one or several scenarios, runs in the order given. */
    public static String write(List<ScenarioResult> scenarios) {
        List<RunResult> all =
                scenarios.stream().flatMap(scenario -> scenario.runs().stream()).toList();
        IdentityHashMap<RunResult, Integer> places = new IdentityHashMap<>();
        all.forEach(run -> places.put(run, places.size()));
        Map<String, @Nullable Object> document = new LinkedHashMap<>();
        document.put("version", version());
        document.put("runs", all.stream().map(ResultsJson::run).toList());
        document.put(
                "summaries",
                scenarios.stream().map(scenario -> summary(scenario, places)).toList());
        document.put(
                "comparisons",
                scenarios.stream()
                        .flatMap(scenario -> StrategyComparison.of(scenario).stream())
                        .map(comparison -> comparison(comparison, places))
                        .toList());
        return WRITER.writeValueAsString(document) + "\n";
    }

    /** That of the runnable jar. */
    private static String version() {
        String packaged = ResultsJson.class.getPackage().getImplementationVersion();
        return packaged == null ? "development" : packaged;
    }

    /** What a scenario comes to: places of runs in the document, and what matters. */
    private static Map<String, @Nullable Object> summary(ScenarioResult scenario, Map<RunResult, Integer> places) {
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("scenario", scenario.scenario());
        out.put("complete", scenario.complete());
        out.put("points", whole(scenario.points()));
        out.put("fastest", places.get(scenario.fastest()));
        out.put("cheapest", places.get(scenario.cheapest()));
        out.put("front", scenario.front().stream().map(places::get).toList());
        List<Object> weights = new ArrayList<>();
        for (KeyWeight weight : KeyWeight.of(scenario)) {
            Map<String, @Nullable Object> entry = new LinkedHashMap<>();
            entry.put("key", weight.key());
            entry.put("ratio", decimal(weight.ratio()));
            weights.add(entry);
        }
        out.put("keys", weights);
        return out;
    }

    private static Map<String, @Nullable Object> comparison(
            StrategyComparison comparison, Map<RunResult, Integer> places) {
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("fast", places.get(comparison.fast()));
        out.put("slow", places.get(comparison.slow()));
        out.put("gpus", whole(comparison.gpus()));
        out.put("faster", comparison.faster());
        out.put("slower", comparison.slower());
        out.put("speed_up", decimal(comparison.speedUp()));
        out.put("saved_seconds", exactSeconds(comparison.gap().gapPs()));
        Map<String, @Nullable Object> parts = new LinkedHashMap<>();
        comparison.gap().parts().forEach((part, ps) -> parts.put(part, exactSeconds(ps)));
        out.put("saved_seconds_by_part", parts);
        Map<String, @Nullable Object> causes = new LinkedHashMap<>();
        comparison.causesPs().forEach((cause, ps) -> causes.put(cause, exactSeconds(ps)));
        out.put("saved_seconds_by_cause", causes.isEmpty() ? null : causes);
        out.put("sentence", comparison.sentence());
        out.put("brief", comparison.brief());
        return out;
    }

    public static String write(ScenarioResult scenario) {
        return write(List.of(scenario));
    }

    /** One run as an ordered tree of maps, lists, strings, booleans and decimals. */
    public static Map<String, @Nullable Object> run(RunResult run) {
        RunFacts facts = run.facts();
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("scenario", facts.scenario());
        out.put("point", canonical(facts.point()));
        RunFacts.Strategy strategy = facts.strategy();
        if (strategy != null) {
            out.put("strategy", strategy.kind());
            out.put("strategy_label", run.label());
            out.put("shard_group", whole(strategy.shardGroup()));
        }
        RunFacts.Training model = facts.training();
        if (model != null) {
            out.put("model", model.model());
            out.put("parameters", whole(model.parameters()));
        }
        out.put("instance", facts.cluster().instance().name());
        out.put("nodes", whole(run.nodes()));
        out.put("gpus", whole(run.gpus()));
        out.put("status", run.status().id());
        if (!facts.accepted().isEmpty()) {
            out.put("answers_the_question", false);
            out.put("accepted", facts.accepted());
        }
        if (model != null) {
            putTraining(out, run, model);
        }
        if (facts.collective() != null && run.collective() != null) {
            putCollective(out, facts.collective(), run.collective());
        }
        out.put("events", whole(run.effort().executedEvents()));
        out.put("simulated_events", whole(run.effort().simulatedEvents()));
        out.put("wall_seconds", decimal(run.effort().wallSeconds()));
        out.put("digest", run.digest());
        if (run.training() != null) {
            putReasons(out, run.training());
        }
        if (facts.memory() != null) {
            out.put("memory", memory(facts.memory()));
        }
        out.put("nic_bytes_sent", whole(run.network().nicBytesSent()));
        out.put("links", links(run.network().links()));
        if (run.training() != null) {
            out.put("cost", cost(facts, run.training().costs()));
        }
        AroundTheStep around = AroundTheStep.of(run);
        if (around != null) {
            out.put("around_step", aroundStep(around));
        }
        Diagnosis diagnosis = Diagnosis.of(run);
        out.put("why", diagnosis.why());
        out.put("next", diagnosis.next());
        putAdvice(out, run);
        out.put("accuracy", facts.accuracy() == null ? null : accuracy(facts.accuracy()));
        out.put("notes", facts.notesWithAccuracy());
        out.put("warnings", facts.warnings());
        out.put("messages", facts.messages().stream().map(ResultsJson::message).toList());
        out.put("settings", settings(facts.settings()));
        return out;
    }

    private static Map<String, @Nullable Object> message(Message message) {
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("code", message.code().id());
        out.put("text", message.text());
        return out;
    }

    /** The scenario as it was resolved, by dotted key. */
    private static Map<String, @Nullable Object> settings(List<Setting> settings) {
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        for (Setting setting : settings) {
            Map<String, @Nullable Object> entry = new LinkedHashMap<>();
            entry.put("value", setting.value());
            entry.put("origin", Names.id(setting.origin()));
            out.put(setting.path(), entry);
        }
        return out;
    }

    private static void putAdvice(Map<String, @Nullable Object> out, RunResult run) {
        List<Object> advised = new ArrayList<>();
        for (Advice advice : Advice.of(run)) {
            Map<String, @Nullable Object> entry = trial(advice.trial());
            entry.put("gain", decimal(advice.gain()));
            entry.put("sentence", advice.sentence());
            advised.add(entry);
        }
        out.put("advice", advised);
        out.put("trials", run.facts().trials().stream().map(ResultsJson::trial).toList());
        out.put(
                "assumptions",
                run.facts().assumptions().stream()
                        .map(each -> assumption(each, run))
                        .toList());
        BlastRadius radius = run.facts().radius();
        out.put("blast_radius", radius == null ? null : radius(radius));
        CriticalParts path = run.facts().path();
        out.put("critical_path", path == null ? null : path(path));
    }

    private static Map<String, @Nullable Object> path(CriticalParts path) {
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("seconds", exactSeconds(path.endPs()));
        List<Object> parts = new ArrayList<>();
        for (CriticalParts.Part part : path.parts()) {
            Map<String, @Nullable Object> entry = new LinkedHashMap<>();
            entry.put("waiting", part.waiting());
            entry.put("what", part.what());
            entry.put("seconds", exactSeconds(part.ps()));
            parts.add(entry);
        }
        out.put("parts", parts);
        return out;
    }

    private static Map<String, @Nullable Object> radius(BlastRadius radius) {
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("longer_seconds", exactSeconds(radius.longerPs()));
        List<Object> groups = new ArrayList<>();
        for (BlastRadius.Group group : radius.groups()) {
            Map<String, @Nullable Object> entry = new LinkedHashMap<>();
            entry.put("ranks", group.ranks().stream().map(ResultsJson::whole).toList());
            entry.put("works_longer_seconds", exactSeconds(group.worksPs()));
            Map<String, @Nullable Object> waits = new LinkedHashMap<>();
            group.waitsPs().forEach((stream, ps) -> waits.put(Names.id(stream), exactSeconds(ps)));
            entry.put("waits_longer_seconds", waits);
            groups.add(entry);
        }
        out.put("groups", groups);
        return out;
    }

    private static Map<String, @Nullable Object> assumption(Assumption assumption, RunResult run) {
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("taken", assumption.taken());
        List<Object> others = new ArrayList<>();
        for (Trial other : assumption.others()) {
            Map<String, @Nullable Object> entry = trial(other);
            entry.put("change", other.fit().fits() ? decimal(Assumption.change(other, run)) : null);
            others.add(entry);
        }
        out.put("others", others);
        return out;
    }

    private static Map<String, @Nullable Object> trial(Trial trial) {
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("title", trial.title());
        out.put("set", trial.settings());
        out.put("status", (trial.fit().fits() ? RunResult.Status.OK : RunResult.Status.OUT_OF_MEMORY).id());
        out.put("samples_per_second", trial.fit().fits() ? decimal(trial.samplesPerSecond()) : null);
        out.put("micro_batch", whole(trial.microBatch()));
        out.put("peak_memory_bytes_per_gpu", whole(trial.fit().reservedBytes()));
        return out;
    }

    private static Map<String, @Nullable Object> accuracy(ErrorInterval interval) {
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("coverage", decimal(interval.coverage()));
        out.put("error_low", decimal(interval.low()));
        out.put("error_high", decimal(interval.high()));
        List<Object> nearest = new ArrayList<>();
        for (ErrorInterval.Near near : interval.nearest()) {
            Map<String, @Nullable Object> entry = new LinkedHashMap<>();
            entry.put("id", near.id());
            entry.put("role", near.role());
            entry.put("error", decimal(near.error()));
            nearest.add(entry);
        }
        out.put("nearest_cases", nearest);
        return out;
    }

    private static void putTraining(Map<String, @Nullable Object> out, RunResult run, RunFacts.Training model) {
        RunResult.Training t = run.training();
        out.put("step_seconds", t == null ? null : exactSeconds(t.breakdown().stepPs()));
        out.put("samples_per_second", t == null ? null : decimal(t.samplesPerSecond()));
        out.put("tokens_per_second_per_gpu", t == null ? null : decimal(t.tokensPerSecondPerGpu()));
        out.put("tflops_per_gpu", t == null ? null : decimal(t.flops().teraflopsPerGpu()));
        out.put("tflops_convention", t == null ? null : t.flops().convention());
        out.put("mfu", t == null ? null : decimal(t.flops().mfu()));
        out.put("hfu", t == null ? null : decimal(t.flops().hfu()));
        out.put("peak_format", model.peak().format());
        out.put("peak_flops_per_second", decimal(model.peak().flopsPerSecond()));
        out.put(
                "exposed_communication_seconds",
                t == null ? null : decimal(t.exposed().seconds()));
        RunFacts.Memory memory = run.facts().memory();
        out.put("peak_memory_bytes_per_gpu", memory == null ? null : whole(memory.peakBytes()));
        out.put("sequence_length", whole(model.sequenceLength()));
        out.put("global_batch", whole(model.globalBatch()));
        out.put("micro_batch", whole(model.microBatch()));
        out.put("accumulation_steps", whole(model.accumulationSteps()));
        if (!run.facts().point().isEmpty()) {
            ScalingEfficiency scaling = t == null ? null : t.scaling();
            out.put("scaling_efficiency", scaling == null ? null : decimal(scaling.efficiency()));
            out.put("scaling_base_gpus", scaling == null ? null : whole(scaling.baselineGpus()));
            out.put("scaling_cause", scaling == null ? null : scaling.cause());
            out.put("micro_batch_changes", scaling == null ? null : scaling.otherMicroBatch());
            out.put("scaling", scaling == null ? null : scaling(scaling));
        }
    }

    private static Map<String, @Nullable Object> scaling(ScalingEfficiency scaling) {
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("kind", scaling.fixedGlobalBatch() ? "strong" : "weak");
        out.put("baseline_gpus", whole(scaling.baselineGpus()));
        return out;
    }

    private static void putCollective(
            Map<String, @Nullable Object> out, RunFacts.Collective collective, BusBandwidth speed) {
        out.put("collective", collective.kind().id());
        out.put("algorithm", collective.algorithm());
        out.put("library", collective.library());
        out.put("total_bytes", whole(collective.totalBytes()));
        out.put("collective_seconds", decimal(speed.seconds()));
        out.put("algorithm_bandwidth_bytes_per_second", decimal(speed.algorithmBytesPerSecond()));
        out.put("bus_bandwidth_bytes_per_second", decimal(speed.busBytesPerSecond()));
    }

    private static void putReasons(Map<String, @Nullable Object> out, RunResult.Training t) {
        StepBreakdown b = t.breakdown();
        Map<String, @Nullable Object> work = new LinkedHashMap<>();
        b.workPs().forEach((kind, ps) -> work.put(Names.id(kind), exactSeconds(ps)));
        Map<String, @Nullable Object> exposed = new LinkedHashMap<>();
        b.exposedPs().forEach((stream, ps) -> exposed.put(Names.id(stream), exactSeconds(ps)));
        Map<String, @Nullable Object> breakdown = new LinkedHashMap<>();
        breakdown.put("work_seconds", work);
        breakdown.put("slowdown_seconds", exactSeconds(b.slowdownPs()));
        breakdown.put("exposed_seconds", exposed);
        breakdown.put("idle_seconds", exactSeconds(b.idlePs()));
        out.put("breakdown", breakdown);
        out.put("compute_busy", decimal(t.computeBusy()));
        out.put("communication_seconds", decimal(t.exposed().linkSeconds()));
        List<Object> culprits = new ArrayList<>();
        for (ExposedCommunication.Culprit culprit : t.exposed().culprits()) {
            Map<String, @Nullable Object> entry = new LinkedHashMap<>();
            entry.put("operation", culprit.what());
            entry.put("stream", Names.id(culprit.stream()));
            entry.put("seconds", decimal(culprit.seconds()));
            entry.put("waits", whole(culprit.waits()));
            culprits.add(entry);
        }
        out.put("waited_for", culprits);
    }

    private static Map<String, @Nullable Object> memory(RunFacts.Memory memory) {
        Map<String, @Nullable Object> byOwner = new LinkedHashMap<>();
        for (Map.Entry<MemoryOwner, Long> entry : memory.bytesByOwner().entrySet()) {
            byOwner.put(Names.id(entry.getKey()), whole(entry.getValue()));
        }
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("capacity_bytes", whole(memory.capacityBytes()));
        out.put("needed_bytes", whole(memory.neededBytes()));
        if (memory.host().neededBytes() > 0) {
            out.put("host_needed_bytes", whole(memory.host().neededBytes()));
            out.put("host_capacity_bytes", whole(memory.host().capacityBytes()));
        }
        out.put("peak_bytes_by_owner", byOwner);
        return out;
    }

    private static List<Object> links(List<LinkUse> uses) {
        List<Object> out = new ArrayList<>();
        for (LinkUse use : uses) {
            Map<String, @Nullable Object> entry = new LinkedHashMap<>();
            entry.put("class", Names.id(use.linkClass()));
            entry.put("ports", whole(use.ports()));
            entry.put("chunks", whole(use.chunks()));
            entry.put("bytes", whole(use.bytes()));
            entry.put("utilization", decimal(use.utilization()));
            entry.put("busiest_utilization", decimal(use.busiestUtilization()));
            entry.put("busiest_port", use.busiestPort());
            entry.put("queueing_seconds", decimal(use.queueingSeconds()));
            out.add(entry);
        }
        return out;
    }

    private static Map<String, @Nullable Object> aroundStep(AroundTheStep around) {
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        AroundTheStep.Input input = around.input();
        if (input != null) {
            Map<String, @Nullable Object> entry = new LinkedHashMap<>();
            entry.put("storage", input.storage());
            entry.put("seconds_per_step", decimal(input.seconds()));
            entry.put("stall_seconds_per_step", decimal(input.stallSeconds()));
            out.put("input", entry);
        }
        AroundTheStep.Checkpoint checkpoint = around.checkpoint();
        if (checkpoint != null) {
            Map<String, @Nullable Object> entry = new LinkedHashMap<>();
            entry.put("storage", checkpoint.storage());
            entry.put("state", Names.id(checkpoint.state()));
            entry.put("bytes", whole(checkpoint.bytes()));
            entry.put("write_seconds", decimal(checkpoint.writeSeconds()));
            entry.put("pause_seconds", decimal(checkpoint.pauseSeconds()));
            entry.put("interval_seconds", decimal(checkpoint.intervalSeconds()));
            entry.put("paused_share", decimal(checkpoint.share()));
            entry.put("assemble_seconds", decimal(checkpoint.assembleSeconds()));
            out.put("checkpoint", entry);
        }
        AroundTheStep.StartUp start = around.startUp();
        if (start != null) {
            Map<String, @Nullable Object> entry = new LinkedHashMap<>();
            entry.put("delayed", start.delayed());
            entry.put("seconds", decimal(start.seconds()));
            entry.put("host_bytes_per_node", whole(start.delayed() ? 0 : start.hostBytes()));
            entry.put("host_memory_bytes", whole(start.hostMemoryBytes()));
            out.put("start_up", entry);
        }
        Goodput goodput = around.goodput();
        if (goodput != null) {
            Map<String, @Nullable Object> entry = new LinkedHashMap<>();
            entry.put("cluster_mtbf_seconds", decimal(goodput.clusterMtbfSeconds()));
            entry.put("recovery_seconds", decimal(goodput.recoverySeconds()));
            entry.put("share", decimal(goodput.share()));
            entry.put("days", decimal(goodput.cost().days()));
            entry.put("usd", decimal(goodput.cost().usd()));
            entry.put("best_every", whole(goodput.bestEverySteps()));
            entry.put("best_share", decimal(goodput.bestShare()));
            entry.put("best_days", decimal(goodput.bestCost().days()));
            entry.put("best_usd", decimal(goodput.bestCost().usd()));
            entry.put("curve", goodput.curve().stream().map(ResultsJson::point).toList());
            out.put("goodput", entry);
        }
        out.put("samples_per_second", decimal(around.samplesPerSecond()));
        out.put("tokens", decimal(around.cost().tokens()));
        out.put("days", decimal(around.cost().days()));
        out.put("usd", decimal(around.cost().usd()));
        return out;
    }

    private static Map<String, @Nullable Object> cost(RunFacts facts, List<TrainingCost> costs) {
        PriceSpec price = facts.cluster().instance().price();
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("usd_per_node_hour", decimal(price.usdPerHour()));
        out.put("nodes", whole(facts.nodes()));
        out.put("as_of", price.asOf());
        out.put("source", price.source());
        List<Object> lengths = new ArrayList<>();
        for (TrainingCost cost : costs) {
            Map<String, @Nullable Object> entry = new LinkedHashMap<>();
            entry.put("tokens", decimal(cost.tokens()));
            entry.put("days", decimal(cost.days()));
            entry.put("usd", decimal(cost.usd()));
            lengths.add(entry);
        }
        out.put("training", lengths);
        return out;
    }

    private static Map<String, @Nullable Object> point(Goodput.Point point) {
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("every", whole(point.everySteps()));
        out.put("blocking_share", decimal(point.blockingShare()));
        out.put("asynchronous_share", decimal(point.asynchronousShare()));
        return out;
    }

    private static BigInteger whole(long value) {
        return BigInteger.valueOf(value);
    }

    /** All digits, so that the parts of a step sum to it in the document as well. */
    private static BigDecimal exactSeconds(long picoseconds) {
        return plain(BigDecimal.valueOf(picoseconds, 12));
    }

    static @Nullable BigDecimal decimal(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return null;
        }
        return plain(new BigDecimal(value).round(SIGNIFICANT));
    }

    private static BigDecimal plain(BigDecimal value) {
        BigDecimal stripped = value.stripTrailingZeros();
        return stripped.scale() < 0 ? stripped.setScale(0) : stripped;
    }

    /** The same tree with floating-point numbers as decimals and everything unknown as text. */
    private static @Nullable Object canonical(@Nullable Object value) {
        if (value == null || value instanceof Boolean || value instanceof String) {
            return value;
        }
        if (value instanceof Double || value instanceof Float) {
            return decimal(((Number) value).doubleValue());
        }
        if (value instanceof Number) {
            return value;
        }
        if (value instanceof Map<?, ?> map) {
            Map<String, @Nullable Object> out = new LinkedHashMap<>();
            map.forEach((key, inner) -> out.put(String.valueOf(key), canonical(inner)));
            return out;
        }
        if (value instanceof Iterable<?> list) {
            List<@Nullable Object> out = new ArrayList<>();
            list.forEach(inner -> out.add(canonical(inner)));
            return out;
        }
        return value.toString();
    }

    private static ObjectWriter writer() {
        DefaultIndenter lines = new DefaultIndenter("  ", "\n");
        return JsonMapper.builder()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
                .defaultPrettyPrinter(
                        new DefaultPrettyPrinter().withObjectIndenter(lines).withArrayIndenter(lines))
                .build()
                .writer();
    }
}
