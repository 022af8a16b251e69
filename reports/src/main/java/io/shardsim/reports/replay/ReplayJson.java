package io.shardsim.reports.replay;

import io.shardsim.reports.Names;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.StreamLook;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.reports.writing.ResultsJson;
import io.shardsim.simulator.observation.Recording;
import io.shardsim.simulator.observation.Recording.Journeys;
import io.shardsim.simulator.observation.Recording.Label;
import io.shardsim.simulator.observation.Recording.RecordedPath;
import io.shardsim.simulator.observation.Recording.Spans;
import io.shardsim.simulator.observation.SkippedTime;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.Faults;
import io.shardsim.topology.InstanceSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.json.JsonMapper;

/**
 * A recording as JSON for the page: an outline of the whole run, then windows of it in full. Times are whole picoseconds, which are exact in
 * JavaScript up to 9007 s.
 */
public final class ReplayJson {
    /** Maximum pieces of the outline's timeline; a screen has fewer columns. */
    private static final int OUTLINE_MAX = 2400;

    private static final JsonMapper MAPPER = new JsonMapper();

    private final RunResult result;
    private final Recording recording;
    private final SkippedTime skipped;
    private final Map<Label, Integer> labels = new LinkedHashMap<>();
    private final int[] labelOfOperation;

    public ReplayJson(RunResult result, Recording recording) {
        this.result = result;
        this.recording = recording;
        skipped = recording.skipped();
        List<Label> all = recording.labels();
        labelOfOperation = new int[all.size()];
        for (int i = 0; i < labelOfOperation.length; i++) {
            Integer known = labels.putIfAbsent(all.get(i), labels.size());
            labelOfOperation[i] = known == null ? labels.size() - 1 : known;
        }
    }

    /** Returns the outline of the run: the cluster, running totals, the timeline of rank 0, the states of all ranks and the result document. */
    public Map<String, Object> outline() {
        return new JsonObject()
                .with("label", result.label())
                .with("cluster", cluster(recording.cluster()))
                .with("representatives", recording.representatives())
                .with("endPs", recording.totals().last()[0])
                .list("labels", labels.keySet(), ReplayJson::label)
                .with("streams", StreamLook.document())
                .with("timeline", timeline(recording.totals().last()[0]))
                .with("overview", new Overview(recording).document())
                .with("states", new RankStates(recording).document())
                .with("totals", totals())
                .with("result", ResultsJson.page(result));
    }

    private static Map<String, Object> cluster(Cluster cluster) {
        InstanceSpec instance = cluster.instance();
        int[] switchOfGpu = new int[cluster.gpusPerNode()];
        Arrays.setAll(switchOfGpu, cluster::pcieSwitchOfGpu);
        int[] switchOfNic = new int[instance.nicsPerNode()];
        Arrays.setAll(switchOfNic, cluster::pcieSwitchOfNic);
        return new JsonObject()
                .with("instance", instance.name())
                .with("nodes", cluster.nodes())
                .with("gpusPerNode", cluster.gpusPerNode())
                .with("nicsPerNode", instance.nicsPerNode())
                .with("pcieSwitches", instance.pcie().switches())
                .with("switchOfGpu", switchOfGpu)
                .with("switchOfNic", switchOfNic)
                .with("slow", slow(cluster));
    }

    /** Returns devices of node 0 that are slower than others of their kind, by slot. */
    private static List<JsonObject> slow(Cluster cluster) {
        List<JsonObject> slow = new ArrayList<>();
        if (cluster.slowNicRate() != null) {
            slow.add(new JsonObject().with("slot", cluster.nicSlot(0)).with("words", "slow NIC"));
        }
        if (cluster.faults().slowGpuPerMille() > Faults.NONE.slowGpuPerMille()) {
            slow.add(new JsonObject().with("slot", 0).with("words", "slow GPU"));
        }
        return slow;
    }

    private static List<Object> label(Label label) {
        return List.of(label.stream(), label.words(), label.collective(), label.totalBytes());
    }

    /** Returns, by stream of rank 0, each piece's start, end, label and busy share; operations closer than a column are merged. */
    private Map<String, Object> timeline(long endPs) {
        Map<String, List<long[]>> streams = new TreeMap<>();
        Spans rank = recording.spans().getOrDefault(0, new Spans(0));
        recording.tellAll(
                rank,
                endPs,
                (operation, startPs, stopPs) -> streams.computeIfAbsent(
                                recording.labels().get(operation).stream(), key -> new ArrayList<>())
                        .add(new long[] {startPs, stopPs, operation}));
        Map<String, Object> out = new LinkedHashMap<>();
        for (Stream stream : Stream.values()) {
            List<long[]> own = streams.get(Names.id(stream));
            if (own != null) {
                own.sort(Comparator.comparingLong(span -> span[0]));
                out.put(Names.id(stream), pieces(own, own.size() <= OUTLINE_MAX ? -1 : endPs / OUTLINE_MAX));
            }
        }
        return out;
    }

    private List<Object> pieces(List<long[]> spans, long columnPs) {
        List<Object> pieces = new ArrayList<>();
        for (int first = 0, next; first < spans.size(); first = next) {
            long until = spans.get(first)[1];
            long busyPs = until - spans.get(first)[0];
            for (next = first + 1; next < spans.size() && spans.get(next)[0] - until <= columnPs; next++) {
                busyPs += spans.get(next)[1] - spans.get(next)[0];
                until = Math.max(until, spans.get(next)[1]);
            }
            String words = next - first == 1
                    ? recording.labels().get((int) spans.get(first)[2]).words()
                    : next - first + " operations";
            long fromPs = spans.get(first)[0];
            pieces.add(List.of(fromPs, until, words, (double) busyPs / (until - fromPs)));
        }
        return pieces;
    }

    private Map<String, Object> totals() {
        Recording.Totals totals = recording.totals();
        String[] names = {"ps", "nicBytes", "exposedPs", "nvlinkPs", "pciePs", "nicPs", "spinePs"};
        Map<String, Object> out = new LinkedHashMap<>();
        for (int column = 0; column < names.length; column++) {
            long[] values = new long[totals.size()];
            for (int i = 0; i < values.length; i++) {
                values[i] = totals.sample(i)[column];
            }
            out.put(names[column], values);
        }
        return out;
    }

    /**
     * Returns everything in a window: operations of every simulated rank and chunk journeys.
     *
     * @param fromPs start, see {@link #coveredUntil}
     * @param untilPs end, exclusive
     * @param journeysMax maximum number of journeys; the window ends earlier if there are more
     */
    public Map<String, Object> window(long fromPs, long untilPs, int journeysMax) {
        List<long[]> journeys = journeys(fromPs, untilPs);
        long endPs = untilPs;
        if (journeys.size() > journeysMax) {
            endPs = Math.max(fromPs + 1, journeys.get(journeysMax)[0]);
            journeys = journeys.subList(0, journeysMax);
        }
        Map<String, Object> operations = new TreeMap<>();
        JsonObject out = new JsonObject()
                .with("from", fromPs)
                .with("until", endPs)
                .with("spans", spans(fromPs, endPs, operations))
                .with("waits", waits(fromPs, endPs));
        Map<String, Object> paths = new TreeMap<>();
        List<Object> written = new ArrayList<>();
        Journeys recorded = recording.journeys();
        for (long[] one : journeys) {
            int journey = (int) one[1];
            int operation = recorded.operation(journey) + (int) one[2];
            operations.put(String.valueOf(operation), labelOfOperation[operation]);
            int path = recorded.path(journey);
            paths.computeIfAbsent(String.valueOf(path), id -> path(path));
            written.add(journey(recorded, journey, one[0], operation));
        }
        return out.with("journeys", written).with("paths", paths).with("operations", operations);
    }

    /** Returns start, journey and operation shift of all chunks in flight during the window, by start. */
    private List<long[]> journeys(long fromPs, long untilPs) {
        List<long[]> found = new ArrayList<>();
        Journeys recorded = recording.journeys();
        for (int i = 0; i < recorded.size(); i++) {
            int journey = i;
            long startPs = recorded.startPs(i);
            int last = recorded.hops(i) - 1;
            long leavePs = recorded.hopLeavePs(i, last);
            if (leavePs >= 0) {
                RecordedPath path = recording.paths().get(recorded.path(i));
                long tookPs = leavePs + (path == null ? 0 : path.latencyPs()[last]);
                SkippedTime.Copy copy = (shiftPs, shift) -> found.add(new long[] {startPs + shiftPs, journey, shift});
                skipped.copies(startPs, startPs, startPs + tookPs, fromPs, untilPs, copy);
            }
        }
        found.sort(Comparator.<long[]>comparingLong(one -> one[0]).thenComparingLong(one -> one[1]));
        return found;
    }

    /** Returns start, path, operation, channel and bytes, then start and departure of each hop relative to the start. */
    private static long[] journey(Journeys recorded, int journey, long startPs, int operation) {
        int hops = recorded.hops(journey);
        long[] out = new long[5 + 2 * hops];
        out[0] = startPs;
        out[1] = recorded.path(journey);
        out[2] = operation;
        out[3] = recorded.channel(journey);
        out[4] = recorded.bytes(journey);
        for (int hop = 0; hop < hops; hop++) {
            out[5 + 2 * hop] = recorded.hopStartPs(journey, hop);
            out[6 + 2 * hop] = recorded.hopLeavePs(journey, hop);
        }
        return out;
    }

    private Map<String, Object> path(int id) {
        RecordedPath path = recording.paths().get(id);
        Map<String, Object> out = new LinkedHashMap<>();
        if (path != null) {
            out.put("rank", path.sourceRank());
            out.put("slots", path.slots());
            out.put("ports", path.ports());
            out.put("far", path.far());
            out.put("latencyPs", path.latencyPs());
            out.put("to", path.destinationNodes());
        }
        return out;
    }

    /** Returns, for each simulated rank, operation, start and end of everything running in the window. */
    private Map<String, Object> spans(long fromPs, long untilPs, Map<String, Object> operations) {
        Map<String, Object> out = new LinkedHashMap<>();
        recording.spans().forEach((rank, spans) -> {
            List<long[]> found = new ArrayList<>();
            for (int i = 0; i < spans.size(); i++) {
                collect(spans, i, fromPs, untilPs, found);
            }
            found.sort(Comparator.comparingLong(one -> one[1]));
            found.forEach(one -> operations.put(String.valueOf(one[0]), labelOfOperation[Math.toIntExact(one[0])]));
            out.put(String.valueOf(rank), found);
        });
        return out;
    }

    /** Returns, for each simulated rank, what compute waits for, with start and end of each wait in the window. */
    private Map<String, Object> waits(long fromPs, long untilPs) {
        Map<String, Object> out = new LinkedHashMap<>();
        recording.spans().forEach((rank, spans) -> {
            List<long[]> found = new ArrayList<>();
            recording.tellWaits(
                    spans,
                    fromPs,
                    untilPs,
                    (stream, startPs, endPs) -> found.add(new long[] {Overview.part(stream), startPs, endPs}));
            out.put(String.valueOf(rank), found);
        });
        return out;
    }

    private void collect(Spans spans, int i, long fromPs, long untilPs, List<long[]> found) {
        SkippedTime.Copy copy = (shiftPs, shift) -> found.add(
                new long[] {spans.operation(i) + shift, spans.startPs(i) + shiftPs, spans.endPs(i) + shiftPs});
        skipped.copies(spans.keyPs(i), spans.startPs(i), spans.endPs(i), fromPs, untilPs, copy);
    }

    /**
     * Returns the time up to which the recording has all chunks; fromPs itself if it does not cover that instant.
     *
     * @param untilPs upper limit of the answer
     */
    public long coveredUntil(long fromPs, long untilPs) {
        long at = fromPs;
        while (at < untilPs) {
            long executed = skipped.executed(at);
            if (executed < recording.journeys().fromPs()
                    || executed >= recording.journeys().untilPs()) {
                return at;
            }
            long evenPs = Math.min(skipped.evenAheadPs(at), recording.journeys().untilPs() - executed);
            at = evenPs > untilPs - at ? untilPs : at + evenPs;
        }
        return untilPs;
    }

    /** Returns the executed instant that represents another one [ps]. */
    public long executed(long ps) {
        return skipped.executed(ps);
    }

    public static byte[] bytes(Object document) {
        return MAPPER.writeValueAsBytes(document);
    }

    public static String text(Object document) {
        return MAPPER.writeValueAsString(document);
    }
}
