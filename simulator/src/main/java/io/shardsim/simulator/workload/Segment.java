package io.shardsim.simulator.workload;

import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/**
 * What a rank computes at once of a model's operators, in one direction. {@link Segments} cuts a layer into them wherever ranks exchange something.
 *
 * @param section the list that the operators are of
 * @param pieces in the order in which they are computed
 */
public record Segment(Section section, Direction direction, List<Piece> pieces) {

    /**
     * A list of operators that {@link Transformer} has.
     *
     * @param kind which kind of layer, from 0; 0 for embedding and head
     */
    public record Section(Place place, int kind) {
        public static final Section EMBEDDING = new Section(Place.EMBEDDING, 0);
        /** Layers of the first kind; most models have no other. */
        public static final Section LAYER = layer(0);

        public static final Section HEAD = new Section(Place.HEAD, 0);

        /** Where it is among the others. */
        public enum Place {
            EMBEDDING,
            LAYER,
            HEAD
        }

        /** Layers of a kind. */
        public static Section layer(int kind) {
            return new Section(Place.LAYER, kind);
        }

        public boolean isLayer() {
            return place == Place.LAYER;
        }
    }

    /** Which way a model is gone through. */
    public enum Direction {
        FORWARD,
        /** Forward again, before backward. */
        RECOMPUTE,
        /** The same, but for the products whose results {@link Checkpointing#OPERATOR} keeps. */
        RECOMPUTE_NOT_KEPT,
        BACKWARD;

        public boolean isBackward() {
            return this == BACKWARD;
        }
    }

    /** How much of an operator. */
    public enum Portion {
        /** All of it in that direction. */
        ALL,
        /** Of a linear map, with products in as many pieces as the tensor-parallel group has ranks, the piece that has no exchange beside it, and what no piece has. */
        OWN_ROWS,
        /** The other pieces; in backward those of its input's gradient. */
        OTHER_ROWS,
        /** Of a linear map's backward, the gradient of its input. */
        INPUT_GRADIENT,
        /** Of a linear map's backward, the gradients of its weights, for which nothing in the layer waits. */
        WEIGHT_GRADIENT,
        /** Of attention, what makes heads of its input. */
        HEADS,
        /** Of attention, all from scores to values. */
        CORE,
        /** The same over the keys and values of one rank of a context-parallel group. */
        STEP
    }

    /**
     * An operator, or some of it.
     *
     * @param at place of the operator in its list
     */
    public record Piece(int at, Portion portion) {}

    public Segment {
        pieces = List.copyOf(pieces);
    }

    /** Cheap: plans ask for it with every operation, and segments of equal length in one direction are few. */
    @Override
    public int hashCode() {
        return 31 * (31 * (31 * section.kind() + section.place().ordinal()) + direction.ordinal()) + pieces.size();
    }

    Segment of(List<Piece> others) {
        return new Segment(section, direction, others);
    }

    Segment where(Predicate<Piece> wanted) {
        return of(pieces.stream().filter(wanted).toList());
    }

    /** That portion alone of those operators that it has. */
    Segment only(IntPredicate operators, Portion portion) {
        return where(piece -> operators.test(piece.at())).with(operators, portion);
    }

    /** All it has, but of those operators that portion. */
    Segment with(IntPredicate operators, Portion portion) {
        return of(pieces.stream()
                .map(piece -> operators.test(piece.at()) ? new Piece(piece.at(), portion) : piece)
                .toList());
    }
}
