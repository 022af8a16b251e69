package io.shardsim.simulator.device;

import io.shardsim.simulator.kernel.DeviceState;
import io.shardsim.simulator.kernel.PlaceInPlan;
import io.shardsim.simulator.kernel.StateWriter;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PrimitiveIterator;
import org.jspecify.annotations.Nullable;

/** State of a GPU between events: progress of each stream, running collectives, and sums for the report. */
public final class GpuState implements DeviceState {
    private static final int STREAMS = RankPlan.STREAMS;
    private static final int WORK_KINDS = Work.Kind.values().length;
    private static final int BUSY = 0;
    private static final int EXPOSED = BUSY + STREAMS;
    private static final int WORK = EXPOSED + STREAMS;
    private static final int SLOWDOWN = WORK + WORK_KINDS;
    private static final int RECEIVED_BYTES = SLOWDOWN + 1;
    private static final int OWN_EVENTS = RECEIVED_BYTES + 1;
    private static final int TOTALS = OWN_EVENTS + 1;
    static final int COMPUTE = Stream.COMPUTE.ordinal();

    final int rank;
    final RankPlan plan;
    final PortBank ports;
    final ComputeLane lane;
    /** Operations done by each stream: state. */
    final int[] done = new int[STREAMS];
    /** Whether an operation of the stream is running: state. */
    final boolean[] running = new boolean[STREAMS];
    /** When the running operation of each stream began [ps]: state. */
    final long[] startedPs = new long[STREAMS];
    /**
     * Length of the chain of kernels on each stream that have waited for the running compute kernel, one after the other, since a collective: state.
     */
    final int[] waited = new int[STREAMS];
    /** Collectives that have started here or have received slices, oldest first: state. */
    final List<CollectiveRun> runs = new ArrayList<>();
    /** Slices received from other stages before this rank has started to receive: state. */
    private long heard;
    /** When the compute stream became idle [ps]: state. */
    long computeIdleSincePs;
    /** When the last operation ended [ps]: state. */
    long finishPs;

    private final long[] totals = new long[TOTALS];

    public GpuState(int rank, RankPlan plan, PortBank ports, int smCount) {
        this.rank = rank;
        this.plan = plan;
        this.ports = ports;
        lane = new ComputeLane(smCount);
    }

    public int rank() {
        return rank;
    }

    public long finishPs() {
        return finishPs;
    }

    public long busyPs(Stream stream) {
        return totals[BUSY + stream.ordinal()];
    }

    public long exposedPs(Stream stream) {
        return totals[EXPOSED + stream.ordinal()];
    }

    /** Returns the time of work on the compute stream at full speed [ps]; other streams are in {@link #busyPs}. */
    public long workPs(Work.Kind kind) {
        return totals[WORK + kind.ordinal()];
    }

    /** Returns the time that the compute stream lost relative to full speed [ps]. */
    public long slowdownPs() {
        return totals[SLOWDOWN];
    }

    public PortBank ports() {
        return ports;
    }

    /** Returns the number of timer events that this GPU has set for itself. */
    public long ownEvents() {
        return totals[OWN_EVENTS];
    }

    void countOwnEvent() {
        totals[OWN_EVENTS]++;
    }

    /** Returns the bytes on the wire received here. */
    public long receivedBytes() {
        return totals[RECEIVED_BYTES];
    }

    /** Returns the bytes on the wire sent from here. */
    public long sentBytes() {
        long sum = 0;
        for (int port = 0; port < ports.portCount(); port++) {
            sum += ports.bytes(port);
        }
        return sum;
    }

    void addReceived(long bytes) {
        totals[RECEIVED_BYTES] += bytes;
    }

    void addBusy(int stream, long amountPs) {
        totals[BUSY + stream] += amountPs;
    }

    void addExposed(int stream, long amountPs) {
        totals[EXPOSED + stream] += amountPs;
    }

    /** Records an operation of the compute stream. */
    void addWork(Work.Kind kind, long workPs, long tookPs) {
        totals[WORK + kind.ordinal()] += workPs;
        totals[SLOWDOWN] += tookPs - workPs;
    }

    public boolean isFinished() {
        for (int stream = 0; stream < STREAMS; stream++) {
            if (done[stream] < plan.streamLength(stream)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the compute stream has no operations left. */
    boolean hasComputedAll() {
        return done[COMPUTE] == plan.streamLength(COMPUTE);
    }

    /** Returns whether the next operation of a stream may start. */
    boolean isReady(int stream) {
        if (running[stream] || done[stream] == plan.streamLength(stream)) {
            return false;
        }
        int[] waits = plan.waits(stream, done[stream]);
        for (int i = 0; i < waits.length; i += 2) {
            if (done[waits[i]] <= waits[i + 1]) {
                return false;
            }
        }
        return true;
    }

    /** Describes what this rank is doing, for the error that ends a run with work outstanding. */
    public String outstanding() {
        StringBuilder text = new StringBuilder();
        for (int stream = 0; stream < STREAMS; stream++) {
            if (done[stream] < plan.streamLength(stream)) {
                int operation = plan.operation(stream, done[stream]);
                text.append(text.length() == 0 ? "" : "; ")
                        .append(running[stream] ? "running " : "waiting to start ")
                        .append(plan.plan().operation(operation).label())
                        .append(" (operation ")
                        .append(operation)
                        .append(" on ")
                        .append(Stream.values()[stream])
                        .append(")");
            }
        }
        return text.toString();
    }

    @Override
    public int deviceId() {
        return ports.deviceId();
    }

    @Override
    public void save(StateWriter writer) {
        ports.save(writer);
        lane.save(writer);
        for (int stream = 0; stream < STREAMS; stream++) {
            if (!writer.isOfIsland()) {
                writer.position(plan.firstLane() + stream, done[stream]);
            }
            writer.value(running[stream] ? 1 : 0);
            writer.value(waited[stream]);
            if (running[stream]) {
                writer.held(startedPs[stream]);
            }
        }
        writer.value(running[COMPUTE] ? 0 : 1);
        if (!running[COMPUTE]) {
            writer.held(computeIdleSincePs);
        }
        List<CollectiveRun> decisive = writer.isOfIsland() ? ownRuns() : runs;
        writer.value(decisive.size());
        for (CollectiveRun run : decisive) {
            run.save(writer);
        }
    }

    /** Returns all runs except those that wait for other stages. */
    private List<CollectiveRun> ownRuns() {
        List<CollectiveRun> own = new ArrayList<>(runs.size());
        for (CollectiveRun run : runs) {
            if (!waitsForOthers(run)) {
                own.add(run);
            }
        }
        return own;
    }

    /** Handles the arrival of a slice for a run. */
    void onSliceArrived(CollectiveRun run) {
        if (waitsForOthers(run)) {
            heard++;
        }
    }

    /** Returns whether a run only has slices from other stages and this rank has not started to receive: until then it affects nothing. */
    private boolean waitsForOthers(CollectiveRun run) {
        return !run.joined && plan.joinsStages(run.operation);
    }

    /** Progress of each stream. */
    private record Streams(int[] done, boolean[] running, long[] startedPs, int[] waited) {}

    /**
     * Snapshot of a GPU.
     *
     * @param runs collective runs, without those that wait for other stages
     * @param heard slices received for these
     */
    private record Snapshot(
            int firstLane,
            Memory ports,
            ComputeLane lane,
            Streams streams,
            List<CollectiveRun> runs,
            long heard,
            long computeIdleSincePs,
            long finishPs)
            implements Memory {
        @Override
        public Memory shifted(long deltaPs, int deltaOperations, int[] deltaPositions) {
            ComputeLane laneThen = lane.copy();
            laneThen.shift(deltaPs);
            int[] doneThen = done().clone();
            long[] startedThenPs = streams.startedPs().clone();
            for (int stream = 0; stream < STREAMS; stream++) {
                doneThen[stream] += deltaPositions[firstLane + stream];
                startedThenPs[stream] += deltaPs;
            }
            List<CollectiveRun> runsThen =
                    runs.stream().map(CollectiveRun::copy).toList();
            runsThen.forEach(run -> run.shift(deltaPs, deltaOperations));
            return new Snapshot(
                    firstLane,
                    ports.shifted(deltaPs, deltaOperations, deltaPositions),
                    laneThen,
                    new Streams(doneThen, running(), startedThenPs, streams.waited()),
                    runsThen,
                    heard,
                    computeIdleSincePs + deltaPs,
                    finishPs + deltaPs);
        }

        @Override
        public void save(StateWriter writer) {
            ports.save(writer);
        }

        int[] done() {
            return streams.done();
        }

        boolean[] running() {
            return streams.running();
        }

        /** Returns the number of a stream's operations that had started. */
        int begun(int stream) {
            return done()[stream] + (running()[stream] ? 1 : 0);
        }
    }

    @Override
    public Memory remember() {
        List<CollectiveRun> copies = ownRuns();
        copies.replaceAll(CollectiveRun::copy);
        return new Snapshot(
                plan.firstLane(),
                ports.remember(),
                lane.copy(),
                new Streams(done.clone(), running.clone(), startedPs.clone(), waited.clone()),
                copies,
                heard,
                computeIdleSincePs,
                finishPs);
    }

    @Override
    public void recall(Memory then) {
        Snapshot was = (Snapshot) then;
        ports.recall(was.ports());
        become(was);
        System.arraycopy(was.done(), 0, done, 0, STREAMS);
    }

    /** Restores everything except ports and positions in the plan. */
    private void become(Snapshot other) {
        lane.copyFrom(other.lane());
        System.arraycopy(other.running(), 0, running, 0, STREAMS);
        System.arraycopy(other.streams().startedPs(), 0, startedPs, 0, STREAMS);
        System.arraycopy(other.streams().waited(), 0, waited, 0, STREAMS);
        runs.removeIf(run -> !waitsForOthers(run));
        other.runs().forEach(run -> runs.add(run.copy()));
        computeIdleSincePs = other.computeIdleSincePs();
        finishPs = other.finishPs();
    }

    @Override
    public void repeat(Memory from, Memory to, long deltaPs, int deltaOperations) {
        Snapshot before = (Snapshot) from;
        Snapshot after = (Snapshot) to;
        ports.repeat(before.ports(), after.ports(), deltaPs, deltaOperations);
        become(after);
        lane.shift(deltaPs);
        for (int stream = 0; stream < STREAMS; stream++) {
            done[stream] += after.done()[stream] - before.done()[stream];
            startedPs[stream] += deltaPs;
        }
        for (CollectiveRun run : ownRuns()) {
            run.shift(deltaPs, deltaOperations);
        }
        computeIdleSincePs += deltaPs;
        finishPs += deltaPs;
    }

    @Override
    public boolean readsAlike(Memory from, Memory to, int deltaOperations) {
        Snapshot before = (Snapshot) from;
        Snapshot after = (Snapshot) to;
        if (before.heard() != after.heard()) {
            return false;
        }
        for (int stream = 0; stream < STREAMS; stream++) {
            if (!readsAlike(stream, before, after, deltaOperations)) {
                return false;
            }
        }
        return true;
    }

    private boolean readsAlike(int stream, Snapshot before, Snapshot after, int deltaOperations) {
        int first = before.done()[stream];
        int end = after.begun(stream);
        int ahead = done[stream] - first;
        if (end + ahead > plan.streamLength(stream)) {
            return false;
        }
        for (int position = first; position < end; position++) {
            if (!sameOperation(stream, position, before, deltaOperations)
                    || rank == 0
                            && position >= before.begun(stream)
                            && plan.marksAtStart(stream, position + ahead).length > 0) {
                return false;
            }
        }
        return after.running()[stream] || staysBlocked(stream, end, before, after);
    }

    private boolean sameOperation(int stream, int position, Snapshot before, int deltaOperations) {
        int then = plan.operation(stream, position);
        int now = plan.operation(stream, position + done[stream] - before.done()[stream]);
        return now - then == deltaOperations
                && !plan.joinsStages(then)
                && plan.sameWork(then, now)
                && sameWaits(
                        plan.waits(stream, position),
                        plan.waits(stream, position + done[stream] - before.done()[stream]),
                        before);
    }

    /** Compares waits, except those already settled at the beginning. */
    private boolean sameWaits(int[] then, int[] now, Snapshot before) {
        int at = 0;
        for (int i = 0; i < then.length; i += 2) {
            if (then[i + 1] < before.done()[then[i]]) {
                continue;
            }
            while (at < now.length && now[at + 1] < done[now[at]]) {
                at += 2;
            }
            if (at == now.length
                    || now[at] != then[i]
                    || now[at + 1] - done[now[at]] != then[i + 1] - before.done()[then[i]]) {
                return false;
            }
            at += 2;
        }
        while (at < now.length && now[at + 1] < done[now[at]]) {
            at += 2;
        }
        return at == now.length;
    }

    /** Returns whether the operation after the last started one would not start here either, for another reason than the compute stream's end. */
    private boolean staysBlocked(int stream, int end, Snapshot before, Snapshot after) {
        int next = end + done[stream] - before.done()[stream];
        if (stream == COMPUTE && end == plan.streamLength(stream) || next == plan.streamLength(stream)) {
            return stream != COMPUTE;
        }
        int[] waits = plan.waits(stream, next);
        for (int i = 0; i < waits.length; i += 2) {
            int doneThen = after.done()[waits[i]] - before.done()[waits[i]] + done[waits[i]];
            if (doneThen <= waits[i + 1]) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void shift(long deltaPs, int deltaOperations, int[] deltaPositions) {
        ports.shift(deltaPs, deltaOperations, deltaPositions);
        lane.shift(deltaPs);
        for (int stream = 0; stream < STREAMS; stream++) {
            done[stream] += deltaPositions[plan.firstLane() + stream];
            startedPs[stream] += deltaPs;
        }
        computeIdleSincePs += deltaPs;
        finishPs += deltaPs;
        for (CollectiveRun run : runs) {
            run.shift(deltaPs, deltaOperations);
        }
    }

    @Override
    public void repeatLoop(long deltaPs, PrimitiveIterator.OfLong growth) {
        ports.repeatLoop(deltaPs, growth);
        lane.repeatLoop(growth);
        for (CollectiveRun run : runs) {
            run.repeatLoop(deltaPs, growth);
        }
    }

    @Override
    public void tellPlace(PlaceInPlan place) {
        for (int stream = 0; stream < STREAMS; stream++) {
            int next = done[stream];
            if (running[stream]) {
                place.reached(plan.operation(stream, next));
                next++;
            }
            if (next < plan.streamLength(stream)) {
                tellNext(place, stream, next);
            }
        }
        for (CollectiveRun run : runs) {
            place.reached(run.operation);
        }
    }

    private void tellNext(PlaceInPlan place, int stream, int position) {
        int operation = plan.operation(stream, position);
        int latestWait = -1;
        int[] waits = plan.waits(stream, position);
        for (int i = 0; i < waits.length; i += 2) {
            if (done[waits[i]] <= waits[i + 1]) {
                latestWait = Math.max(latestWait, plan.operation(waits[i], waits[i + 1]));
            }
        }
        if (latestWait >= 0) {
            place.waiting(operation, latestWait);
        } else {
            place.reached(operation);
        }
    }

    @Override
    public int totalsCount() {
        return TOTALS + ports.totalsCount();
    }

    @Override
    public void copyTotals(long[] values, int at) {
        System.arraycopy(totals, 0, values, at, TOTALS);
        ports.copyTotals(values, at + TOTALS);
    }

    @Override
    public void addToTotals(long[] growth, int at) {
        for (int i = 0; i < TOTALS; i++) {
            totals[i] += growth[at + i];
        }
        ports.addToTotals(growth, at + TOTALS);
    }

    /** Returns the run of an operation; null if none has started. */
    @Nullable
    CollectiveRun run(int operation) {
        for (int i = 0; i < runs.size(); i++) {
            CollectiveRun run = runs.get(i);
            if (run.operation == operation) {
                return run;
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return "rank " + rank + " " + Arrays.toString(done);
    }
}
