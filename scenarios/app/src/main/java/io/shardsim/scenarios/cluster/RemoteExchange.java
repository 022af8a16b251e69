package io.shardsim.scenarios.cluster;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.shardsim.scenarios.cluster.wire.WireCodec;
import io.shardsim.simulator.kernel.EventBatch;
import io.shardsim.simulator.kernel.OtherProcessFailedException;
import io.shardsim.simulator.kernel.WindowExchange;
import io.shardsim.simulator.observation.PartObservation;
import java.io.NotSerializableException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;

/**
 * Exchange between members of a cluster that run one logical process each. In each window, every member sends every other one batch, in as many
 * messages as needed, and waits for all batches of the window.
 *
 * <p>Messages may be lost: a member that waits for long resends its last two windows. Nobody can be ahead by more than one window, so that suffices.
 */
final class RemoteExchange implements WindowExchange {
    /** Maximum content of a message [bytes]. */
    private static final int PIECE = 128 << 10;
    /** Maximum messages per batch; larger batches, of several gigabytes, are rejected. */
    private static final int PIECES_MAX = 1 << 14;

    private static final long RESEND_MILLIS = 2000;
    /** Numbers per chunk: fields of consecutive chunks differ little. */
    private static final int STRIDE = 5;

    private static final Piece WAKE = new Piece(new Attempt(new Ticket("", 0), 0, 0), -1, -1, 0, 1, new byte[0]);

    /**
     * A piece of one logical process's batch for another at the end of a window.
     *
     * @param from index of the sender
     * @param round number of windows before this one
     * @param index index of this piece in the batch
     */
    record Piece(Attempt attempt, int from, int round, int index, int pieces, byte[] bytes) {}

    /** Counters of this JVM's exchanges. */
    static final class Counts {
        final LongAdder windows = new LongAdder();
        final LongAdder messages = new LongAdder();
        final LongAdder bytes = new LongAdder();
        final LongAdder chunks = new LongAdder();
        final LongAdder waitNanos = new LongAdder();
        final LongAdder codingNanos = new LongAdder();
    }

    private final Attempt attempt;
    private final int self;
    private final int processes;
    private final BiConsumer<Integer, Piece> send;
    private final Counts counts;
    private final BlockingQueue<Piece> inbox;
    private final EventBatch[] to;
    private final EventBatch[] from;
    /** Pieces of this window and the previous one, by receiver, to resend if some seem lost. */
    private List<List<Piece>> sent = List.of();

    private List<List<Piece>> sentBefore = List.of();
    /** Pieces received for this window and the next one, by sender. */
    private Arrival[] now;

    private Arrival[] next;
    private int round;
    private volatile boolean aborted;

    /** A batch whose pieces arrive in any order. */
    private static final class Arrival {
        private byte[][] pieces = {};
        private int missing = -1;

        void add(Piece piece) {
            if (missing < 0) {
                pieces = new byte[piece.pieces()][];
                missing = pieces.length;
            }
            if (piece.index() < pieces.length && pieces[piece.index()] == null) {
                pieces[piece.index()] = piece.bytes();
                missing--;
            }
        }

        boolean complete() {
            return missing == 0;
        }

        byte[] bytes() {
            int length = Arrays.stream(pieces).mapToInt(piece -> piece.length).sum();
            byte[] all = new byte[length];
            int at = 0;
            for (byte[] piece : pieces) {
                System.arraycopy(piece, 0, all, at, piece.length);
                at += piece.length;
            }
            return all;
        }
    }

    /**
     * @param send sends a message to a logical process
     * @param inbox queue of incoming messages
     */
    RemoteExchange(
            Attempt attempt,
            int self,
            int processes,
            BiConsumer<Integer, Piece> send,
            Counts counts,
            BlockingQueue<Piece> inbox) {
        this.attempt = attempt;
        this.self = self;
        this.processes = processes;
        this.send = send;
        this.counts = counts;
        this.inbox = inbox;
        to = new EventBatch[processes];
        from = new EventBatch[processes];
        for (int process = 0; process < processes; process++) {
            to[process] = new EventBatch();
            from[process] = new EventBatch();
        }
        now = arrivals();
        next = arrivals();
    }

    private Arrival[] arrivals() {
        Arrival[] arrivals = new Arrival[processes];
        Arrays.setAll(arrivals, process -> new Arrival());
        return arrivals;
    }

    /** Receives a message; called from any thread. */
    void receive(Piece piece) {
        if (piece.from() >= 0
                && piece.from() < processes
                && piece.from() != self
                && piece.index() >= 0
                && piece.pieces() >= 1
                && piece.pieces() <= PIECES_MAX) {
            inbox.add(piece);
        }
    }

    @Override
    public int processes() {
        return processes;
    }

    @Override
    public int self() {
        return self;
    }

    @Override
    public EventBatch to(int process) {
        return to[process];
    }

    @Override
    public EventBatch from(int process) {
        return from[process];
    }

    @Override
    public long exchange(long boundPs) {
        counts.windows.increment();
        long began = System.nanoTime();
        List<byte[]> each = new ArrayList<>();
        for (int process = 0; process < processes; process++) {
            long[] numbers = to[process].toArray();
            counts.chunks.add(process == self ? 0 : numbers.length / STRIDE);
            each.add(process == self ? new byte[0] : write(boundPs, to[process].earliestPs(), numbers));
        }
        from[self] = EventBatch.of(to[self].toArray(), to[self].earliestPs());
        for (EventBatch batch : to) {
            batch.clear();
        }
        counts.codingNanos.add(System.nanoTime() - began);
        List<byte[]> come = meet(each);
        began = System.nanoTime();
        long least = boundPs;
        for (int process = 0; process < processes; process++) {
            if (process != self) {
                least = Math.min(least, read(process, come.get(process)));
            }
        }
        counts.codingNanos.add(System.nanoTime() - began);
        return least;
    }

    /** Shares what this process saw with all others, and returns each one's observation, in order. */
    List<PartObservation> gather(PartObservation own, WireCodec codec) {
        byte[] packed = codec.pack(own);
        List<byte[]> each = new ArrayList<>();
        for (int process = 0; process < processes; process++) {
            each.add(process == self ? new byte[0] : packed);
        }
        List<byte[]> come = meet(each);
        // Nobody may leave while others may still need a resend: exchange empty batches once more.
        meet(Collections.nCopies(processes, new byte[0]));
        List<PartObservation> all = new ArrayList<>();
        try {
            for (int process = 0; process < processes; process++) {
                all.add(process == self ? own : codec.unpack(come.get(process), PartObservation.class));
            }
        } catch (NotSerializableException broken) {
            throw new IllegalStateException("what another member saw cannot be read: " + broken.getMessage(), broken);
        }
        return all;
    }

    /** Sends each process its bytes, and waits for the bytes of all others. */
    private List<byte[]> meet(List<byte[]> each) {
        long began = System.nanoTime();
        sentBefore = sent;
        sent = new ArrayList<>();
        for (int process = 0; process < processes; process++) {
            sent.add(process == self ? List.of() : cut(each.get(process)));
        }
        sendAll(sent);
        while (!complete()) {
            Piece piece;
            try {
                piece = inbox.poll(RESEND_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while waiting for other members", interrupted);
            }
            if (aborted) {
                throw new OtherProcessFailedException();
            }
            if (piece == null) {
                sendAll(sentBefore);
                sendAll(sent);
            } else if (piece.round() == round) {
                now[piece.from()].add(piece);
            } else if (piece.round() == round + 1) {
                next[piece.from()].add(piece);
            }
        }
        List<byte[]> come = new ArrayList<>();
        for (int process = 0; process < processes; process++) {
            come.add(process == self ? new byte[0] : now[process].bytes());
        }
        now = next;
        next = arrivals();
        round++;
        counts.waitNanos.add(System.nanoTime() - began);
        return come;
    }

    private boolean complete() {
        for (int process = 0; process < processes; process++) {
            if (process != self && !now[process].complete()) {
                return false;
            }
        }
        return true;
    }

    private List<Piece> cut(byte[] bytes) {
        int pieces = Math.max(1, (bytes.length + PIECE - 1) / PIECE);
        List<Piece> all = new ArrayList<>(pieces);
        for (int i = 0; i < pieces; i++) {
            byte[] part = Arrays.copyOfRange(bytes, i * PIECE, Math.min(bytes.length, (i + 1) * PIECE));
            all.add(new Piece(attempt, self, round, i, pieces, part));
        }
        return all;
    }

    private void sendAll(List<List<Piece>> pieces) {
        for (int process = 0; process < pieces.size(); process++) {
            for (Piece piece : pieces.get(process)) {
                counts.messages.increment();
                counts.bytes.add(piece.bytes().length);
                send.accept(process, piece);
            }
        }
    }

    private static byte[] write(long boundPs, long earliestPs, long[] numbers) {
        Output output = new Output(32 + 4 * numbers.length, -1);
        output.writeLong(boundPs);
        output.writeLong(earliestPs);
        output.writeVarInt(numbers.length, true);
        for (int i = 0; i < numbers.length; i++) {
            output.writeVarLong(numbers[i] - (i < STRIDE ? 0 : numbers[i - STRIDE]), false);
        }
        return output.toBytes();
    }

    /** Reads a batch and returns its bound. */
    private long read(int process, byte[] bytes) {
        try {
            Input input = new Input(bytes);
            long boundPs = input.readLong();
            long earliestPs = input.readLong();
            int size = input.readVarInt(true);
            if (size < 0 || size > bytes.length) {
                throw new IllegalStateException("a batch of " + size + " numbers in " + bytes.length + " bytes");
            }
            long[] numbers = new long[size];
            for (int i = 0; i < size; i++) {
                numbers[i] = input.readVarLong(false) + (i < STRIDE ? 0 : numbers[i - STRIDE]);
            }
            from[process] = EventBatch.of(numbers, earliestPs);
            return boundPs;
        } catch (KryoException broken) {
            throw new IllegalStateException("a batch of " + bytes.length + " bytes cannot be read", broken);
        }
    }

    @Override
    public void abort() {
        aborted = true;
        inbox.add(WAKE);
    }
}
