package io.shardsim.simulator.collective;

import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * The rounds of an all-gather or a reduce-scatter that a file writes down, in a group of one size: who sends how many shards to whom.
 *
 * <p>A reduce-scatter is an all-gather backwards: a member hands on its part of a sum where there the shard would reach it. So one walk checks both: each shard
 * reaches each member once, and each contribution is in each sum once.
 */
final class ProgramHalf {
    static final String ALL = "all";

    /** Rounds times members, a ring of 512: each round of each member is looked at. */
    private static final int MOVES_MAX = 1 << 18;

    private final String file;
    private final boolean reduces;
    private final int members;
    private final List<Round> rounds = new ArrayList<>();
    /** Shards at each member; of a reduce-scatter, sums that it will still bring home. */
    private final BitSet[] held;

    private ProgramHalf(String file, boolean reduces, int members) {
        this.file = file;
        this.reduces = reduces;
        this.members = members;
        held = new BitSet[members];
        for (int member = 0; member < members; member++) {
            held[member] = new BitSet();
            held[member].set(member);
        }
    }

    /**
     * One round.
     *
     * @param index among all of its stage
     * @param to for each member, the one it sends to
     * @param from for each member, the one it receives from
     * @param sent shards that each member sends
     */
    record Round(Block stage, int index, int[] to, int[] from, BitSet[] sent, boolean reduces) {
        int sentBy(int member) {
            return sent[member].cardinality();
        }

        int receivedBy(int member) {
            return sentBy(from[member]);
        }

        /** True when all members send what they received in the round before. */
        boolean relays(Round before) {
            for (int member = 0; member < to.length; member++) {
                if (!sent[member].equals(before.sent[before.from[member]])) {
                    return false;
                }
            }
            return true;
        }
    }

    /**
     * The rounds of stages.
     *
     * @throws InputException with the first thing that is wrong, at its place in the file
     */
    static List<Round> rounds(String file, List<Block> stages, boolean reduces, int members) throws InputException {
        ProgramHalf half = new ProgramHalf(file, reduces, members);
        for (Block stage : stages) {
            half.addRounds(stage);
        }
        for (int i = 0; i < half.rounds.size(); i++) {
            half.move(half.rounds.get(reduces ? half.rounds.size() - 1 - i : i));
        }
        half.checkEnd(stages.get(stages.size() - 1).position());
        return half.rounds;
    }

    private void addRounds(Block stage) throws InputException {
        int count = value(stage.text("rounds", ""), new int[] {members, 0, 0, 0, 0});
        if ((long) members * (rounds.size() + count) > MOVES_MAX) {
            throw refuse(stage.at("rounds"), count + " rounds times members > " + MOVES_MAX + "; write fewer rounds");
        }
        for (int index = 0; index < count; index++) {
            int[] to = new int[members];
            int[] from = new int[members];
            Arrays.fill(from, ChannelProgram.NONE);
            for (int member = 0; member < members; member++) {
                to[member] = peer(stage, member, index, count, from);
                from[to[member]] = member;
            }
            Round round = new Round(stage, index, to, from, new BitSet[members], reduces);
            for (int member = 0; member < members; member++) {
                round.sent()[member] = named(round, member, count);
            }
            rounds.add(round);
        }
    }

    private int peer(Block stage, int member, int index, int count, int[] from) throws InputException {
        int peer = value(stage.text("to", ""), new int[] {members, member, index, count - 1 - index, 0});
        if (peer >= members) {
            String remedy = Integer.bitCount(members) == 1
                    ? "; write a smaller number"
                    : "; add members: power_of_two, or write + or -, which go around the group";
            throw refuse(
                    stage.at("to"), sends(member, "to " + peer, index) + ", which is outside of the group" + remedy);
        }
        if (peer == member) {
            throw refuse(stage.at("to"), sends(member, "to itself", index) + "; write another member");
        }
        if (from[peer] != ChannelProgram.NONE) {
            throw refuse(
                    stage.at("to"),
                    sends(member, "to " + peer, index) + ", as member " + from[peer]
                            + " does; each member receives from one");
        }
        return peer;
    }

    /** The one shard that a member sends, empty for all that there are. */
    private BitSet named(Round round, int member, int count) throws InputException {
        BitSet named = new BitSet();
        String written = round.stage().text("send", "");
        if (!written.equals(ALL)) {
            int left = count - 1 - round.index();
            int shard = value(written, new int[] {members, member, round.index(), left, round.to()[member]});
            if (shard >= members) {
                throw refuse(
                        round.stage().at("send"),
                        sends(member, "shard " + shard, round.index()) + ", which nobody owns; write a smaller number");
            }
            named.set(shard);
        }
        return named;
    }

    private void move(Round round) throws InputException {
        for (int member = 0; member < members; member++) {
            BitSet sent = round.sent()[member];
            BitSet source = held[reduces ? round.to()[member] : member];
            if (sent.isEmpty()) {
                sent.or(source);
                sent.andNot(held[reduces ? member : round.to()[member]]);
            } else if (!source.intersects(sent)) {
                throw refused(
                        round, member, reduces ? ", which member %d does not bring home" : ", which it does not hold");
            }
        }
        for (int member = 0; member < members; member++) {
            BitSet target = held[reduces ? member : round.to()[member]];
            if (target.intersects(round.sent()[member])) {
                throw refused(
                        round, member, reduces ? ", which it keeps or sends later" : ", which member %d has already");
            }
            target.or(round.sent()[member]);
        }
    }

    private InputException refused(Round round, int member, String why) {
        String what = (reduces ? "its part of shard " : "shard ") + round.sent()[member].nextSetBit(0);
        return refuse(
                round.stage().at("send"),
                sends(member, what, round.index()) + String.format(why, round.to()[member])
                        + "; write another shard, or all");
    }

    private void checkEnd(Position position) throws InputException {
        for (int member = 0; member < members; member++) {
            int lacking = held[member].nextClearBit(0);
            if (lacking < members) {
                String what = reduces ? " never sends its part of shard " : " ends without shard ";
                throw refuse(
                        position,
                        "with " + members + " members, member " + member + what + lacking
                                + "; add rounds, or send to other members");
            }
        }
    }

    private String sends(int member, String what, int index) {
        return "with " + members + " members, member " + member + " sends " + what + " in round " + index;
    }

    private InputException refuse(Position position, String message) {
        return new InputException(List.of(new Problem(file, position, message)));
    }

    /**
     * Value of a formula, from left to right.
     *
     * @param known members, member, round, left, to
     */
    private static int value(String formula, int[] known) {
        int value = 0;
        String operator = "";
        for (String word : formula.replace("log2 members", "log2").split(" +")) {
            if (word.matches("[-+^]")) {
                operator = word;
                continue;
            }
            int next = operand(word, known);
            value = switch (operator) {
                case "^" -> value ^ next;
                case "-" -> Math.floorMod(value - next, known[0]);
                case "+" -> Math.floorMod(value + next, known[0]);
                default -> next;
            };
        }
        return value;
    }

    private static int operand(String word, int[] known) {
        return switch (word) {
            case "members" -> known[0];
            case "member" -> known[1];
            case "round" -> known[2];
            case "left" -> known[3];
            case "to" -> known[4];
            case "2^round" -> 1 << Math.min(30, known[2]);
            case "2^left" -> 1 << Math.min(30, known[3]);
            case "log2" -> Integer.SIZE - Integer.numberOfLeadingZeros(known[0] - 1);
            default -> Integer.parseInt(word);
        };
    }
}
