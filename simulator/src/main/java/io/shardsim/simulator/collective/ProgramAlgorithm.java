package io.shardsim.simulator.collective;

import io.shardsim.simulator.catalog.CatalogException;
import io.shardsim.simulator.catalog.Descriptor;
import io.shardsim.simulator.collective.ProgramHalf.Round;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.KeyFile;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ValueType;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problem;
import io.shardsim.simulator.yaml.Problems;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * An algorithm whose rounds are written in its file, under {@code program}. An all-reduce is its reduce-scatter and then its all-gather.
 *
 * <p>A channel goes through all rounds with its part of each shard. Where every member sends what it has just received, it goes chunk by chunk and passes
 * each on in one primitive, as NCCL's ring does; else round by round, with a send and a receive for each chunk.
 */
final class ProgramAlgorithm implements CollectiveAlgorithm {
    private static final String PROGRAM = "program";
    private static final String GATHER = CollectiveKind.ALL_GATHER.id();
    private static final String REDUCE = CollectiveKind.REDUCE_SCATTER.id();
    private static final String TERM = "(members?|round|left|\\d{1,6}|2\\^round|2\\^left)";
    private static final String TERM_OF_SHARD = TERM.replace("(", "(to|");
    private static final Map<String, ValueType> TYPES = Map.of(
            "count", ScalarTypes.text("log2 members|members - 1|\\d{1,6}", "log2 members, members - 1 or a number"),
            "peer",
                    ScalarTypes.text(
                            TERM + "( +[-+^] +" + TERM + ")*", "a member such as member + 1 or member ^ 2^round"),
            "shards",
                    ScalarTypes.text(
                            ProgramHalf.ALL + "|" + TERM_OF_SHARD + "( +[-+^] +" + TERM_OF_SHARD + ")*",
                            "all, or a shard such as member, to or member - round"));
    private static final KeyFile KEYS = KeyFile.named("program-keys");

    /** In place of {@code class}. */
    static final Key KEY =
            Key.optional(PROGRAM, new BlockType(KEYS.keys(PROGRAM, TYPES), false), "rounds, in place of a class");

    /** Sizes of groups in which a file is tried out. */
    private static final int[] TRIED = {2, 3, 4, 5, 6, 7, 8, 9, 16, 32};

    private final String file;
    private final String name;
    private final Block program;
    private final Set<CollectiveKind> kinds;
    private final SharedPrimitives shared = new SharedPrimitives();
    private final Map<Group, Optional<Plan>> plans = new ConcurrentHashMap<>();

    /** What the rounds depend on. */
    private record Group(CollectiveKind kind, int members) {}

    /** What each member of a group does; equal moves are one object. */
    private record Plan(boolean relays, List<Member> members) {}

    /** Peers by slot, and the moves of all rounds in order. */
    private record Member(int[] receivePeers, int[] sendPeers, int[] sendPeerSlots, List<Move> moves, int role) {}

    /** Shards that a member sends and receives in a round, and by which slots. */
    private record Move(int sendSlot, int sent, int receiveSlot, int received, boolean reduces) {}

    /**
     * An algorithm as a file writes it down.
     *
     * @throws CatalogException when a round cannot be, or somebody ends without what the collective gives
     */
    ProgramAlgorithm(Descriptor descriptor, Set<CollectiveKind> kinds) {
        file = descriptor.path();
        name = descriptor.text("name");
        program = Objects.requireNonNull(descriptor.block().block(PROGRAM));
        this.kinds = kinds;
        Problems problems = new Problems(file);
        for (CollectiveKind kind : kinds) {
            try {
                checkKind(kind, descriptor);
                for (int members : TRIED) {
                    if (mayHave(members)) {
                        rounds(new Group(kind, members));
                    }
                }
            } catch (InputException broken) {
                broken.problems().forEach(problem -> problems.add(problem.position(), problem.message()));
            }
        }
        try {
            problems.throwIfAny();
        } catch (InputException broken) {
            throw new CatalogException(broken);
        }
    }

    private void checkKind(CollectiveKind kind, Descriptor descriptor) throws InputException {
        List<String> halves = halves(kind);
        if (halves.isEmpty()) {
            String message = "a program does not carry " + kind.id() + "; remove it, or write a class";
            throw new InputException(List.of(new Problem(file, descriptor.own().at("kinds"), message)));
        }
        for (String half : halves) {
            if (!program.has(half)) {
                String message = "program has no " + half + ", which " + kind.id() + " needs; add it, or remove "
                        + kind.id() + " from kinds";
                throw new InputException(List.of(new Problem(file, program.position(), message)));
            }
        }
    }

    private static List<String> halves(CollectiveKind kind) {
        return switch (kind) {
            case ALL_GATHER -> List.of(GATHER);
            case REDUCE_SCATTER -> List.of(REDUCE);
            case ALL_REDUCE -> List.of(REDUCE, GATHER);
            case ALL_TO_ALL, SEND_RECV, BROADCAST, BROADCAST_FROM_LAST -> List.of();
        };
    }

    private boolean mayHave(int members) {
        return members >= 2
                && (Integer.bitCount(members) == 1
                        || !program.text("members", "any").equals("power_of_two"));
    }

    private List<Round> rounds(Group group) throws InputException {
        List<Round> rounds = new ArrayList<>();
        for (String half : halves(group.kind())) {
            rounds.addAll(ProgramHalf.rounds(file, program.list(half), half.equals(REDUCE), group.members()));
        }
        return rounds;
    }

    private Optional<Plan> plan(CollectiveRequest request) {
        return plans.computeIfAbsent(new Group(request.kind(), request.size()), group -> {
            if (!kinds.contains(group.kind()) || !mayHave(group.members())) {
                return Optional.empty();
            }
            try {
                return Optional.of(plan(rounds(group), group.members()));
            } catch (InputException unfit) {
                return Optional.empty();
            }
        });
    }

    private static Plan plan(List<Round> rounds, int size) {
        boolean relays =
                IntStream.range(1, rounds.size()).allMatch(i -> rounds.get(i).relays(rounds.get(i - 1)));
        List<Map<Integer, Integer>> receiveSlots = IntStream.range(0, size)
                .mapToObj(member -> slots(rounds.stream().map(round -> round.from()[member])))
                .toList();
        Map<List<Move>, Integer> roles = new HashMap<>();
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            int member = i;
            Map<Integer, Integer> sendSlots = slots(rounds.stream().map(round -> round.to()[member]));
            Map<Integer, Integer> from = receiveSlots.get(member);
            List<Move> moves = rounds.stream()
                    .map(round -> new Move(
                            sendSlots.getOrDefault(round.to()[member], 0),
                            round.sentBy(member),
                            from.getOrDefault(round.from()[member], 0),
                            round.receivedBy(member),
                            round.reduces()))
                    .toList();
            members.add(new Member(
                    ints(from.keySet()),
                    ints(sendSlots.keySet()),
                    sendSlots.keySet().stream()
                            .mapToInt(peer -> receiveSlots.get(peer).getOrDefault(member, 0))
                            .toArray(),
                    moves,
                    roles.computeIfAbsent(moves, unknown -> roles.size())));
        }
        return new Plan(relays, members);
    }

    /** A slot for each peer, in the order of their first rounds. */
    private static Map<Integer, Integer> slots(Stream<Integer> peers) {
        Map<Integer, Integer> slots = new LinkedHashMap<>();
        peers.forEach(peer -> slots.putIfAbsent(peer, slots.size()));
        return slots;
    }

    private static int[] ints(Set<Integer> values) {
        return values.stream().mapToInt(value -> value).toArray();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean supports(CollectiveRequest request) {
        return plan(request).isPresent();
    }

    @Override
    public int channels(CollectiveRequest request) {
        return Chunks.channels(request.shardBytes(), request.transport());
    }

    @Override
    public ChannelProgram program(CollectiveRequest request, int member, int channel) {
        Plan plan = plan(request).orElseThrow();
        Member own = plan.members().get(member);
        GroupPlacement placement = request.placement();
        int[] nics = IntStream.of(own.sendPeers())
                .map(peer -> placement.nodeOf(member) == placement.nodeOf(peer)
                        ? ChannelProgram.NONE
                        : Rail.ownNic(request, member, channel))
                .toArray();
        Chunks chunks = Chunks.of(request.shardBytes(), channels(request), channel, request.transport());
        return new ChannelProgram(
                ranks(request, own.receivePeers()),
                ranks(request, own.sendPeers()),
                own.sendPeerSlots(),
                nics,
                shared.get(request, chunks, request.kind().ordinal(), own.role(), list -> {
                    if (plan.relays()) {
                        relay(list, own.moves(), chunks);
                    } else {
                        own.moves().forEach(move -> exchange(list, move, chunks));
                    }
                }));
    }

    private static int[] ranks(CollectiveRequest request, int[] peers) {
        return IntStream.of(peers).map(peer -> request.members()[peer]).toArray();
    }

    private static void exchange(PrimitiveList list, Move move, Chunks chunks) {
        for (int i = 0; i < chunks.count(); i++) {
            for (int shard = 0; shard < Math.max(move.sent(), move.received()); shard++) {
                if (shard < move.sent()) {
                    list.send(move.sendSlot(), chunks.bytes(i));
                }
                if (shard < move.received()) {
                    receive(list, move, chunks.bytes(i));
                }
            }
        }
    }

    private static void relay(PrimitiveList list, List<Move> moves, Chunks chunks) {
        for (int i = 0; i < chunks.count(); i++) {
            long bytes = chunks.bytes(i);
            Move before = moves.get(0);
            for (int shard = 0; shard < before.sent(); shard++) {
                list.send(before.sendSlot(), bytes);
            }
            for (Move move : moves.subList(1, moves.size())) {
                if (before.reduces()) {
                    list.receiveReduceSend(move.sent(), before.receiveSlot(), move.sendSlot(), bytes);
                } else {
                    list.receiveCopySend(move.sent(), before.receiveSlot(), move.sendSlot(), bytes);
                }
                before = move;
            }
            for (int shard = 0; shard < before.received(); shard++) {
                receive(list, before, bytes);
            }
        }
    }

    private static void receive(PrimitiveList list, Move move, long bytes) {
        if (move.reduces()) {
            list.receiveReduce(move.receiveSlot(), bytes);
        } else {
            list.receive(move.receiveSlot(), bytes);
        }
    }
}
