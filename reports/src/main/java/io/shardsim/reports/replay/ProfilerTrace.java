package io.shardsim.reports.replay;

import io.shardsim.reports.Setting;
import io.shardsim.reports.StreamLook;
import io.shardsim.reports.writing.WholeFiles;
import io.shardsim.simulator.observation.Recording;
import io.shardsim.simulator.observation.Recording.Label;
import io.shardsim.simulator.observation.Recording.Spans;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.GpuSpec;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/**
 * A recorded run in the format of PyTorch's profiler (Kineto), one file per simulated rank, readable by Holistic Trace Analysis [1]: kernels, copies
 * and collectives by stream, each one's launch on the host, and the flow arrow between them.
 *
 * <p>Each operation of the plan is one kernel. It is launched when the host has finished everything before it in the plan, or when it starts, if that
 * is sooner. NCCL kernels have the names that NCCL uses, whatever the protocol [2]. Casts and copies on streams other than compute are
 * device-to-device copies, so that all kernels except NCCL's are on the compute stream, and the analysis' compute time is work plus slowdown of our
 * breakdown.
 *
 * <p>Leaves out the individual kernels of a layer, and launch costs beyond the host's own operations.
 *
 * <p>[1] github.com/facebookresearch/HolisticTraceAnalysis, hta/common/trace_parser.py, trace_file.py, types.py. [2] NCCL 2.22,
 * src/device/generate.py, best_kernel.
 */
public final class ProfilerTrace {
    /** Maximum number of operations in all files of a run. */
    public static final int OPERATIONS_MAX = 100_000;

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final int NS_DECIMALS = 3;
    private static final long PS_PER_NS = 1000;
    /** Process ID of rank 0's host; GPUs are processes 0 to 7 and so on. */
    private static final int HOST_PROCESS = 1_000_000;
    /** ID of PyTorch's default stream in profiles; the others follow. */
    private static final int FIRST_STREAM = 7;

    /** Algorithms that NCCL runs, as one or several of its collectives. */
    private static final Set<String> OF_NCCL =
            Set.of("ring", "tree", "nvls", "nvls-tree", "direct", "hierarchical", "hierarchical-batched");

    private static final int RANKS_WRITTEN = 30;
    private static final String FILE_PREFIX = "rank";
    private static final String FILE_SUFFIX = ".json";

    /** An event of a rank, in nanoseconds. */
    private record Event(Label label, int operation, long startNs, long endNs) {}

    private final JsonGenerator out;
    private final TraceFile.Run run;
    private final int rank;
    private int correlation;

    private ProfilerTrace(JsonGenerator out, TraceFile.Run run, int rank) {
        this.out = out;
        this.run = run;
        this.rank = rank;
    }

    /**
     * Writes the files of a run.
     *
     * @param folder folder for this run alone: other files named like these are removed
     * @return what was left out, in words
     */
    public static List<String> write(Path folder, TraceFile.Run run) throws IOException {
        Files.createDirectories(folder);
        List<String> leftOut = new ArrayList<>();
        Set<Path> written = new HashSet<>();
        long endPs = run.recording().totals().last()[0];
        int operations = 0;
        for (Map.Entry<Integer, Spans> rank : run.recording().spans().entrySet()) {
            List<Event> events = events(run.recording(), rank.getValue(), endPs);
            if (operations > 0 && operations + events.size() > OPERATIONS_MAX) {
                leftOut.add(run.name() + ": profiles of ranks from " + rank.getKey() + " on");
                break;
            }
            if (events.size() > OPERATIONS_MAX) {
                leftOut.add(run.name() + ": rank " + rank.getKey() + " after " + OPERATIONS_MAX + " operations");
                events = events.subList(0, OPERATIONS_MAX);
            }
            operations += events.size();
            List<Event> kept = events;
            Path file = folder.resolve(FILE_PREFIX + rank.getKey() + FILE_SUFFIX);
            WholeFiles.write(file, stream -> write(stream, run, rank.getKey(), kept, endPs));
            written.add(file);
        }
        removeOthers(folder, written);
        return leftOut;
    }

    /** Writes the profile of one recorded rank, of any length. */
    public static void write(OutputStream stream, TraceFile.Run run, int rank) {
        Recording recording = run.recording();
        long endPs = recording.totals().last()[0];
        write(
                stream,
                run,
                rank,
                events(recording, Objects.requireNonNull(recording.spans().get(rank)), endPs),
                endPs);
    }

    private static void removeOthers(Path folder, Set<Path> written) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, FILE_PREFIX + "*" + FILE_SUFFIX)) {
            for (Path file : files) {
                if (!written.contains(file)) {
                    Files.delete(file);
                }
            }
        }
    }

    /** Returns all events of a rank, including those in skipped time, by start. */
    private static List<Event> events(Recording recording, Spans spans, long endPs) {
        List<Event> events = new ArrayList<>();
        recording.tellAll(
                spans,
                endPs + 1,
                (operation, startPs, stopPs) -> events.add(new Event(
                        recording.labels().get(operation), operation, nanoseconds(startPs), nanoseconds(stopPs))));
        events.sort((a, b) -> a.startNs != b.startNs
                ? Long.compare(a.startNs, b.startNs)
                : Integer.compare(a.operation, b.operation));
        return events;
    }

    /** Rounds to the nearest, so that events without a gap keep none. */
    private static long nanoseconds(long ps) {
        return (ps + PS_PER_NS / 2) / PS_PER_NS;
    }

    private static void write(OutputStream stream, TraceFile.Run run, int rank, List<Event> events, long endPs) {
        try (JsonGenerator out = MAPPER.createGenerator(stream)) {
            new ProfilerTrace(out, run, rank).write(events, nanoseconds(endPs));
        }
    }

    private void write(List<Event> events, long endNs) {
        Cluster cluster = run.recording().cluster();
        out.writeStartObject();
        out.writeNumberProperty("schemaVersion", 1);
        out.writeName("deviceProperties");
        out.writeRawValue(deviceProperties(cluster));
        out.writeName("distributedInfo");
        // Holistic Trace Analysis searches for "rank": and a blank.
        out.writeRawValue("{\"backend\": \"nccl\", \"rank\": %d, \"world_size\": %d}"
                .formatted(rank, cluster.nodes() * cluster.gpusPerNode()));
        out.writeStringProperty("displayTimeUnit", "ns");
        out.writeStringProperty("run", run.name());
        out.writeStringProperty("digest", run.result().digest());
        out.writeArrayPropertyStart("traceEvents");
        names(cluster, events);
        begin("X", "user_annotation", "ProfilerStep#0", host(), host());
        times(0, endNs);
        end();
        NavigableMap<Integer, Long> hostDone = new TreeMap<>();
        for (Event event : events) {
            if (isOfHost(event)) {
                hostDone.merge(event.operation, event.endNs, Math::max);
            }
        }
        for (Event event : events) {
            if (isOfHost(event)) {
                begin("X", "cpu_op", event.label.words(), host(), hostThread(event));
                times(event.startNs, event.endNs);
                end();
            } else {
                Map.Entry<Integer, Long> before = hostDone.lowerEntry(event.operation);
                onGpu(event, before == null ? 0 : Math.min(before.getValue(), event.startNs));
            }
        }
        out.writeEndArray();
        out.writeEndObject();
    }

    private static String deviceProperties(Cluster cluster) {
        GpuSpec gpu = cluster.instance().gpu();
        List<String> devices = new ArrayList<>();
        for (int local = 0; local < cluster.gpusPerNode(); local++) {
            devices.add("{\"id\": %d, \"name\": \"%s\", \"totalGlobalMem\": %d, \"numSms\": %d}"
                    .formatted(local, gpu.name(), gpu.memoryBytes(), gpu.smCount()));
        }
        return "[" + String.join(", ", devices) + "]";
    }

    private int device() {
        return run.recording().cluster().localRank(rank);
    }

    private int host() {
        return HOST_PROCESS + rank;
    }

    private static Stream stream(Event event) {
        return event.label.operation().stream();
    }

    private static int streamNumber(Event event) {
        return FIRST_STREAM + stream(event).ordinal() - Stream.COMPUTE.ordinal();
    }

    /** Returns the host thread: host work for another stream overlaps with host work for all. */
    private int hostThread(Event event) {
        return host() + (stream(event) == Stream.HOST ? 0 : 1 + stream(event).ordinal());
    }

    private static boolean isOfHost(Event event) {
        return event.label.operation() instanceof Operation.Compute compute
                && (stream(event) == Stream.HOST || compute.work().kind() == Work.Kind.HOST_TIME);
    }

    private void names(Cluster cluster, List<Event> events) {
        name("process_name", host(), 0, "name", "host of rank " + rank);
        name("process_name", device(), 0, "name", "rank " + rank);
        String path =
                cluster.devicePath(cluster.deviceId(cluster.nodeRank(rank), cluster.gpuSlot(cluster.localRank(rank))));
        name("process_labels", device(), 0, "labels", path);
        name("thread_name", host(), host(), "name", "launches");
        Map<Integer, String> streams = new TreeMap<>();
        for (Event event : events) {
            if (!isOfHost(event)) {
                streams.put(streamNumber(event), StreamLook.of(stream(event)).lane());
            }
        }
        streams.forEach(
                (number, lane) -> name("thread_name", device(), number, "name", "stream " + number + " " + lane));
    }

    private void name(String kind, int process, int thread, String argument, String value) {
        begin("M", "", kind, process, thread);
        out.writeObjectPropertyStart("args");
        out.writeStringProperty(argument, value);
        out.writeEndObject();
        end();
    }

    private void begin(String phase, String category, String name, int process, int thread) {
        out.writeRaw('\n');
        out.writeStartObject();
        out.writeStringProperty("ph", phase);
        if (!category.isEmpty()) {
            out.writeStringProperty("cat", category);
        }
        out.writeStringProperty("name", name);
        out.writeNumberProperty("pid", process);
        out.writeNumberProperty("tid", thread);
    }

    private void end() {
        out.writeEndObject();
    }

    private void times(long startNs, long endNs) {
        time("ts", startNs);
        time("dur", endNs - startNs);
    }

    private void time(String property, long ns) {
        out.writeName(property);
        out.writeRawValue(new BigDecimal(BigInteger.valueOf(ns), NS_DECIMALS).toPlainString());
    }

    /** Writes a kernel's launch, the kernel, and the arrow between them. */
    private void onGpu(Event event, long launchNs) {
        correlation++;
        Operation operation = event.label.operation();
        boolean copies = operation instanceof Operation.Compute compute && isCopy(compute);
        begin(
                "X",
                "cuda_runtime",
                copies
                        ? "cudaMemcpyAsync"
                        : operation instanceof Operation.Collective ? "cudaLaunchKernelExC" : "cudaLaunchKernel",
                host(),
                host());
        times(launchNs, launchNs);
        out.writeObjectPropertyStart("args");
        out.writeNumberProperty("External id", correlation);
        out.writeNumberProperty("correlation", correlation);
        out.writeEndObject();
        end();
        arrow("s", host(), host(), launchNs);
        begin("X", copies ? "gpu_memcpy" : "kernel", kernel(event.label), device(), streamNumber(event));
        times(event.startNs, event.endNs);
        arguments(event, copies);
        end();
        arrow("f", device(), streamNumber(event), event.startNs);
        if (operation instanceof Operation.Collective) {
            begin("X", "gpu_user_annotation", "nccl:" + event.label.collective(), device(), streamNumber(event));
            times(event.startNs, event.endNs);
            end();
        }
    }

    private void arrow(String phase, int process, int thread, long ns) {
        begin(phase, "ac2g", "ac2g", process, thread);
        time("ts", ns);
        out.writeNumberProperty("id", correlation);
        if (phase.equals("f")) {
            out.writeStringProperty("bp", "e");
        }
        end();
    }

    private void arguments(Event event, boolean copies) {
        out.writeObjectPropertyStart("args");
        out.writeNumberProperty("External id", correlation);
        out.writeNumberProperty("device", device());
        out.writeNumberProperty("context", 1);
        out.writeNumberProperty("stream", streamNumber(event));
        out.writeNumberProperty("correlation", correlation);
        if (event.label.operation() instanceof Operation.Collective collective) {
            out.writeStringProperty("Collective name", event.label.collective());
            out.writeNumberProperty("Group size", collective.groups().size());
            out.writeStringProperty("Process Group Name", collective.groups().name());
            out.writeStringProperty(
                    "Process Group Ranks", ranks(collective.groups().membersOf(rank)));
            out.writeNumberProperty("bytes", collective.totalBytes());
            out.writeStringProperty("algorithm", event.label.algorithm());
            out.writeStringProperty("operation", event.label.words());
        } else if (event.label.operation() instanceof Operation.Compute compute && copies) {
            out.writeNumberProperty("bytes", compute.work().amount());
            out.writeStringProperty("operation", event.label.words());
        }
        out.writeEndObject();
    }

    /** Formats ranks, shortened as by PyTorch. */
    private static String ranks(int[] members) {
        int last = members.length - 1;
        return last < RANKS_WRITTEN
                ? Arrays.toString(members)
                : "[" + members[0] + ", " + members[1] + ", ..., " + members[last] + "]";
    }

    private String kernel(Label label) {
        if (label.operation() instanceof Operation.Collective collective) {
            return collective(collective, label.algorithm());
        }
        Operation.Compute compute = (Operation.Compute) label.operation();
        if (!isCopy(compute)) {
            return label.words();
        }
        return switch (compute.work().kind()) {
            case HOST_LOAD -> "Memcpy HtoD (Pinned -> Device)";
            case HOST_STORE -> "Memcpy DtoH (Device -> Pinned)";
            default -> "Memcpy DtoD (Device -> Device)";
        };
    }

    /** Returns whether an operation is a copy or cast outside the compute stream; on it they are ordinary kernels. */
    private static boolean isCopy(Operation.Compute compute) {
        return compute.work().kind().isHostCopy()
                || compute.work().kind() == Work.Kind.MEMORY_COPY && compute.stream() != Stream.COMPUTE;
    }

    /** Returns the kernel name of a collective; for a library other than NCCL, a name that analyses also recognize as a collective. */
    private String collective(Operation.Collective collective, String algorithm) {
        String path = algorithm.contains("tree") ? "_TREE_LL" : "_RING_LL";
        String name = switch (collective.kind()) {
            case ALL_GATHER -> "AllGather_RING_LL";
            case BROADCAST, BROADCAST_FROM_LAST -> "Broadcast_RING_LL";
            case REDUCE_SCATTER -> "ReduceScatter_Sum_" + sumType() + "_RING_LL";
            case ALL_REDUCE -> "AllReduce_Sum_" + sumType() + path;
            case ALL_TO_ALL, SEND_RECV -> "SendRecv";
        };
        return OF_NCCL.contains(algorithm)
                ? "ncclDevKernel_" + name + "(ncclDevKernelArgsStorage<4096ul>)"
                : algorithm + " " + collective.kind().id() + " (for ncclKernel)";
    }

    /** Returns NCCL's name of the reduction type: the run's precision, unless a setting says FP32. */
    private String sumType() {
        String type = "f32";
        for (Setting setting : run.result().facts().settings()) {
            if (setting.path().endsWith("_in_fp32") && setting.value().equals("true")) {
                return "f32";
            }
            if (setting.path().equals("training.precision")) {
                String precision = setting.value().toLowerCase(Locale.ROOT);
                type = precision.startsWith("fp32") ? "f32" : precision.startsWith("fp16") ? "f16" : "bf16";
            }
        }
        return type;
    }
}
