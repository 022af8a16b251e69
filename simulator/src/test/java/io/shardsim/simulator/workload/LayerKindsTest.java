package io.shardsim.simulator.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.workload.Linear.Product;
import io.shardsim.simulator.workload.Linear.Split;
import io.shardsim.simulator.workload.Segment.Section;
import java.util.List;
import org.junit.jupiter.api.Test;

class LayerKindsTest {
    private static final LayerKind TWO = new LayerKind(List.of(block("a"), block("b")));
    private static final LayerKind THREE = new LayerKind(List.of(block("a"), block("b"), block("c")));

    private static Block block(String name) {
        return new Block(List.of(
                new Norm(name + "_norm", 64, true),
                new Linear(new Product(name, 64, 64, false), Split.INPUTS),
                new Residual(64, false)));
    }

    private static Transformer alternating() {
        return new Transformer(
                List.of(),
                List.of(new Stretch(TWO, 1), new Stretch(THREE, 2), new Stretch(TWO, 1), new Stretch(THREE, 2)),
                List.of());
    }

    @Test
    void knowsEachKindOnce() {
        assertThat(alternating().kinds()).containsExactly(TWO, THREE);
        assertThat(alternating().kindsOfLayers()).containsExactly(0, 1, 1, 0, 1, 1);
    }

    @Test
    void cutsAsManyBlocksAsAKindHas() {
        Segments segments = new Segments(alternating());
        assertThat(segments.blocks(segments.forward(Section.layer(0)))).hasSize(2);
        Segment forward = segments.forward(Section.layer(1));
        assertThat(segments.blocks(forward)).hasSize(3);
        assertThat(segments.blocks(forward).stream().flatMap(block -> block.pieces().stream()))
                .containsExactlyElementsOf(forward.pieces());
    }

    @Test
    void goesBackThroughTheBlocksInTheOtherOrder() {
        Segments segments = new Segments(alternating());
        List<Segment> blocks = segments.blocks(segments.backward(Section.layer(1)));
        assertThat(blocks).hasSize(3);
        assertThat(blocks.get(0).pieces()).allMatch(piece -> piece.at() >= 6);
        assertThat(blocks.get(2).pieces()).allMatch(piece -> piece.at() < 3);
    }

    @Test
    void tellsSegmentsOfTwoKindsApart() {
        Segments segments = new Segments(alternating());
        assertThat(segments.forward(Section.layer(0))).isNotEqualTo(segments.forward(Section.layer(1)));
        assertThat(segments.forward(Section.layer(1))).isSameAs(segments.forward(Section.layer(1)));
    }
}
