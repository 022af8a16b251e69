package io.shardsim.reports.replay;

import io.shardsim.reports.Names;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.StreamLook;
import io.shardsim.reports.writing.WholeFiles;
import io.shardsim.simulator.observation.MemoryOverTime;
import io.shardsim.simulator.observation.Recording;
import io.shardsim.simulator.observation.Recording.Journeys;
import io.shardsim.simulator.observation.Recording.Label;
import io.shardsim.simulator.observation.Recording.RecordedPath;
import io.shardsim.simulator.observation.Recording.Spans;
import io.shardsim.simulator.observation.SkippedTime;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.Router;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/**
 * Recorded runs as a trace in Chrome's JSON trace format [1], which Perfetto opens: for each run, the streams of its GPUs, transmissions of Node[0]'s
 * ports, and as counters the rate of each port, of all NICs, and memory by owner.
 *
 * <p>Arrows lead from the port that sends a chunk to the stream that receives it.
 *
 * <p>Bounded in size: GPUs by rank and chunks by time, up to {@link #SLICES_MAX}; {@code otherData} says what is left out.
 *
 * <p>[1] Trace Event Format, Google, 2016-10, "JSON Object Format", "Complete Events", "Counter Events", "Metadata Events".
 */
public final class TraceFile {
    /** Maximum slices per file, some 25 MB. */
    public static final int SLICES_MAX = 200_000;

    /** Number of chunk journeys to record in a run. */
    public static final int JOURNEYS_MAX = SLICES_MAX;

    /** Counter samples per run. */
    private static final int SAMPLES_MAX = 1000;

    /** Rate samples per port. */
    private static final int RATES = 256;

    private static final JsonMapper MAPPER = new JsonMapper();
    /** Decimals from a microsecond, the format's unit, to a picosecond. */
    private static final int PS_DECIMALS = 6;

    /** A run and its recording. */
    public record Run(String name, RunResult result, Recording recording) {}

    /** A slice of a track [ps]. */
    private record Slice(long startPs, long endPs, String name, long bytes) {}

    /** A track of a process. */
    private record Track(int process, int number) {}

    /**
     * A chunk's way from the sending port to the receiving stream [ps].
     *
     * @param port port number as in {@link #ports}
     */
    private record Arrow(int port, long sentPs, int rank, String stream, long receivedPs) {}

    /** Transmissions of Node[0]'s ports, and the arrows to their receivers. */
    private record Sent(Map<Integer, List<Slice>> ports, List<Arrow> arrows) {
        int size() {
            return arrows.size() + ports.values().stream().mapToInt(List::size).sum();
        }
    }

    private final JsonGenerator out;
    private final int slicesPerRun;
    private final List<String> leftOut = new ArrayList<>();
    /** Tracks of the run's streams, by rank and stream. */
    private final Map<String, Track> streamTracks = new HashMap<>();

    private int process;
    private int arrows;

    private TraceFile(JsonGenerator out, int runs) {
        this.out = out;
        slicesPerRun = SLICES_MAX / Math.max(1, runs);
    }

    /**
     * Writes a file.
     *
     * @return what was left out, in words; empty if the trace is complete
     */
    public static List<String> write(Path file, List<Run> runs) throws IOException {
        List<String> leftOut = new ArrayList<>();
        WholeFiles.write(file, stream -> leftOut.addAll(write(stream, runs)));
        return leftOut;
    }

    private static List<String> write(OutputStream stream, List<Run> runs) {
        try (JsonGenerator out = MAPPER.createGenerator(stream)) {
            TraceFile trace = new TraceFile(out, runs.size());
            out.writeStartObject();
            out.writeStringProperty("displayTimeUnit", "ns");
            out.writeArrayPropertyStart("traceEvents");
            runs.forEach(trace::write);
            out.writeEndArray();
            out.writeObjectPropertyStart("otherData");
            for (Run run : runs) {
                out.writeStringProperty(run.name(), "digest " + run.result().digest());
            }
            if (!trace.leftOut.isEmpty()) {
                out.writeStringProperty("left out", String.join("; ", trace.leftOut));
            }
            out.writeEndObject();
            out.writeEndObject();
            return List.copyOf(trace.leftOut);
        }
    }

    private void write(Run run) {
        long endPs = run.recording().totals().last()[0];
        int written = writeStreams(run, endPs, slicesPerRun / 2);
        writePorts(run, endPs, slicesPerRun - written);
        writeCounters(run);
    }

    private void beginProcess(String name) {
        process++;
        metadata(0, "process_name", name);
        event("M", 0, "process_sort_index");
        out.writeObjectPropertyStart("args");
        out.writeNumberProperty("sort_index", process);
        out.writeEndObject();
        out.writeEndObject();
    }

    private void metadata(int track, String kind, String name) {
        event("M", track, kind);
        out.writeObjectPropertyStart("args");
        out.writeStringProperty("name", name);
        out.writeEndObject();
        out.writeEndObject();
    }

    /** Starts an event of the current process. */
    private void event(String phase, int track, String name) {
        out.writeStartObject();
        out.writeStringProperty("ph", phase);
        out.writeNumberProperty("pid", process);
        out.writeNumberProperty("tid", track);
        out.writeStringProperty("name", name);
    }

    private void time(String property, long ps) {
        out.writeName(property);
        out.writeRawValue(new BigDecimal(BigInteger.valueOf(ps), PS_DECIMALS).toPlainString());
    }

    private void slice(int track, Slice slice, long endPs) {
        event("X", track, slice.name());
        time("ts", slice.startPs());
        time("dur", endPs - slice.startPs());
        if (slice.bytes() > 0) {
            out.writeObjectPropertyStart("args");
            out.writeNumberProperty("bytes", slice.bytes());
            out.writeEndObject();
        }
        out.writeEndObject();
    }

    /** Writes operations of the simulated ranks, a track per stream; returns the number written. */
    private int writeStreams(Run run, long endPs, int most) {
        Recording recording = run.recording();
        Cluster cluster = recording.cluster();
        streamTracks.clear();
        beginProcess(run.name() + ", streams");
        if (recording.spans().values().stream().mapToInt(Spans::size).sum() >= Recording.SPANS_MAX) {
            leftOut.add(run.name() + ": operations after the first " + Recording.SPANS_MAX);
        }
        int written = 0;
        int track = 0;
        for (Map.Entry<Integer, Spans> rank : recording.spans().entrySet()) {
            Map<String, List<Slice>> streams = streams(recording, rank.getValue(), endPs);
            int size = streams.values().stream().mapToInt(List::size).sum();
            if (written > 0 && written + size > most) {
                leftOut.add(run.name() + ": streams of ranks from " + rank.getKey() + " on");
                break;
            }
            for (Map.Entry<String, List<Slice>> stream : streams.entrySet()) {
                metadata(
                        ++track,
                        "thread_name",
                        cluster.devicePath(device(cluster, rank.getKey())) + " " + stream.getKey());
                streamTracks.put(rank.getKey() + stream.getKey(), new Track(process, track));
                written += writeTrack(track, stream.getValue(), most - written);
            }
        }
        return written;
    }

    private static int device(Cluster cluster, int rank) {
        return cluster.deviceId(cluster.nodeRank(rank), cluster.gpuSlot(cluster.localRank(rank)));
    }

    private static Map<String, List<Slice>> streams(Recording recording, Spans spans, long endPs) {
        Map<String, List<Slice>> streams = new TreeMap<>(
                Comparator.comparingInt((String id) -> StreamLook.of(id).place())
                        .thenComparing(Comparator.naturalOrder()));
        for (int i = 0; i < spans.size(); i++) {
            Label label = recording.labels().get(spans.operation(i));
            List<Slice> own = streams.computeIfAbsent(label.stream(), key -> new ArrayList<>());
            long startPs = spans.startPs(i);
            long stopPs = spans.endPs(i);
            SkippedTime.Copy copy = (shiftPs, shift) ->
                    own.add(new Slice(startPs + shiftPs, stopPs + shiftPs, label.words(), label.totalBytes()));
            recording.skipped().copies(stopPs, startPs, stopPs, 0, endPs, copy);
        }
        return streams;
    }

    /** Writes slices of a track in sequence; cuts a slice when the next one starts, since a track shows no overlap. */
    private int writeTrack(int track, List<Slice> slices, int most) {
        slices.sort(Comparator.comparingLong(Slice::startPs));
        int count = Math.min(most, slices.size());
        for (int i = 0; i < count; i++) {
            Slice slice = slices.get(i);
            long nextPs = i + 1 < slices.size() ? slices.get(i + 1).startPs() : Long.MAX_VALUE;
            slice(track, slice, Math.min(slice.endPs(), nextPs));
        }
        return count;
    }

    /** Writes transmissions of Node[0]'s ports, from the start until the slices run out. */
    private void writePorts(Run run, long endPs, int most) {
        long coveredPs = new ReplayJson(run.result(), run.recording()).coveredUntil(0, endPs);
        if (coveredPs == 0) {
            leftOut.add(run.name() + ": all chunks");
            return;
        }
        long untilPs = Math.min(coveredPs, 1_000_000_000L);
        Sent sent = ports(run.recording(), untilPs);
        while (untilPs < coveredPs) {
            long furtherPs = Math.min(coveredPs, 2 * untilPs);
            Sent more = ports(run.recording(), furtherPs);
            if (more.size() > most) {
                break;
            }
            sent = more;
            untilPs = furtherPs;
        }
        if (untilPs < endPs) {
            leftOut.add(run.name() + ": chunks from " + Quantities.seconds(untilPs * 1e-12) + " on");
        }
        beginProcess(run.name() + ", what Node[0] sends");
        Cluster cluster = run.recording().cluster();
        Router router = new Router(cluster);
        int left = most;
        for (Map.Entry<Integer, List<Slice>> port : sent.ports().entrySet()) {
            int slot = port.getKey() / PORTS;
            int number = port.getKey() % PORTS;
            String link = Names.of(router.link(slot, number).linkClass());
            String name = cluster.devicePath(cluster.deviceId(0, slot)) + ".Port[" + number + "] " + link;
            metadata(port.getKey() + 1, "thread_name", name);
            writeRate(name + " [GB/s]", port.getValue(), untilPs);
            left -= writeTrack(port.getKey() + 1, port.getValue(), left);
        }
        sent.arrows().stream().limit(Math.max(0, left)).forEach(this::write);
    }

    /** Writes a port's rate over time, one sample for each of equally long intervals. */
    private void writeRate(String name, List<Slice> slices, long untilPs) {
        long stretchPs = Math.max(1, untilPs / RATES);
        double[] bytes = new double[RATES + 1];
        for (Slice slice : slices) {
            double perPs = (double) slice.bytes() / Math.max(1, slice.endPs() - slice.startPs());
            for (long at = slice.startPs(); at < slice.endPs() && at < untilPs; ) {
                int stretch = (int) Math.min(RATES, at / stretchPs);
                long next = Math.min(slice.endPs(), stretch == RATES ? untilPs : (stretch + 1) * stretchPs);
                bytes[stretch] += perPs * (next - at);
                at = next;
            }
        }
        double before = 0;
        for (int stretch = 0; stretch < RATES; stretch++) {
            double rate = bytes[stretch] * 1e3 / stretchPs;
            if (rate != before) {
                counter(name, stretch * stretchPs, rate);
                before = rate;
            }
        }
        counter(name, untilPs, 0);
    }

    private void write(Arrow arrow) {
        Track receiver = streamTracks.get(arrow.rank() + arrow.stream());
        if (receiver != null) {
            arrows++;
            arrow("s", new Track(process, arrow.port() + 1), arrow.sentPs());
            arrow("f", receiver, arrow.receivedPs());
        }
    }

    private void arrow(String phase, Track track, long ps) {
        out.writeStartObject();
        out.writeStringProperty("ph", phase);
        out.writeNumberProperty("pid", track.process());
        out.writeNumberProperty("tid", track.number());
        out.writeStringProperty("cat", "chunk");
        out.writeStringProperty("name", "chunk");
        out.writeNumberProperty("id", arrows);
        out.writeStringProperty("bp", "e");
        time("ts", ps);
        out.writeEndObject();
    }

    /** Maximum number of ports of any device. */
    private static final int PORTS = 1024;

    private static Sent ports(Recording recording, long untilPs) {
        Sent ports = new Sent(new TreeMap<>(), new ArrayList<>());
        Journeys journeys = recording.journeys();
        for (int i = 0; i < journeys.size(); i++) {
            int journey = i;
            RecordedPath path = recording.paths().get(journeys.path(i));
            int last = journeys.hops(i) - 1;
            if (path == null || journeys.hopLeavePs(i, last) < 0) {
                continue;
            }
            long startPs = journeys.startPs(i);
            long endPs = startPs + journeys.hopLeavePs(i, last);
            SkippedTime.Copy copy = (shiftPs, shift) -> addHops(recording, path, journey, shiftPs, shift, ports);
            recording.skipped().copies(startPs, startPs, endPs, 0, untilPs, copy);
        }
        return ports;
    }

    /** Adds the hops of a chunk on Node[0], in every copy of its path. */
    private static void addHops(
            Recording recording, RecordedPath path, int journey, long shiftPs, int shift, Sent sent) {
        Journeys journeys = recording.journeys();
        Label label = recording.labels().get(journeys.operation(journey) + shift);
        long startPs = journeys.startPs(journey) + shiftPs;
        for (int source = 0; source < path.destinationNodes().length; source++) {
            int destination = path.destinationNodes()[source];
            int hops = journeys.hops(journey);
            for (int hop = hops - 1; destination >= 0 && hop >= 0; hop--) {
                if ((path.far()[hop] ? destination : source) == 0) {
                    int port = path.slots()[hop] * PORTS + path.ports()[hop];
                    sent.ports()
                            .computeIfAbsent(port, key -> new ArrayList<>())
                            .add(new Slice(
                                    startPs + journeys.hopStartPs(journey, hop),
                                    startPs + journeys.hopLeavePs(journey, hop),
                                    label.words(),
                                    journeys.bytes(journey)));
                    if (hop == 0) {
                        Cluster cluster = recording.cluster();
                        int node = recording.representatives()[destination];
                        sent.arrows()
                                .add(new Arrow(
                                        port,
                                        startPs + journeys.hopStartPs(journey, 0),
                                        cluster.rank(node, path.slots()[hops]),
                                        label.stream(),
                                        startPs + journeys.hopLeavePs(journey, hops - 1) + path.latencyPs()[hops - 1]));
                    }
                }
            }
        }
    }

    private void writeCounters(Run run) {
        beginProcess(run.name() + ", counters");
        Recording.Totals totals = run.recording().totals();
        int every = 1 + totals.size() / SAMPLES_MAX;
        long[] before = new long[Recording.Totals.COLUMNS];
        for (int i = 0; i < totals.size(); i++) {
            long[] now = totals.sample(i);
            if ((i % every == 0 || i + 1 == totals.size()) && now[0] > before[0]) {
                double gigabytesPerSecond = (now[1] - before[1]) * 1e3 / (now[0] - before[0]);
                counter("bytes over all NICs [GB/s]", before[0], gigabytesPerSecond);
                before = now;
            }
        }
        counter("bytes over all NICs [GB/s]", before[0], 0);
        MemoryOverTime memory = run.result().rank0().memory();
        for (int column = 0; memory != null && column < memory.columns(); column++) {
            for (MemoryOwner owner : memory.bytes().keySet()) {
                double gib = memory.of(owner, column) / (1024.0 * 1024 * 1024);
                counter("memory of rank 0, " + Names.of(owner) + " [GiB]", column * memory.columnPs(), gib);
            }
        }
    }

    private void counter(String name, long ps, double value) {
        event("C", 0, name);
        time("ts", ps);
        out.writeObjectPropertyStart("args");
        out.writeNumberProperty("value", Math.round(value * 1e4) / 1e4);
        out.writeEndObject();
        out.writeEndObject();
    }
}
