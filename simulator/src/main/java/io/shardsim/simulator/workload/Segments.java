package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.Linear.Split;
import io.shardsim.simulator.workload.Segment.Direction;
import io.shardsim.simulator.workload.Segment.Piece;
import io.shardsim.simulator.workload.Segment.Portion;
import io.shardsim.simulator.workload.Segment.Section;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.Stream;

/**
 * Cuts the passes through a model's operators into {@link Segment}s.
 *
 * <p>GEMMs that receive or send shards of the sequence are split into as many pieces as the tensor-parallel group has ranks, so that all but one
 * piece overlap with communication; in backward, communication of a block's result overlaps with whole GEMMs (NVIDIA/TransformerEngine v1.11,
 * transformer_engine/pytorch/module/linear.py and base.py, initialize_ub: ring exchange, pipeline and bulk).
 *
 * <p>A step is planned layer by layer, and equal layers are cut equally: cuts are cached. Not thread-safe.
 */
public final class Segments {
    private final Transformer operators;
    private final Recomputed recomputed;
    private final Map<Section, List<Operator>> sections = new HashMap<>();
    private final Map<Section, Segment> forward = new HashMap<>();
    private final Map<Section, Segment> backward = new HashMap<>();
    private final Map<Again, Segment> again = new HashMap<>();
    private final Map<Section, Gradients> gradients = new HashMap<>();
    private final IdentityHashMap<Segment, List<Segment>> blocks = new IdentityHashMap<>();
    private final IdentityHashMap<Segment, Block> homes = new IdentityHashMap<>();
    private final IdentityHashMap<Segment, Exchanging> exchanging = new IdentityHashMap<>();
    private final IdentityHashMap<Segment, Exchanging> besideWeights = new IdentityHashMap<>();
    private final IdentityHashMap<Segment, Attending> attending = new IdentityHashMap<>();
    private final IdentityHashMap<Segment, Routing> routing = new IdentityHashMap<>();

    public Segments(Transformer operators) {
        this(operators, Recomputed.CORE_ATTENTION);
    }

    /** @param recomputed what selective recomputation computes again */
    public Segments(Transformer operators, Recomputed recomputed) {
        this.operators = operators;
        this.recomputed = recomputed;
    }

    private record Again(Section layer, Checkpointing checkpointing, boolean stopsEarly) {}

    /** Backward split into the wgrads of linear maps, and the rest. */
    public record Gradients(Segment inputs, Segment weights) {}

    /**
     * Block split by the communication that it overlaps with.
     *
     * @param entry part that overlaps with the communication before the block
     * @param alone part without overlap
     * @param exit part that overlaps with the communication after the block
     */
    public record Exchanging(Segment entry, Segment alone, Segment exit) {}

    /**
     * Segment split around its attention, which a context-parallel group runs in equal steps.
     *
     * @param step one step of the attention
     */
    public record Attending(Segment before, Segment step, Segment after) {}

    /**
     * Segment split around its experts.
     *
     * @param before part before the copies of tokens are sent
     * @param experts part on the experts' ranks
     * @param after part after the copies have returned
     */
    public record Routing(Segment before, Segment experts, Segment after) {}

    /** Returns a whole forward. */
    public Segment forward(Section section) {
        return forward.computeIfAbsent(section, this::cutForward);
    }

    private Segment cutForward(Section section) {
        List<Piece> pieces = new ArrayList<>();
        for (int at = 0; at < of(section).size(); at++) {
            pieces.add(new Piece(at, Portion.ALL));
        }
        return new Segment(section, Direction.FORWARD, pieces);
    }

    /** Returns a whole backward. The wgrad of a block's first weights comes last; Megatron-LM computes it before the norm's, which changes no sum. */
    public Segment backward(Section section) {
        return backward.computeIfAbsent(section, this::cutBackward);
    }

    private Segment cutBackward(Section section) {
        List<Piece> pieces = new ArrayList<>();
        IntPredicate divides = isLinear(section, Split.OUTPUTS);
        int end = of(section).size();
        for (int block = operators.blocks(section).size() - 1; block >= 0; block--) {
            int start = end - operators.blocks(section).get(block).operators().size();
            List<Piece> last = new ArrayList<>();
            for (int at = end - 1; at >= start; at--) {
                boolean splits = divides.test(at);
                pieces.add(new Piece(at, splits ? Portion.INPUT_GRADIENT : whole(section, at)));
                if (splits) {
                    last.add(new Piece(at, Portion.WEIGHT_GRADIENT));
                }
            }
            pieces.addAll(last);
            end = start;
        }
        return new Segment(section, Direction.BACKWARD, pieces);
    }

    /** Returns a whole backward in two parts. */
    public Gradients gradients(Section section) {
        return gradients.computeIfAbsent(section, this::cutGradients);
    }

    private Gradients cutGradients(Section section) {
        Segment whole = backward(section);
        IntPredicate linear = at -> of(section).get(at) instanceof Linear;
        return new Gradients(
                whole.where(piece -> piece.portion() != Portion.WEIGHT_GRADIENT).with(linear, Portion.INPUT_GRADIENT),
                whole.where(piece -> linear.test(piece.at()) && piece.portion() != Portion.INPUT_GRADIENT)
                        .with(linear, Portion.WEIGHT_GRADIENT));
    }

    /** Returns the portion of an operator's whole backward; nothing before the embedding has a gradient. */
    private Portion whole(Section section, int at) {
        return section.equals(Section.EMBEDDING) && of(section).get(at) instanceof Linear
                ? Portion.WEIGHT_GRADIENT
                : Portion.ALL;
    }

    /**
     * Returns the recomputed part of a layer. The backward does not need the layer's last GEMM, so a framework may stop before it, and operator-wise
     * checkpointing does.
     */
    public Segment recompute(Section layer, Checkpointing checkpointing, boolean stopsEarly) {
        Again key = new Again(layer, checkpointing, stopsEarly);
        Segment known = again.get(key);
        if (known == null) {
            known = cutAgain(layer, checkpointing, stopsEarly);
            again.put(key, known);
        }
        return known;
    }

    private Segment cutAgain(Section layer, Checkpointing checkpointing, boolean stopsEarly) {
        Segment forward = forward(layer);
        Segment whole = new Segment(layer, Direction.RECOMPUTE, forward.pieces())
                .where(piece -> !(of(layer).get(piece.at()) instanceof Loss));
        int last = operators.kinds().get(layer.kind()).neededUntil();
        return switch (checkpointing) {
            case NONE -> whole.where(piece -> false);
            case SELECTIVE ->
                whole.of(whole.pieces().stream()
                        .flatMap(piece -> modules(layer, piece))
                        .toList());
            case OPERATOR ->
                new Segment(layer, Direction.RECOMPUTE_NOT_KEPT, whole.pieces())
                        .with(attends(layer), Portion.HEADS)
                        .where(piece -> piece.at() < last);
            case FULL -> whole.where(piece -> !stopsEarly || piece.at() < last);
        };
    }

    /** Returns the portion of an operator that runs again; of attention, the recomputed parts. */
    private Stream<Piece> modules(Section layer, Piece piece) {
        Operator operator = of(layer).get(piece.at());
        boolean heads = operator instanceof Attention && recomputed.runs(Recomputed.HEADS);
        boolean rest = recomputed.runs(operator.name());
        Portion ofBoth = operator instanceof Attention && !heads ? Portion.CORE : Portion.ALL;
        return heads || rest ? Stream.of(new Piece(piece.at(), rest ? ofBoth : Portion.HEADS)) : Stream.of();
    }

    /** Returns whether a segment contains a linear map whose result tensor parallelism reduces, or that of experts. */
    public boolean hasLast(Segment segment) {
        return segment.pieces().stream()
                .anyMatch(piece -> isLinear(segment.section(), Split.INPUTS).test(piece.at()));
    }

    /** Returns a layer's blocks, in computing order. */
    public List<Segment> blocks(Segment layer) {
        return blocks.computeIfAbsent(layer, this::cutBlocks);
    }

    private List<Segment> cutBlocks(Segment layer) {
        List<Segment> cut = new ArrayList<>();
        int end = 0;
        for (Block block : operators.blocks(layer.section())) {
            int first = end;
            int next = first + block.operators().size();
            cut.add(layer.where(piece -> piece.at() >= first && piece.at() < next));
            end = next;
        }
        if (layer.direction().isBackward()) {
            Collections.reverse(cut);
        }
        return List.copyOf(cut);
    }

    /** Returns the block of the model that a block of a layer belongs to. */
    public Block home(Segment block) {
        return homes.computeIfAbsent(block, this::findHome);
    }

    private Block findHome(Segment block) {
        int left = block.pieces().isEmpty() ? 0 : block.pieces().get(0).at();
        for (Block each : operators.blocks(block.section())) {
            left -= each.operators().size();
            if (left < 0) {
                return each;
            }
        }
        throw new IllegalStateException("no block of " + block.section());
    }

    /** Splits a block into GEMMs that overlap with the communication before and after it. */
    public Exchanging exchanging(Segment block) {
        return exchanging.computeIfAbsent(block, this::cutExchanging);
    }

    private Exchanging cutExchanging(Segment block) {
        IntPredicate splits = isLinear(block.section(), Split.OUTPUTS);
        IntPredicate addsUp = isLinear(block.section(), Split.INPUTS);
        if (block.direction().isBackward()) {
            Exchanging besideWeights = besideWeights(block);
            return new Exchanging(
                    block.only(addsUp, Portion.OTHER_ROWS),
                    besideWeights.alone().with(addsUp, Portion.OWN_ROWS),
                    besideWeights.exit());
        }
        return new Exchanging(
                block.only(splits, Portion.OTHER_ROWS),
                block.with(splits.or(addsUp), Portion.OWN_ROWS),
                block.only(addsUp, Portion.OTHER_ROWS));
    }

    /**
     * Splits a block's backward so that nothing overlaps with the communication before it, and the wgrad of its first weights with the communication
     * after it.
     */
    public Exchanging besideWeights(Segment block) {
        return besideWeights.computeIfAbsent(block, this::cutBesideWeights);
    }

    private Exchanging cutBesideWeights(Segment block) {
        return new Exchanging(
                block.where(piece -> false),
                block.where(piece -> piece.portion() != Portion.WEIGHT_GRADIENT),
                block.where(piece -> piece.portion() == Portion.WEIGHT_GRADIENT));
    }

    /** Returns whether it computes attention scores. */
    public boolean hasAttention(Segment segment) {
        return segment.section().isLayer()
                && segment.pieces().stream().anyMatch(piece -> attends(segment.section(), piece));
    }

    /** Splits a segment that {@link #hasAttention has attention}. */
    public Attending attending(Segment segment) {
        return attending.computeIfAbsent(segment, this::cutAttending);
    }

    private Attending cutAttending(Segment segment) {
        List<Piece> pieces = segment.pieces();
        int at = 0;
        while (!attends(segment.section(), pieces.get(at))) {
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

    /** Returns whether it routes tokens to experts. */
    public boolean hasExperts(Segment segment) {
        return segment.pieces().stream().anyMatch(piece -> isOfExperts(segment.section(), piece));
    }

    /** Splits a segment that {@link #hasExperts has experts}. */
    public Routing routing(Segment segment) {
        return routing.computeIfAbsent(segment, this::cutRouting);
    }

    private Routing cutRouting(Segment segment) {
        List<Piece> before = new ArrayList<>();
        List<Piece> experts = new ArrayList<>();
        List<Piece> after = new ArrayList<>();
        for (Piece piece : segment.pieces()) {
            if (isOfExperts(segment.section(), piece)) {
                experts.add(piece);
            } else {
                (experts.isEmpty() ? before : after).add(piece);
            }
        }
        return new Routing(segment.of(before), segment.of(experts), segment.of(after));
    }

    private boolean isOfExperts(Section section, Piece piece) {
        return of(section).get(piece.at()).isOfExperts();
    }

    /** Returns the number of projections that its operators consume. */
    public int projections(Segment segment) {
        List<Operator> section = of(segment.section());
        return segment.pieces().stream()
                .mapToInt(piece -> section.get(piece.at()).projections())
                .sum();
    }

    private List<Operator> of(Section section) {
        return sections.computeIfAbsent(section, operators::of);
    }

    private boolean attends(Section section, Piece piece) {
        return attends(section).test(piece.at()) && piece.portion() != Portion.HEADS;
    }

    private IntPredicate attends(Section section) {
        List<Operator> all = of(section);
        return at -> all.get(at) instanceof Attention;
    }

    private IntPredicate isLinear(Section section, Split split) {
        List<Operator> all = of(section);
        return at -> all.get(at) instanceof Linear linear && linear.split() == split;
    }
}
