package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.Operator.Attention;
import io.shardsim.simulator.workload.Operator.Linear;
import io.shardsim.simulator.workload.Operator.Split;
import io.shardsim.simulator.workload.Segment.Direction;
import io.shardsim.simulator.workload.Segment.Piece;
import io.shardsim.simulator.workload.Segment.Portion;
import io.shardsim.simulator.workload.Segment.Section;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Cuts the passes through a model's operators into {@link Segment}s.
 *
 * <p>Where products wait for parts of the sequence, or hand them on, they go in as many pieces as the tensor-parallel group has ranks, so that all of them
 * but one have an exchange beside them; in backward, what a block hands on overlaps with whole products (NVIDIA/TransformerEngine v1.11,
 * transformer_engine/pytorch/module/linear.py and base.py, initialize_ub: ring exchange, pipeline and bulk).
 *
 * <p>A step is planned layer by layer, and each is cut alike: cuts are made once and kept. Not for several threads at once.
 */
public final class Segments {
    private final Transformer operators;
    private final Map<Section, Segment> forward = new EnumMap<>(Section.class);
    private final Map<Section, Segment> backward = new EnumMap<>(Section.class);
    private final Map<Again, Segment> again = new HashMap<>();
    private final IdentityHashMap<Segment, List<Segment>> blocks = new IdentityHashMap<>();
    private final IdentityHashMap<Segment, Exchanging> exchanging = new IdentityHashMap<>();
    private final IdentityHashMap<Segment, Exchanging> besideWeights = new IdentityHashMap<>();
    private final IdentityHashMap<Segment, Attending> attending = new IdentityHashMap<>();

    public Segments(Transformer operators) {
        this.operators = operators;
    }

    private record Again(Checkpointing checkpointing, boolean stopsEarly) {}

    /**
     * A block by what is exchanged beside it.
     *
     * @param entry beside the exchange before the block
     * @param alone beside none
     * @param exit beside the exchange after the block
     */
    public record Exchanging(Segment entry, Segment alone, Segment exit) {}

    /**
     * A segment around its attention, which a context-parallel group goes through in equal steps.
     *
     * @param step one step of it
     */
    public record Attending(Segment before, Segment step, Segment after) {}

    /** A whole forward. */
    public Segment forward(Section section) {
        return forward.computeIfAbsent(section, this::cutForward);
    }

    private Segment cutForward(Section section) {
        List<Piece> pieces = new ArrayList<>();
        for (int at = 0; at < operators.of(section).size(); at++) {
            pieces.add(new Piece(at, Portion.ALL));
        }
        return new Segment(section, Direction.FORWARD, pieces);
    }

    /** A whole backward; the gradients of a block's first weights come last in it; Megatron-LM makes them before that of the norm, which changes no sum. */
    public Segment backward(Section section) {
        return backward.computeIfAbsent(section, this::cutBackward);
    }

    private Segment cutBackward(Section section) {
        List<Piece> pieces = new ArrayList<>();
        int end = operators.of(section).size();
        for (int block = operators.blocks(section).size() - 1; block >= 0; block--) {
            int start = end - operators.blocks(section).get(block).size();
            List<Piece> last = new ArrayList<>();
            for (int at = end - 1; at >= start; at--) {
                boolean splits = isLinear(section, at, Split.OUTPUTS);
                pieces.add(new Piece(at, splits ? Portion.INPUT_GRADIENT : Portion.ALL));
                if (splits) {
                    last.add(new Piece(at, Portion.WEIGHT_GRADIENT));
                }
            }
            pieces.addAll(last);
            end = start;
        }
        return new Segment(section, Direction.BACKWARD, pieces);
    }

    /**
     * What of a layer runs again before its backward. Nothing in a layer's backward needs its last product, so that a framework may stop before it, and
     * one that chooses operators does.
     */
    public Segment recompute(Checkpointing checkpointing, boolean stopsEarly) {
        Again key = new Again(checkpointing, stopsEarly);
        Segment known = again.get(key);
        if (known == null) {
            known = cutAgain(checkpointing, stopsEarly);
            again.put(key, known);
        }
        return known;
    }

    private Segment cutAgain(Checkpointing checkpointing, boolean stopsEarly) {
        Segment forward = forward(Section.LAYER);
        Segment whole = new Segment(Section.LAYER, Direction.RECOMPUTE, forward.pieces());
        int last = operators.lastLinear();
        return switch (checkpointing) {
            case NONE -> whole.where(piece -> false);
            case SELECTIVE -> whole.only(this::attends, Portion.CORE);
            case OPERATOR ->
                new Segment(Section.LAYER, Direction.RECOMPUTE_NOT_KEPT, forward.pieces())
                        .with(this::attends, Portion.HEADS)
                        .where(piece -> piece.at() < last);
            case FULL -> whole.where(piece -> !stopsEarly || piece.at() < last);
        };
    }

    /** A layer's blocks, in the order in which they are computed. */
    public List<Segment> blocks(Segment layer) {
        return blocks.computeIfAbsent(layer, this::cutBlocks);
    }

    private List<Segment> cutBlocks(Segment layer) {
        int second = operators.attention().size();
        Segment attention = layer.where(piece -> piece.at() < second);
        Segment feedForward = layer.where(piece -> piece.at() >= second);
        return layer.direction().isBackward() ? List.of(feedForward, attention) : List.of(attention, feedForward);
    }

    /** A block with products beside the exchanges before and after it. */
    public Exchanging exchanging(Segment block) {
        return exchanging.computeIfAbsent(block, this::cutExchanging);
    }

    private Exchanging cutExchanging(Segment block) {
        if (block.direction().isBackward()) {
            Exchanging besideWeights = besideWeights(block);
            return new Exchanging(
                    block.only(this::addsUp, Portion.OTHER_ROWS),
                    besideWeights.alone().with(this::addsUp, Portion.OWN_ROWS),
                    besideWeights.exit());
        }
        return new Exchanging(
                block.only(this::splits, Portion.OTHER_ROWS),
                block.with(at -> splits(at) || addsUp(at), Portion.OWN_ROWS),
                block.only(this::addsUp, Portion.OTHER_ROWS));
    }

    /** A block's backward with nothing beside the exchange before it, and the gradients of its first weights beside the one after it. */
    public Exchanging besideWeights(Segment block) {
        return besideWeights.computeIfAbsent(block, this::cutBesideWeights);
    }

    private Exchanging cutBesideWeights(Segment block) {
        return new Exchanging(
                block.where(piece -> false),
                block.where(piece -> piece.portion() != Portion.WEIGHT_GRADIENT),
                block.where(piece -> piece.portion() == Portion.WEIGHT_GRADIENT));
    }

    /** Whether scores are computed in it. */
    public boolean hasAttention(Segment segment) {
        return segment.section() == Section.LAYER && segment.pieces().stream().anyMatch(this::attends);
    }

    /** Of a segment that {@link #hasAttention has attention}. */
    public Attending attending(Segment segment) {
        return attending.computeIfAbsent(segment, this::cutAttending);
    }

    private Attending cutAttending(Segment segment) {
        List<Piece> pieces = segment.pieces();
        int at = 0;
        while (!attends(pieces.get(at))) {
            at++;
        }
        Piece attention = pieces.get(at);
        List<Piece> heads =
                attention.portion() == Portion.ALL ? List.of(new Piece(attention.at(), Portion.HEADS)) : List.of();
        List<Piece> before = new ArrayList<>(pieces.subList(0, at));
        List<Piece> after = new ArrayList<>(pieces.subList(at + 1, pieces.size()));
        if (segment.direction().isBackward()) {
            after.addAll(0, heads);
        } else {
            before.addAll(heads);
        }
        return new Attending(
                segment.of(before), segment.of(List.of(new Piece(attention.at(), Portion.STEP))), segment.of(after));
    }

    /** Number of projections that its operators work on. */
    public int projections(Segment segment) {
        List<Operator> section = operators.of(segment.section());
        return segment.pieces().stream()
                .mapToInt(piece -> section.get(piece.at()).projections())
                .sum();
    }

    private boolean attends(Piece piece) {
        return attends(piece.at()) && piece.portion() != Portion.HEADS;
    }

    private boolean attends(int at) {
        return operators.of(Section.LAYER).get(at) instanceof Attention;
    }

    private boolean splits(int at) {
        return isLinear(Section.LAYER, at, Split.OUTPUTS);
    }

    private boolean addsUp(int at) {
        return isLinear(Section.LAYER, at, Split.INPUTS);
    }

    private boolean isLinear(Section section, int at, Split split) {
        return operators.of(section).get(at) instanceof Linear linear && linear.split() == split;
    }
}
