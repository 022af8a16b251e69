package io.shardsim.simulator.workload;

import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/**
 * Part of a model's operators that a rank computes without communication, in one direction. {@link Segments} cuts a layer into segments wherever
 * ranks communicate.
 *
 * @param section section of the operators
 * @param pieces pieces in computing order
 */
public record Segment(Section section, Direction direction, List<Piece> pieces) {

    /**
     * Names one of a {@link Transformer}'s operator lists: the embedding, a kind of layer, or the head.
     *
     * @param kind index of the kind of layer, from 0; 0 for embedding and head
     */
    public record Section(Place place, int kind) {
        public static final Section EMBEDDING = new Section(Place.EMBEDDING, 0);
        /** Layers of the first kind; most models only have this one. */
        public static final Section LAYER = layer(0);

        public static final Section HEAD = new Section(Place.HEAD, 0);

        /** Position of a section in the model. */
        public enum Place {
            EMBEDDING,
            LAYER,
            HEAD
        }

        /** Returns the section of a kind of layer. */
        public static Section layer(int kind) {
            return new Section(Place.LAYER, kind);
        }

        public boolean isLayer() {
            return place == Place.LAYER;
        }
    }

    /** Direction of a pass through the model. */
    public enum Direction {
        FORWARD,
        /** Repeated forward, before backward. */
        RECOMPUTE,
        /** Repeated forward without the GEMMs whose results {@link Checkpointing#OPERATOR} saves. */
        RECOMPUTE_NOT_KEPT,
        BACKWARD;

        public boolean isBackward() {
            return this == BACKWARD;
        }
    }

    /** Portion of an operator. */
    public enum Portion {
        /** All of the operator in that direction. */
        ALL,
        /**
         * The piece of a linear map that overlaps with no communication, and everything not split, if the GEMMs are split into as many pieces as the
         * tensor-parallel group has ranks.
         */
        OWN_ROWS,
        /** The other pieces; in backward those of the dgrad GEMM. */
        OTHER_ROWS,
        /** The dgrad of a linear map. */
        INPUT_GRADIENT,
        /** The wgrad of a linear map, for which nothing in the layer waits. */
        WEIGHT_GRADIENT,
        /** The part of attention that creates heads from its input. */
        HEADS,
        /** The attention core, from scores to values. */
        CORE,
        /** Attention over the keys and values of one rank of a context-parallel group. */
        STEP
    }

    /**
     * Operator, or a portion of it.
     *
     * @param at index of the operator in its list
     */
    public record Piece(int at, Portion portion) {}

    public Segment {
        pieces = List.copyOf(pieces);
    }

    /** Computes a cheap hash: plans need it for every operation, and segments of equal length in one direction are few. */
    @Override
    public int hashCode() {
        return 31 * (31 * (31 * section.kind() + section.place().ordinal()) + direction.ordinal()) + pieces.size();
    }

    public Segment of(List<Piece> others) {
        return new Segment(section, direction, others);
    }

    Segment where(Predicate<Piece> wanted) {
        return of(pieces.stream().filter(wanted).toList());
    }

    /** Returns only this portion of the given operators. */
    Segment only(IntPredicate operators, Portion portion) {
        return where(piece -> operators.test(piece.at())).with(operators, portion);
    }

    /** Returns this segment with only that portion of the given operators. */
    Segment with(IntPredicate operators, Portion portion) {
        return of(pieces.stream()
                .map(piece -> operators.test(piece.at()) ? new Piece(piece.at(), portion) : piece)
                .toList());
    }
}
