package io.shardsim.reports.writing;

import io.shardsim.reports.Advice;
import io.shardsim.reports.AroundTheStep;
import io.shardsim.reports.Assumption;
import io.shardsim.reports.BlastRadius;
import io.shardsim.reports.BusBandwidth;
import io.shardsim.reports.CriticalParts;
import io.shardsim.reports.Diagnosis;
import io.shardsim.reports.ErrorInterval;
import io.shardsim.reports.Goodput;
import io.shardsim.reports.KeyWeight;
import io.shardsim.reports.LinkUse;
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
import io.shardsim.topology.PriceSpec;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes the result document, {@code results.json} and {@code --json}: one object with {@code runs}. Equal results give identical bytes on every JDK
 * and operating system, except for {@code wall_seconds}; keys keep their order, numbers have twelve significant digits in plain notation, a figure
 * that does not exist is {@code null}.
 */
public final class ResultsJson {
    private ResultsJson() {}

    /** Returns the document of one or several scenarios, with runs in the order given. */
    public static String write(List<ScenarioResult> scenarios) {
        List<RunResult> all =
                scenarios.stream().flatMap(scenario -> scenario.runs().stream()).toList();
        IdentityHashMap<RunResult, Integer> places = new IdentityHashMap<>();
        all.forEach(run -> places.put(run, places.size()));
        List<StrategyComparison> comparisons = scenarios.stream()
                .flatMap(scenario -> StrategyComparison.of(scenario).stream())
                .toList();
        return new JsonObject()
                .with("version", version())
                .list("runs", all, ResultsJson::run)
                .list("summaries", scenarios, scenario -> summary(scenario, places))
                .list("comparisons", comparisons, comparison -> comparison(comparison, places))
                .byLines();
    }

    /** Returns the version of the runnable jar, which each document contains. */
    public static String version() {
        String packaged = ResultsJson.class.getPackage().getImplementationVersion();
        return packaged == null ? "development" : packaged;
    }

    /** Returns a scenario's summary: indices of runs in the document, and which keys matter. */
    private static JsonObject summary(ScenarioResult scenario, Map<RunResult, Integer> places) {
        return new JsonObject()
                .with("scenario", scenario.scenario())
                .with("complete", scenario.complete())
                .with("points", scenario.points())
                .with("fastest", places.get(scenario.fastest()))
                .with("cheapest", places.get(scenario.cheapest()))
                .list("front", scenario.front(), places::get)
                .list(
                        "keys",
                        KeyWeight.of(scenario),
                        weight -> new JsonObject().with("key", weight.key()).figure("ratio", weight.ratio()));
    }

    private static JsonObject comparison(StrategyComparison comparison, Map<RunResult, Integer> places) {
        JsonObject out = new JsonObject()
                .with("fast", places.get(comparison.fast()))
                .with("slow", places.get(comparison.slow()))
                .with("gpus", comparison.gpus())
                .with("faster", comparison.faster())
                .with("slower", comparison.slower())
                .figure("speed_up", comparison.speedUp())
                .seconds("saved_seconds", comparison.gap().gapPs())
                .seconds("saved_seconds_by_part", comparison.gap().parts())
                .seconds("saved_seconds_by_cause", comparison.causesPs());
        if (comparison.causesPs().isEmpty()) {
            out.with("saved_seconds_by_cause", null);
        }
        return out.with("sentence", comparison.sentence()).with("brief", comparison.brief());
    }

    public static String write(ScenarioResult scenario) {
        return write(List.of(scenario));
    }

    /** Returns one run as an ordered tree of maps, lists, strings, booleans and numbers. */
    public static JsonObject run(RunResult run) {
        RunFacts facts = run.facts();
        JsonObject out = new JsonObject().with("scenario", facts.scenario()).with("point", canonical(facts.point()));
        RunFacts.Strategy strategy = facts.strategy();
        if (strategy != null) {
            out.with("strategy", strategy.kind())
                    .with("strategy_label", run.label())
                    .with("shard_group", strategy.shardGroup());
        }
        RunFacts.Training model = facts.training();
        if (model != null) {
            out.with("model", model.model()).with("parameters", model.parameters());
            if (model.size().active() < model.parameters()) {
                out.with("active_parameters", model.size().active())
                        .with("expert_load", model.size().experts().load())
                        .figure("fullest_rank_min", model.size().experts().least())
                        .figure("fullest_rank_mean", model.size().experts().mean())
                        .figure("fullest_rank_max", model.size().experts().most());
            }
            if (model.size().isFrozen()) {
                out.with("trained_parameters", model.size().trained());
            }
        }
        out.with("instance", facts.cluster().instance().name())
                .with("nodes", run.nodes())
                .with("gpus", run.gpus())
                .with("status", run.status().id());
        if (!facts.accepted().isEmpty()) {
            out.with("answers_the_question", false).with("accepted", facts.accepted());
        }
        if (model != null) {
            putTraining(out, run, model);
        }
        if (facts.collective() != null && run.collective() != null) {
            putCollective(out, facts.collective(), run.collective());
        }
        out.with("events", run.effort().executedEvents())
                .with("simulated_events", run.effort().simulatedEvents())
                .figure("wall_seconds", run.effort().wallSeconds())
                .with("digest", run.digest());
        if (run.training() != null) {
            putReasons(out, run.training());
        }
        if (facts.memory() != null) {
            out.with("memory", memory(facts.memory()));
        }
        out.with("nic_bytes_sent", run.network().nicBytesSent())
                .list("links", run.network().links(), ResultsJson::link);
        if (run.training() != null) {
            out.with("cost", cost(facts, run.training().costs()));
        }
        if (facts.tried().mean() != null) {
            out.figure("mean_step_seconds", run.meanStepSeconds());
        }
        AroundTheStep around = AroundTheStep.of(run);
        if (around != null) {
            out.with("around_step", aroundStep(around));
        }
        Diagnosis diagnosis = Diagnosis.of(run);
        return out.with("why", diagnosis.why())
                .with("next", diagnosis.next())
                .list(
                        "advice",
                        Advice.of(run),
                        advice -> trial(advice.trial())
                                .figure("gain", advice.gain())
                                .with("sentence", advice.sentence()))
                .list("trials", facts.trials(), ResultsJson::trial)
                .with("untried", facts.tried().untried())
                .list("assumptions", facts.assumptions(), each -> assumption(each, run))
                .object("blast_radius", facts.radius(), ResultsJson::radius)
                .object("critical_path", facts.path(), ResultsJson::path)
                .object("accuracy", facts.accuracy(), ResultsJson::accuracy)
                .with("notes", facts.notesWithAccuracy())
                .with("warnings", facts.warnings())
                .list(
                        "messages",
                        facts.messages(),
                        message -> new JsonObject()
                                .with("code", message.code().id())
                                .with("text", message.text()))
                .with("settings", settings(facts.settings()));
    }

    /** Returns one run for a page, without the cost of the simulation. */
    public static JsonObject page(RunResult run) {
        JsonObject out = run(run);
        out.remove("wall_seconds");
        return out;
    }

    /** Returns the resolved scenario, by dotted key. */
    private static JsonObject settings(List<Setting> settings) {
        JsonObject out = new JsonObject();
        settings.forEach(setting -> out.with(setting.path(), setting(setting)));
        return out;
    }

    /** Returns a key's value and its origin. */
    public static JsonObject setting(Setting setting) {
        return new JsonObject().with("value", setting.value()).with("origin", setting.origin());
    }

    private static JsonObject path(CriticalParts path) {
        return new JsonObject()
                .seconds("seconds", path.endPs())
                .list(
                        "parts",
                        path.parts(),
                        part -> new JsonObject()
                                .with("waiting", part.waiting())
                                .with("what", part.what())
                                .seconds("seconds", part.ps()));
    }

    private static JsonObject radius(BlastRadius radius) {
        return new JsonObject()
                .seconds("longer_seconds", radius.longerPs())
                .list(
                        "groups",
                        radius.groups(),
                        group -> new JsonObject()
                                .with("ranks", group.ranks())
                                .seconds("works_longer_seconds", group.worksPs())
                                .seconds("slowed_longer_seconds", group.slowedPs())
                                .seconds("waits_longer_seconds", group.waitsPs()));
    }

    private static JsonObject assumption(Assumption assumption, RunResult run) {
        return new JsonObject()
                .with("taken", assumption.taken())
                .list(
                        "others",
                        assumption.others(),
                        other -> trial(other)
                                .figure("change", other.fit().fits() ? Assumption.change(other, run) : null));
    }

    /** Returns the result of a run with other settings. */
    public static JsonObject trial(Trial trial) {
        RunResult.Status status = trial.fit().fits() ? RunResult.Status.OK : RunResult.Status.OUT_OF_MEMORY;
        return new JsonObject()
                .with("title", trial.title())
                .with("set", trial.settings())
                .with("status", trial.fit().fits() && !trial.isDone() ? "no_gain" : status.id())
                .figure("samples_per_second", trial.isDone() ? trial.samplesPerSecond() : null)
                .with("micro_batch", trial.microBatch())
                .with("peak_memory_bytes_per_gpu", trial.fit().reservedBytes());
    }

    private static JsonObject accuracy(ErrorInterval interval) {
        return new JsonObject()
                .figure("coverage", interval.coverage())
                .figure("error_low", interval.low())
                .figure("error_high", interval.high())
                .list(
                        "nearest_cases",
                        interval.nearest(),
                        near -> new JsonObject()
                                .with("id", near.id())
                                .with("role", near.role())
                                .figure("error", near.error()));
    }

    private static void putTraining(JsonObject out, RunResult run, RunFacts.Training model) {
        RunResult.Training t = run.training();
        RunFacts.Memory memory = run.facts().memory();
        out.seconds("step_seconds", t == null ? null : t.breakdown().stepPs())
                .figure("samples_per_second", t == null ? null : t.samplesPerSecond())
                .figure("tokens_per_second_per_gpu", t == null ? null : t.tokensPerSecondPerGpu())
                .figure("tflops_per_gpu", t == null ? null : t.flops().teraflopsPerGpu())
                .figure("model_tflops_per_gpu", t == null ? null : t.flops().modelTeraflopsPerGpu())
                .with("tflops_convention", t == null ? null : t.flops().convention())
                .figure("mfu", t == null ? null : t.flops().mfu())
                .figure("hfu", t == null ? null : t.flops().hfu())
                .with("peak_format", model.peak().format())
                .figure("peak_flops_per_second", model.peak().flopsPerSecond())
                .figure(
                        "exposed_communication_seconds",
                        t == null ? null : t.exposed().seconds())
                .with("peak_memory_bytes_per_gpu", memory == null ? null : memory.peakBytes())
                .with("sequence_length", model.sequenceLength())
                .with("global_batch", model.globalBatch())
                .with("micro_batch", model.microBatch())
                .with("accumulation_steps", model.accumulationSteps());
        if (!run.facts().point().isEmpty()) {
            ScalingEfficiency scaling = t == null ? null : t.scaling();
            out.figure("scaling_efficiency", scaling == null ? null : scaling.efficiency())
                    .with("scaling_base_gpus", scaling == null ? null : scaling.baselineGpus())
                    .with("scaling_cause", scaling == null ? null : scaling.cause())
                    .with("micro_batch_changes", scaling == null ? null : scaling.otherMicroBatch())
                    .object(
                            "scaling",
                            scaling,
                            one -> new JsonObject()
                                    .with("kind", one.fixedGlobalBatch() ? "strong" : "weak")
                                    .with("baseline_gpus", one.baselineGpus()));
        }
    }

    private static void putCollective(JsonObject out, RunFacts.Collective collective, BusBandwidth speed) {
        out.with("collective", collective.kind().id())
                .with("algorithm", collective.algorithm())
                .with("library", collective.library())
                .with("total_bytes", collective.totalBytes())
                .figure("collective_seconds", speed.seconds())
                .figure("algorithm_bandwidth_bytes_per_second", speed.algorithmBytesPerSecond())
                .figure("bus_bandwidth_bytes_per_second", speed.busBytesPerSecond());
    }

    private static void putReasons(JsonObject out, RunResult.Training t) {
        StepBreakdown b = t.breakdown();
        out.with(
                        "breakdown",
                        new JsonObject()
                                .seconds("work_seconds", b.workPs())
                                .seconds("slowdown_seconds", b.slowdownPs())
                                .seconds("exposed_seconds", b.exposedPs())
                                .seconds("idle_seconds", b.idlePs()))
                .figure("compute_busy", t.computeBusy())
                .figure("communication_seconds", t.exposed().linkSeconds())
                .list(
                        "waited_for",
                        t.exposed().culprits(),
                        culprit -> new JsonObject()
                                .with("operation", culprit.what())
                                .with("stream", culprit.stream())
                                .figure("seconds", culprit.seconds())
                                .with("waits", culprit.waits()));
    }

    private static JsonObject memory(RunFacts.Memory memory) {
        JsonObject byOwner = new JsonObject();
        memory.bytesByOwner().forEach((owner, bytes) -> byOwner.with(Names.id(owner), bytes));
        JsonObject out = new JsonObject()
                .with("capacity_bytes", memory.capacityBytes())
                .with("needed_bytes", memory.neededBytes());
        if (memory.host().neededBytes() > 0) {
            out.with("host_needed_bytes", memory.host().neededBytes())
                    .with("host_capacity_bytes", memory.host().capacityBytes());
        }
        return out.with("peak_bytes_by_owner", byOwner);
    }

    private static JsonObject link(LinkUse use) {
        return new JsonObject()
                .with("class", use.linkClass())
                .with("ports", use.ports())
                .with("chunks", use.chunks())
                .with("bytes", use.bytes())
                .figure("utilization", use.utilization())
                .figure("busiest_utilization", use.busiestUtilization())
                .with("busiest_port", use.busiestPort())
                .figure("queueing_seconds", use.queueingSeconds());
    }

    private static JsonObject aroundStep(AroundTheStep around) {
        JsonObject out = new JsonObject();
        AroundTheStep.Input input = around.input();
        if (input != null) {
            out.with(
                    "input",
                    new JsonObject()
                            .with("storage", input.storage())
                            .figure("seconds_per_step", input.seconds())
                            .figure("stall_seconds_per_step", input.stallSeconds()));
        }
        AroundTheStep.Checkpoint checkpoint = around.checkpoint();
        if (checkpoint != null) {
            out.with(
                    "checkpoint",
                    new JsonObject()
                            .with("storage", checkpoint.storage())
                            .with("state", checkpoint.state())
                            .with("bytes", checkpoint.bytes())
                            .figure("write_seconds", checkpoint.writeSeconds())
                            .figure("pause_seconds", checkpoint.pauseSeconds())
                            .figure("interval_seconds", checkpoint.intervalSeconds())
                            .figure("paused_share", checkpoint.share())
                            .figure("assemble_seconds", checkpoint.assembleSeconds()));
        }
        AroundTheStep.StartUp start = around.startUp();
        if (start != null) {
            out.with(
                    "start_up",
                    new JsonObject()
                            .with("delayed", start.delayed())
                            .figure("seconds", start.seconds())
                            .with("host_bytes_per_node", start.delayed() ? 0 : start.hostBytes())
                            .with("host_memory_bytes", start.hostMemoryBytes()));
        }
        Goodput goodput = around.goodput();
        if (goodput != null) {
            out.with("goodput", goodput(goodput));
        }
        return out.figure("samples_per_second", around.samplesPerSecond())
                .figure("tokens", around.cost().tokens())
                .figure("days", around.cost().days())
                .figure("usd", around.cost().usd());
    }

    private static JsonObject goodput(Goodput goodput) {
        return new JsonObject()
                .figure("cluster_mtbf_seconds", goodput.clusterMtbfSeconds())
                .figure("recovery_seconds", goodput.recoverySeconds())
                .figure("share", goodput.share())
                .figure("days", goodput.cost().days())
                .figure("usd", goodput.cost().usd())
                .with("best_every", goodput.bestEverySteps())
                .figure("best_share", goodput.bestShare())
                .figure("best_days", goodput.bestCost().days())
                .figure("best_usd", goodput.bestCost().usd())
                .list(
                        "curve",
                        goodput.curve(),
                        point -> new JsonObject()
                                .with("every", point.everySteps())
                                .figure("blocking_share", point.blockingShare())
                                .figure("asynchronous_share", point.asynchronousShare()));
    }

    private static JsonObject cost(RunFacts facts, List<TrainingCost> costs) {
        PriceSpec price = facts.cluster().instance().price();
        return new JsonObject()
                .figure("usd_per_node_hour", price.usdPerHour())
                .with("nodes", facts.nodes())
                .with("as_of", price.asOf())
                .with("source", price.source())
                .list(
                        "training",
                        costs,
                        cost -> new JsonObject()
                                .figure("tokens", cost.tokens())
                                .figure("days", cost.days())
                                .figure("usd", cost.usd()));
    }

    /** Returns the tree with floating-point numbers as decimals and everything unknown as text. */
    private static @Nullable Object canonical(@Nullable Object value) {
        if (value == null || value instanceof Boolean || value instanceof String) {
            return value;
        }
        if (value instanceof Double || value instanceof Float) {
            return JsonObject.decimal(((Number) value).doubleValue());
        }
        if (value instanceof Number) {
            return value;
        }
        if (value instanceof Map<?, ?> map) {
            JsonObject out = new JsonObject();
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
}
