package io.shardsim.simulator.device;

import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.plan.WorkTimes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * Step plan compiled for the ranks of one pipeline stage: one list of operations per stream, waits as positions in these lists, work as time, equal
 * collectives as one class. Immutable and shared by all ranks of the stage.
 */
public final class RankPlan {
    static final int STREAMS = Stream.values().length;
    /** Collective class of operations that are not collectives. */
    static final int NO_COLLECTIVE = -1;
    /** Work class of operations without work. */
    private static final int NO_WORK = -1;

    private static final int ONE_RANK = 1;

    private final StepPlan plan;
    private final int stage;
    /** Operations of each stream, in order. */
    private final int[][] operationsOfStream = new int[STREAMS][];
    /** Operations waited for, by stream and position, without those that an earlier operation of the stream waited for. */
    private final int[][][] waitOperations = new int[STREAMS][][];
    /** Waits as alternating streams and positions, by stream and position. */
    private final int[][][] waits = new int[STREAMS][][];

    private final Kinds kinds;
    /** Whether ranks of this stage take part, by collective. */
    private final boolean[] runsCollective;
    /** Marks reached when an operation starts, by stream and position; empty arrays are shared. */
    private final int[][][] marksAtStart = new int[STREAMS][][];
    /** Number of operations of each stream before a mark, by mark. */
    private final int[][] positionsBeforeMark;

    /**
     * Data shared by all stages.
     *
     * @param durationPs time at full speed by operation [ps]; 0 for collectives
     * @param memoryPerMille share of time spent waiting for memory by operation, in thousandths
     * @param productsPerMille share of time spent in GEMMs by operation, in thousandths
     * @param waits waits of other streams for a running operation
     * @param collectiveClass index of the collective by operation, or {@link #NO_COLLECTIVE}
     * @param collectives the distinct collectives
     * @param hostCopyClass index of the copy between GPU and host memory by operation, or {@link #NO_COLLECTIVE}
     * @param hostCopies the distinct copies
     */
    private record Kinds(
            long[] durationPs,
            int[] memoryPerMille,
            int[] productsPerMille,
            Waits waits,
            int[] collectiveClass,
            List<Operation.Collective> collectives,
            int[] hostCopyClass,
            List<Work> hostCopies) {
        static Kinds of(StepPlan plan, WorkTimes workTimes) {
            Kinds kinds = new Kinds(
                    new long[plan.size()],
                    new int[plan.size()],
                    new int[plan.size()],
                    new Waits(new int[plan.size()], new TreeMap<>()),
                    new int[plan.size()],
                    new ArrayList<>(),
                    new int[plan.size()],
                    new ArrayList<>());
            Map<Operation.Collective, Integer> classes = new HashMap<>();
            Map<Work, Integer> firstWith = new LinkedHashMap<>();
            Set<Integer> ranksTogether = new HashSet<>(Set.of(ONE_RANK));
            for (int i = 0; i < plan.size(); i++) {
                kinds.collectiveClass[i] = NO_COLLECTIVE;
                kinds.hostCopyClass[i] = NO_COLLECTIVE;
                kinds.waits.workClass[i] = NO_WORK;
                if (plan.operation(i) instanceof Operation.Compute compute) {
                    Integer first = firstWith.putIfAbsent(compute.work(), i);
                    if (first == null) {
                        kinds.time(i, compute.work(), workTimes, firstWith.size() - 1);
                    } else {
                        kinds.copy(first, i);
                    }
                } else if (plan.operation(i) instanceof Operation.Collective collective) {
                    kinds.collectiveClass[i] = classes.computeIfAbsent(withoutLabel(collective), kinds::add);
                    ranksTogether.add(collective.groups().size());
                }
            }
            for (int ranks : ranksTogether) {
                kinds.waits.waitPs.put(
                        ranks,
                        firstWith.keySet().stream()
                                .mapToLong(work -> workTimes.waitPs(work, ranks))
                                .toArray());
            }
            return kinds;
        }

        private void time(int operation, Work work, WorkTimes workTimes, int ofClass) {
            durationPs[operation] = workTimes.ps(work);
            memoryPerMille[operation] = workTimes.memoryPerMille(work);
            productsPerMille[operation] = workTimes.productsPerMille(work);
            waits.workClass[operation] = ofClass;
            hostCopyClass[operation] = hostCopy(work);
        }

        private void copy(int from, int to) {
            durationPs[to] = durationPs[from];
            memoryPerMille[to] = memoryPerMille[from];
            productsPerMille[to] = productsPerMille[from];
            waits.workClass[to] = waits.workClass[from];
            hostCopyClass[to] = hostCopyClass[from];
        }

        private int add(Operation.Collective collective) {
            collectives.add(collective);
            return collectives.size() - 1;
        }

        private int hostCopy(Work work) {
            if (!work.kind().isHostCopy() || work.amount() == 0) {
                return NO_COLLECTIVE;
            }
            hostCopies.add(work);
            return hostCopies.size() - 1;
        }

        private static Operation.Collective withoutLabel(Operation.Collective c) {
            return new Operation.Collective(c.stream(), c.kind(), c.groups(), c.totalBytes(), c.algorithm(), "");
        }
    }

    /**
     * Launch waits of other streams' kernels for a running operation. A copy starts on one rank, a collective on a group.
     *
     * @param workClass index of the work by operation, or {@link #NO_WORK}
     * @param waitPs wait for each class of work, by number of ranks that start a kernel together [ps]
     */
    private record Waits(int[] workClass, Map<Integer, long[]> waitPs) {
        long ps(int operation, int ranks) {
            int ofClass = workClass[operation];
            return ofClass == NO_WORK ? 0 : Objects.requireNonNull(waitPs.get(ranks))[ofClass];
        }

        boolean same(int a, int b) {
            if (workClass[a] == workClass[b]) {
                return true;
            }
            for (int ranks : waitPs.keySet()) {
                if (ps(a, ranks) != ps(b, ranks)) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Compiles a plan with one stage. */
    public RankPlan(StepPlan plan, WorkTimes workTimes) {
        this(plan, 0, Kinds.of(plan, workTimes));
    }

    /** Compiles the plan of each stage. */
    public static List<RankPlan> ofStages(StepPlan plan, WorkTimes workTimes) {
        Kinds kinds = Kinds.of(plan, workTimes);
        List<RankPlan> stages = new ArrayList<>();
        for (int stage = 0; stage < plan.stages(); stage++) {
            stages.add(new RankPlan(plan, stage, kinds));
        }
        return List.copyOf(stages);
    }

    private RankPlan(StepPlan plan, int stage, Kinds kinds) {
        this.plan = plan;
        this.stage = stage;
        this.kinds = kinds;
        int size = plan.size();
        runsCollective = new boolean[kinds.collectives().size()];
        int[] position = new int[size];
        int[] counts = new int[STREAMS];
        int[][] waited = new int[STREAMS][STREAMS];
        for (int[] ofStream : waited) {
            Arrays.fill(ofStream, -1);
        }
        for (int i = 0; i < size; i++) {
            if (!plan.runsOn(i, stage)) {
                continue;
            }
            int stream = plan.operation(i).stream().ordinal();
            position[i] = counts[stream]++;
            if (kinds.collectiveClass()[i] != NO_COLLECTIVE) {
                runsCollective[kinds.collectiveClass()[i]] = true;
            }
        }
        for (int stream = 0; stream < STREAMS; stream++) {
            operationsOfStream[stream] = new int[counts[stream]];
            waitOperations[stream] = new int[counts[stream]][];
            waits[stream] = new int[counts[stream]][];
        }
        for (int i = 0; i < size; i++) {
            if (plan.runsOn(i, stage)) {
                int stream = plan.operation(i).stream().ordinal();
                operationsOfStream[stream][position[i]] = i;
                int[] unsettled = unsettledWaits(i, position, waited[stream]);
                waitOperations[stream][position[i]] = unsettled;
                waits[stream][position[i]] = places(unsettled, position);
            }
        }
        positionsBeforeMark = countBeforeMarks();
        placeMarks(position);
    }

    /**
     * Returns the waits that stream order does not settle: drops waits for operations of the same stream, and for those that an earlier operation of
     * the stream has waited for. So a wait for one early operation does not make all later ones look different. Also drops other stages' operations.
     *
     * @param waited furthest position that the operation's stream has waited for, by stream; updated
     */
    private int[] unsettledWaits(int operation, int[] position, int[] waited) {
        int own = plan.operation(operation).stream().ordinal();
        int[] all = plan.waitsFor(operation);
        int[] kept = new int[all.length];
        int count = 0;
        for (int wait : all) {
            int stream = plan.operation(wait).stream().ordinal();
            if (stream != own && plan.runsOn(wait, stage) && position[wait] > waited[stream]) {
                kept[count++] = wait;
            }
        }
        for (int i = 0; i < count; i++) {
            int stream = plan.operation(kept[i]).stream().ordinal();
            waited[stream] = Math.max(waited[stream], position[kept[i]]);
        }
        return Arrays.copyOf(kept, count);
    }

    private int[] places(int[] operations, int[] position) {
        int[] pairs = new int[2 * operations.length];
        for (int i = 0; i < operations.length; i++) {
            pairs[2 * i] = plan.operation(operations[i]).stream().ordinal();
            pairs[2 * i + 1] = position[operations[i]];
        }
        return pairs;
    }

    private int[][] countBeforeMarks() {
        int[][] result = new int[plan.marks().size()][];
        int[] counts = new int[STREAMS];
        int operation = 0;
        for (int mark = 0; mark < result.length; mark++) {
            for (; operation < plan.marks().get(mark).beforeOperation(); operation++) {
                counts[plan.operation(operation).stream().ordinal()] += plan.runsOn(operation, stage) ? 1 : 0;
            }
            result[mark] = counts.clone();
        }
        return result;
    }

    /** Places marks: a mark is reached when the next operation on the compute stream starts or, without one, the next operation of any stream. */
    private void placeMarks(int[] position) {
        int compute = Stream.COMPUTE.ordinal();
        int[] none = {};
        for (int stream = 0; stream < STREAMS; stream++) {
            marksAtStart[stream] = new int[operationsOfStream[stream].length][];
            Arrays.fill(marksAtStart[stream], none);
        }
        for (int mark = 0; mark < positionsBeforeMark.length; mark++) {
            int at = positionsBeforeMark[mark][compute];
            int next = plan.marks().get(mark).beforeOperation();
            if (at < operationsOfStream[compute].length) {
                addMark(mark, compute, at);
            } else if (next < plan.size() && plan.runsOn(next, stage)) {
                addMark(mark, plan.operation(next).stream().ordinal(), position[next]);
            }
        }
    }

    private void addMark(int mark, int stream, int at) {
        int[] marks = Arrays.copyOf(marksAtStart[stream][at], marksAtStart[stream][at].length + 1);
        marks[marks.length - 1] = mark;
        marksAtStart[stream][at] = marks;
    }

    public StepPlan plan() {
        return plan;
    }

    /** Returns the distinct collectives of all stages; an operation's class is an index into this list. */
    public List<Operation.Collective> collectives() {
        return kinds.collectives();
    }

    /** Returns whether ranks of this stage take part in a collective of that class. */
    public boolean runsCollective(int ofClass) {
        return runsCollective[ofClass];
    }

    /** Returns the number of operations before a mark for each stream of this stage; streams are numbered across all stages. */
    public int[] positionsBeforeMark(int mark) {
        return positionsBeforeMark[mark];
    }

    /** Returns the index of this stage's first stream, numbered across all stages. */
    int firstLane() {
        return stage * STREAMS;
    }

    int streamLength(int stream) {
        return operationsOfStream[stream].length;
    }

    int operation(int stream, int position) {
        return operationsOfStream[stream][position];
    }

    /** Returns the waits of the operation at a position, as alternating streams and positions. */
    int[] waits(int stream, int position) {
        return waits[stream][position];
    }

    private int[] waitsOf(int operation) {
        int stream = plan.operation(operation).stream().ordinal();
        return waitOperations[stream][Arrays.binarySearch(operationsOfStream[stream], operation)];
    }

    long durationPs(int operation) {
        return kinds.durationPs()[operation];
    }

    int memoryPerMille(int operation) {
        return kinds.memoryPerMille()[operation];
    }

    int productsPerMille(int operation) {
        return kinds.productsPerMille()[operation];
    }

    /** Returns how long the slowest of some ranks waits for a running operation when it launches a kernel on another stream [ps]. */
    long waitPs(int operation, int ranks) {
        return kinds.waits().ps(operation, ranks);
    }

    int collectiveClass(int operation) {
        return kinds.collectiveClass()[operation];
    }

    /** Returns how often each distinct collective runs per step. */
    public long[] timesOfCollectives() {
        long[] times = new long[collectives().size()];
        for (int[] operations : operationsOfStream) {
            for (int operation : operations) {
                if (collectiveClass(operation) >= 0) {
                    times[collectiveClass(operation)]++;
                }
            }
        }
        return times;
    }

    /** Returns the distinct copies between GPU and host memory. */
    public List<Work> hostCopies() {
        return kinds.hostCopies();
    }

    int hostCopyClass(int operation) {
        return kinds.hostCopyClass()[operation];
    }

    int[] marksAtStart(int stream, int position) {
        return marksAtStart[stream][position];
    }

    /** Returns a hash that is equal for operations of the same shape. */
    public long shapeHash(int operation) {
        long hash = 31 * durationPs(operation) + collectiveClass(operation);
        if (!plan.runsOn(operation, stage)) {
            return hash;
        }
        for (int wait : waitsOf(operation)) {
            hash = 31 * hash + operation - wait;
        }
        return 31 * hash + plan.operation(operation).stream().ordinal();
    }

    /** Returns whether two operations, once started, run identically. */
    boolean sameWork(int a, int b) {
        if (durationPs(a) != durationPs(b)
                || memoryPerMille(a) != memoryPerMille(b)
                || productsPerMille(a) != productsPerMille(b)
                || !kinds.waits().same(a, b)
                || collectiveClass(a) != collectiveClass(b)
                || hostCopyClass(a) != hostCopyClass(b)
                || !plan.sameStages(a, b)
                || plan.operation(a).stream() != plan.operation(b).stream()) {
            return false;
        }
        if (plan.operation(a) instanceof Operation.Compute one
                && plan.operation(b) instanceof Operation.Compute other
                && one.work().kind() != other.work().kind()) {
            return false;
        }
        return true;
    }

    /** Returns whether ranks of several stages run an operation together. */
    boolean joinsStages(int operation) {
        return plan.joinsStages(operation);
    }

    /** Returns whether two operations run identically on this stage, with waits taken relative to each operation. */
    public boolean sameShape(int a, int b) {
        if (!sameWork(a, b)) {
            return false;
        }
        if (!plan.runsOn(a, stage)) {
            return true;
        }
        int[] waitsOfA = waitsOf(a);
        int[] waitsOfB = waitsOf(b);
        if (waitsOfA.length != waitsOfB.length) {
            return false;
        }
        for (int i = 0; i < waitsOfA.length; i++) {
            if (a - waitsOfA[i] != b - waitsOfB[i]) {
                return false;
            }
        }
        return true;
    }
}
