package io.shardsim.simulator.run;

import io.shardsim.simulator.kernel.EventOrder;
import io.shardsim.simulator.observation.Recording;
import io.shardsim.simulator.observation.Recording.Journeys;
import io.shardsim.simulator.observation.Recording.Label;
import io.shardsim.simulator.observation.Recording.RecordedPath;
import io.shardsim.simulator.observation.Recording.Spans;
import io.shardsim.simulator.observation.Recording.Totals;
import io.shardsim.simulator.observation.Recording.Wait;
import io.shardsim.simulator.observation.SkippedTime;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.protocol.Path;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.Hop;
import io.shardsim.topology.Route;
import io.shardsim.topology.Router;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Records a run for playback. A recorder serves one run.
 *
 * <p>Leaves out single chunks of copies to and from host memory; the copies are operations like others.
 *
 * <p>Chunks on one path pass each of its ports in sending order, so the k-th booking of a hop belongs to the k-th chunk.
 */
public final class Recorder implements RunObserver {
    /** Entry for a chunk whose journey is not recorded. */
    private static final int NOT_KEPT = -1;

    private static final long SAMPLE_PS_MIN = 1_000_000;
    private static final long SAMPLES_PER_DURATION = 256;

    private final int journeysMax;
    private final Journeys journeys;
    private final Map<Integer, Spans> spans = new TreeMap<>();
    private final Totals totals = new Totals();
    private final SkippedTime skipped = new SkippedTime();
    /** Journeys already booked on the previous hop, by path and hop after the first. */
    private final Map<Integer, List<ArrayDeque<Integer>>> underWay = new HashMap<>();
    /** Delay of journeys that were in flight when time was skipped. */
    private final Map<Integer, Long> delayed = new HashMap<>();

    private @Nullable RunView run;
    /** When each rank ended its last operation [ps]. */
    private final Map<Integer, Long> finishedPs = new TreeMap<>();

    /** Number of recorded journeys that have not arrived. */
    private int keptUnderWay;

    private int spanCount;
    /** Earliest instant of another sample of the totals while no operation has ended [ps]. */
    private long nextSamplePs;
    /** Instant of the last event that reported its own [ps]. */
    private long nowPs;
    /** Instant of the last mark; anything that ends in it from then on belongs to the next period [ps]. */
    private long markPs = -1;
    /** Totals at the last mark. */
    private long[] atMark = new long[Totals.COLUMNS];

    /** Progress for display; written by the run's thread. */
    private volatile long[] progress = new long[Totals.COLUMNS];

    /**
     * @param fromPs instant from which journeys of chunks are recorded [ps]
     * @param journeysMax maximum journeys recorded; once all have arrived, a run skips more
     */
    public Recorder(long fromPs, int journeysMax) {
        this.journeysMax = journeysMax;
        journeys = new Journeys(fromPs);
        if (journeysMax == 0) {
            journeys.closeAt(fromPs);
        }
    }

    @Override
    public void onAssembled(RunView assembled) {
        run = assembled;
    }

    @Override
    public void onOperationEnded(int rank, int operation, long startPs, long endPs) {
        nowPs = endPs;
        finishedPs.put(rank, endPs);
        if (spanCount < Recording.SPANS_MAX && startPs < endPs) {
            of(rank).add(operation, startPs, endPs, keyPs(endPs));
            spanCount++;
        }
        if (rank == 0) {
            long[] sample = read(endPs);
            totals.add(sample);
            progress = sample;
        }
    }

    @Override
    public void onExposed(int rank, int stream, long fromPs, long untilPs) {
        of(rank).waits().add(new Wait(Stream.values()[stream], fromPs, untilPs, keyPs(untilPs)));
    }

    private Spans of(int rank) {
        int ranksOfStage = view().cluster().worldSize() / view().stepPlan().stages();
        return spans.computeIfAbsent(rank, key -> new Spans(rank / ranksOfStage));
    }

    private long keyPs(long endPs) {
        return endPs == markPs ? endPs + 1 : endPs;
    }

    @Override
    public long chunksFromPs() {
        boolean isBareCollective = run != null && run.stepPlan().size() == 1;
        if (keptUnderWay > 0 || isBareCollective) {
            return 0;
        }
        return journeys.size() < journeysMax ? journeys.fromPs() : Long.MAX_VALUE;
    }

    @Override
    public void onMarkReached(long ps) {
        nowPs = ps;
        atMark = read(ps);
        markPs = ps;
    }

    private RunView view() {
        return Objects.requireNonNull(run, "nothing runs yet");
    }

    private long[] read(long ps) {
        long[] sample = new long[Totals.COLUMNS];
        sample[0] = ps;
        sample[1] = view().nicBytesSent();
        sample[2] = view().exposedPs();
        long[] busyPs = view().busyPs();
        System.arraycopy(busyPs, 0, sample, 3, busyPs.length);
        return sample;
    }

    @Override
    public void onBooked(
            Path path, int hop, long order, long headPs, long tailPs, long startPs, long leavePs, long bytes) {
        if (!view().isBetweenGpus(path.id())) {
            return;
        }
        List<ArrayDeque<Integer>> waiting = underWay.computeIfAbsent(path.id(), key -> queues(path.hops()));
        int journey;
        if (hop == 0) {
            journey = begin(path, order, headPs, bytes);
        } else {
            nowPs = tailPs;
            sampleWithinFirstOperation();
            journey = waiting.get(hop - 1).remove();
        }
        if (hop + 1 < path.hops()) {
            waiting.get(hop).add(journey);
        }
        if (journey != NOT_KEPT) {
            long since = journeys.startPs(journey) + delayed.getOrDefault(journey, 0L);
            journeys.setHop(journey, hop, startPs - since, leavePs - since);
            if (hop + 1 == path.hops()) {
                keptUnderWay--;
                delayed.remove(journey);
            }
        }
    }

    /** Samples the totals within a single operation, such as a bare collective, at growing intervals. */
    private void sampleWithinFirstOperation() {
        if (spanCount == 0 && nowPs >= nextSamplePs) {
            totals.add(read(nowPs));
            nextSamplePs = nowPs + Math.max(SAMPLE_PS_MIN, nowPs / SAMPLES_PER_DURATION);
        }
    }

    private static List<ArrayDeque<Integer>> queues(int hops) {
        List<ArrayDeque<Integer>> queues = new ArrayList<>();
        for (int hop = 1; hop < hops; hop++) {
            queues.add(new ArrayDeque<>());
        }
        return queues;
    }

    private int begin(Path path, long order, long headPs, long bytes) {
        if (headPs < journeys.fromPs()) {
            return NOT_KEPT;
        }
        if (journeys.size() >= journeysMax) {
            return NOT_KEPT;
        }
        if (journeys.size() + 1 == journeysMax) {
            journeys.closeAt(nowPs);
        }
        keptUnderWay++;
        return journeys.add(
                headPs, path.id(), path.hops(), EventOrder.operation(order), EventOrder.channel(order), bytes);
    }

    @Override
    public void onPeriodsSkipped(long fromPs, long toPs, int deltaOperations, int times) {
        long deltaPs = toPs - fromPs;
        skipped.add(new SkippedTime.Repetition(fromPs, toPs, deltaOperations, times));
        repeatTotals(fromPs, toPs, times);
        for (List<ArrayDeque<Integer>> hops : underWay.values()) {
            for (ArrayDeque<Integer> queue : hops) {
                for (int journey : queue) {
                    if (journey != NOT_KEPT) {
                        delayed.merge(journey, deltaPs * times, Long::sum);
                    }
                }
            }
        }
        nowPs = toPs + deltaPs * times;
        markPs = nowPs;
    }

    /** Repeats the samples of a period for each repetition, with the growth per period. */
    private void repeatTotals(long fromPs, long toPs, int times) {
        long[] after = read(toPs);
        long[] period = new long[Totals.COLUMNS];
        period[0] = toPs - fromPs;
        for (int column = 1; column < period.length; column++) {
            period[column] = (after[column] - atMark[column]) / times;
        }
        List<long[]> inside = new ArrayList<>();
        for (int i = totals.size() - 1; i >= 0 && totals.sample(i)[0] > fromPs; i--) {
            inside.add(0, totals.sample(i));
        }
        for (int time = 1; time <= times; time++) {
            for (long[] sample : inside) {
                long[] copy = sample.clone();
                for (int column = 0; column < copy.length; column++) {
                    copy[column] += time * period[column];
                }
                totals.add(copy);
                progress = copy;
            }
        }
    }

    /** Returns virtual time, NIC bytes, exposed time and so on so far; callable from any thread. */
    public long[] progress() {
        return progress.clone();
    }

    /**
     * Returns the recording, once the run has ended.
     *
     * @param endPs when the last rank finished [ps]
     */
    public Recording finish(long endPs) {
        Cluster cluster = view().cluster();
        Router router = new Router(cluster);
        int[] representatives = new int[cluster.nodes()];
        Arrays.setAll(representatives, view()::representative);
        totals.close(read(endPs));
        finishedPs.forEach((rank, ps) -> of(rank).waits().add(new Wait(Stream.COMPUTE, ps, endPs, endPs)));
        Map<Integer, RecordedPath> paths = new TreeMap<>();
        for (int journey = 0; journey < journeys.size(); journey++) {
            paths.computeIfAbsent(journeys.path(journey), id -> path(id, router, representatives));
        }
        Recording recording =
                new Recording(cluster, representatives, spans, journeys, paths, totals, skipped, labels(view()));
        run = null;
        return recording;
    }

    private RecordedPath path(int id, Router router, int[] representatives) {
        Cluster cluster = view().cluster();
        int rank = view().sourceRank(id);
        int node = cluster.nodeRank(rank);
        int[] destinations = new int[representatives.length];
        Arrays.fill(destinations, -1);
        for (int copy = 0; copy < representatives.length; copy++) {
            if (representatives[copy] == node) {
                destinations[copy] = view().route(id, copy).destinationId() / cluster.devicesPerNode();
            }
        }
        return path(router, rank, view().route(id, node), destinations);
    }

    private static RecordedPath path(Router router, int rank, Route route, int[] destinations) {
        Cluster cluster = router.cluster();
        int source = cluster.nodeRank(rank);
        int destination = route.destinationId() / cluster.devicesPerNode();
        int hops = route.hops().size();
        int[] slots = new int[hops + 1];
        int[] ports = new int[hops];
        boolean[] far = new boolean[hops + 1];
        long[] latencyPs = new long[hops];
        boolean arrived = false;
        for (int i = 0; i < hops; i++) {
            Hop hop = route.hops().get(i);
            slots[i] = hop.deviceId() % cluster.devicesPerNode();
            ports[i] = hop.port();
            latencyPs[i] = hop.link().latencyPs();
            int node = hop.deviceId() / cluster.devicesPerNode();
            arrived = arrived || router.isDown(slots[i], hop.port()) || node == destination && node != source;
            far[i] = arrived;
        }
        slots[hops] = route.destinationId() % cluster.devicesPerNode();
        far[hops] = arrived;
        return new RecordedPath(rank, slots, ports, far, latencyPs, destinations);
    }

    private static List<Label> labels(RunView run) {
        StepPlan plan = run.stepPlan();
        Map<Operation, Label> known = new HashMap<>();
        List<Label> labels = new ArrayList<>();
        for (int i = 0; i < plan.size(); i++) {
            labels.add(known.computeIfAbsent(plan.operation(i), operation -> label(operation, run)));
        }
        return labels;
    }

    private static Label label(Operation operation, RunView run) {
        String stream = operation.stream().name().toLowerCase(Locale.ROOT);
        return operation instanceof Operation.Collective collective
                ? new Label(
                        stream,
                        operation.label(),
                        collective.kind().id(),
                        collective.totalBytes(),
                        operation,
                        run.algorithm(collective))
                : new Label(stream, operation.label(), "", 0, operation, "");
    }
}
