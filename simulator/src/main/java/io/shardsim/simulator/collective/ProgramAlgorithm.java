package io.shardsim.simulator.collective;

import io.shardsim.simulator.catalog.CatalogException;
import io.shardsim.simulator.catalog.Descriptor;
import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.KeyFile;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ValueType;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/**
 * Algorithm whose rounds are written in a file, under {@code program}. An all-reduce is its reduce-scatter followed by its all-gather.
 *
 * <p>A channel runs all rounds with its share of each shard. If every member forwards the shard that it has just received, the channel proceeds chunk
 * by chunk, as NCCL's rings do; else round by round.
 *
 * <p>A reduce-scatter is an all-gather backwards: a member sends its partial sum to where it would receive the shard from. So one check covers both:
 * each shard reaches each member once, and each contribution is in each sum once.
 */
final class ProgramAlgorithm extends SingleKindAlgorithm {
    private static final String FORMULA = "(%1$s)( [-+^] (%1$s))*";
    private static final String TERMS = "members?|round|left|\\d{1,6}|2\\^round|2\\^left";
    private static final String OUTSIDE =
            ", which is outside of the group; add members: power_of_two, or write + or -, which go around";
    private static final Map<String, ValueType> TYPES = Map.of(
            "count", ScalarTypes.text("log2 members|members - 1|\\d{1,6}", "log2 members or members - 1"),
            "peer", ScalarTypes.text(FORMULA.formatted(TERMS), "a member such as member + 1 or member ^ 2^round"),
            "shards", ScalarTypes.text(FORMULA.formatted("all|to|" + TERMS), "all, or a shard such as member or to"));

    /** Alternative to {@code class}. */
    static final Key KEY = Key.optional(
            "program",
            new BlockType(KeyFile.named("program-keys").keys("program", TYPES), false),
            "rounds, in place of a class");

    /** Group sizes for which a file is checked. */
    private static final int[] TRIED = {2, 3, 4, 5, 6, 7, 8, 9, 16, 32};
    /** Maximum rounds times members, as in a ring of 512, since each round of each member is checked. */
    private static final int MOVES_MAX = 1 << 18;

    private final Descriptor file;
    private final CollectiveKind kind;
    private final Block program;
    /** Plans by group size; empty if the rounds do not work for that size. */
    private final Map<Integer, Optional<Plan>> plans = new ConcurrentHashMap<>();

    /** One round: for each member, the member that it sends to, the member that it receives from, and the shards that it sends. */
    private record Round(Block stage, int index, int[] to, int[] from, BitSet[] sent, boolean reduces) {
        /** Returns the number of shards that each member sends. */
        int shards() {
            return sent[0].cardinality();
        }

        /** Returns whether each member sends exactly the one shard that it has received in the previous round. */
        boolean relays(Round before) {
            return shards() == 1
                    && IntStream.range(0, to.length)
                            .allMatch(member -> sent[member].equals(before.sent[before.from[member]]));
        }
    }

    /** Rounds, and for each the slot of its peers: an index into {@code ways}, the first rounds with distinct peers. */
    private record Plan(List<Round> rounds, int[] slots, List<Round> ways, boolean relays) {}

    /**
     * Creates the algorithm for one kind of a file.
     *
     * @throws CatalogException if a round is invalid, or a member ends without the collective's result
     */
    ProgramAlgorithm(Descriptor file, CollectiveKind kind) {
        super(file.text("name"), Pattern.OTHER, kind);
        this.file = file;
        this.kind = kind;
        program = Objects.requireNonNull(file.block().block(KEY.name()));
        IntStream.of(TRIED).filter(this::mayHave).forEach(this::plan);
    }

    private boolean mayHave(int members) {
        return Integer.bitCount(members) == 1 || !"power_of_two".equals(program.text("members"));
    }

    @Override
    boolean carries(CollectiveRequest request) {
        return mayHave(request.size()) && known(request.size()).isPresent();
    }

    private Optional<Plan> known(int members) {
        return plans.computeIfAbsent(members, size -> {
            try {
                return Optional.of(plan(size));
            } catch (CatalogException unfit) {
                return Optional.empty();
            }
        });
    }

    private Plan plan(int members) {
        List<Round> rounds = new ArrayList<>();
        List<String> halves = List.of(kind.id());
        if (kind == CollectiveKind.ALL_REDUCE) {
            halves = List.of(CollectiveKind.REDUCE_SCATTER.id(), CollectiveKind.ALL_GATHER.id());
        }
        halves.forEach(half -> rounds.addAll(half(half, members)));
        int[] slots = new int[rounds.size()];
        List<Round> ways = new ArrayList<>();
        boolean relays = rounds.get(0).shards() == 1;
        for (int i = 0; i < rounds.size(); i++) {
            Round round = rounds.get(i);
            slots[i] = (int) ways.stream()
                    .takeWhile(way -> !Arrays.equals(way.to(), round.to()))
                    .count();
            if (slots[i] == ways.size()) {
                ways.add(round);
            }
            relays &= i == 0 || round.relays(rounds.get(i - 1));
        }
        return new Plan(rounds, slots, ways, relays);
    }

    private List<Round> half(String half, int members) {
        if (!program.has(half)) {
            String remedy = ", which " + kind.id() + " needs; add it, or remove " + kind.id() + " from kinds";
            throw refuse(program.position(), "program has no " + half + remedy);
        }
        boolean reduces = half.equals(CollectiveKind.REDUCE_SCATTER.id());
        List<Round> rounds = new ArrayList<>();
        for (Block stage : program.<Block>list(half)) {
            int log2 = Integer.SIZE - Integer.numberOfLeadingZeros(members - 1);
            int count = value(stage.text("rounds", ""), Map.of("members", members, "log2", log2));
            if ((long) members * (rounds.size() + count) > MOVES_MAX) {
                throw refuse(stage.at("rounds"), count + " rounds times members > " + MOVES_MAX + "; write fewer");
            }
            for (int index = 0; index < count; index++) {
                rounds.add(round(stage, index, count, members, reduces));
            }
        }
        BitSet[] held = new BitSet[members];
        for (int member = 0; member < members; member++) {
            held[member] = new BitSet();
            held[member].set(member);
        }
        List<Round> walk = new ArrayList<>(rounds);
        if (reduces) {
            Collections.reverse(walk);
        }
        walk.forEach(round -> move(round, held));
        for (int member = 0; member < members; member++) {
            if (held[member].cardinality() < members) {
                String what = reduces ? " never sends its part of shard " : " ends without shard ";
                String who = "with " + members + " members, member " + member + what + held[member].nextClearBit(0);
                throw refuse(program.at(half), who + "; add rounds, or send to other members");
            }
        }
        return rounds;
    }

    private Round round(Block stage, int index, int count, int members, boolean reduces) {
        Round round = new Round(stage, index, new int[members], new int[members], new BitSet[members], reduces);
        Arrays.fill(round.from(), ChannelProgram.NONE);
        int left = count - 1 - index;
        Map<String, Integer> known = new HashMap<>(Map.of("members", members, "round", index, "left", left));
        known.put("2^round", 1 << Math.min(30, index));
        known.put("2^left", 1 << Math.min(30, left));
        for (int member = 0; member < members; member++) {
            known.put("member", member);
            int to = value(stage.text("to", ""), known);
            if (to >= members) {
                throw refuse(round, "to", member, "to " + to, OUTSIDE);
            } else if (to == member || round.from()[to] != ChannelProgram.NONE) {
                throw refuse(round, "to", member, "to " + to, "; each sends to another, and receives from one");
            }
            round.to()[member] = to;
            round.from()[to] = member;
            known.put("to", to);
            round.sent()[member] = new BitSet();
            if (!"all".equals(stage.text("send"))) {
                round.sent()[member].set(value(stage.text("send", ""), known));
            }
        }
        return round;
    }

    /** Adds what a round sends to the receivers' shards; backwards for a reduction. */
    private void move(Round round, BitSet[] held) {
        int[] members = IntStream.range(0, held.length).toArray();
        int[] givers = round.reduces() ? round.to() : members;
        int[] takers = round.reduces() ? members : round.to();
        for (int member : members) {
            BitSet sent = round.sent()[member];
            if (sent.isEmpty()) {
                sent.or(held[givers[member]]);
                sent.andNot(held[takers[member]]);
            } else if (!held[givers[member]].intersects(sent)) {
                refuseShard(round, member, round.reduces() ? "its receiver does not bring home" : "it does not hold");
            }
            if (sent.cardinality() != round.shards()) {
                throw refuse(round, "send", member, sent.cardinality() + " shards", ", and 0 sends " + round.shards());
            }
        }
        for (int member : members) {
            if (held[takers[member]].intersects(round.sent()[member])) {
                refuseShard(round, member, round.reduces() ? "it owns or sends later" : "its receiver has");
            }
            held[takers[member]].or(round.sent()[member]);
        }
    }

    private void refuseShard(Round round, int member, String which) {
        String shard = "shard " + round.sent()[member].nextSetBit(0);
        throw refuse(round, "send", member, shard, ", which " + which + "; write another one, or all");
    }

    private CatalogException refuse(Round round, String key, int member, String what, String why) {
        String who = "with " + round.to().length + " members, member " + member;
        return refuse(round.stage().at(key), who + " sends " + what + " in round " + round.index() + why);
    }

    private CatalogException refuse(Position position, String message) {
        return new CatalogException(new InputException(List.of(new Problem(file.path(), position, message))));
    }

    /** Evaluates a formula from left to right. */
    private static int value(String formula, Map<String, Integer> known) {
        String[] words = formula.replace("log2 members", "log2").split(" ");
        int members = known.getOrDefault("members", 0);
        int value = 0;
        for (int i = 0; i < words.length; i += 2) {
            Integer named = known.get(words[i]);
            int term = named == null ? Integer.parseInt(words[i]) : named;
            value = switch (i == 0 ? "" : words[i - 1]) {
                case "^" -> value ^ term;
                case "-" -> Math.floorMod(value - term, members);
                case "+" -> Math.floorMod(value + term, members);
                default -> term;
            };
        }
        return value;
    }

    @Override
    public ChannelProgram program(CollectiveRequest request, int member, int channel) {
        Plan plan = known(request.size()).orElseThrow();
        List<Round> ways = plan.ways();
        int[] targets = ways.stream().mapToInt(way -> way.to()[member]).toArray();
        GroupPlacement placement = request.placement();
        return new ChannelProgram(
                ways.stream()
                        .mapToInt(way -> request.members()[way.from()[member]])
                        .toArray(),
                IntStream.of(targets).map(target -> request.members()[target]).toArray(),
                IntStream.range(0, ways.size()).toArray(),
                IntStream.of(targets)
                        .map(target -> placement.nodeOf(member) == placement.nodeOf(target)
                                ? ChannelProgram.NONE
                                : Rail.ownNic(request, member, channel))
                        .toArray(),
                primitives(request, plan, chunks(request, channel)));
    }

    private List<Primitive> primitives(CollectiveRequest request, Plan plan, Chunks chunks) {
        int last = plan.rounds().size();
        return shared.get(request, chunks, 0, 0, list -> {
            for (int i = 0; plan.relays() && i < chunks.count(); i++) {
                for (int at = 0; at <= last; at++) {
                    int from = at == 0 ? ChannelProgram.NONE : plan.slots()[at - 1];
                    int to = at == last ? ChannelProgram.NONE : plan.slots()[at];
                    list.add(
                            1,
                            from,
                            to,
                            chunks.bytes(i),
                            at > 0 && plan.rounds().get(at - 1).reduces());
                }
            }
            for (int at = 0; !plan.relays() && at < last; at++) {
                Round round = plan.rounds().get(at);
                int slot = plan.slots()[at];
                for (int i = 0; i < chunks.count() * round.shards(); i++) {
                    long bytes = chunks.bytes(i / round.shards());
                    list.send(slot, bytes);
                    list.add(1, slot, ChannelProgram.NONE, bytes, round.reduces());
                }
            }
        });
    }
}
