package io.shardsim.simulator.strategy;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.strategy.ModuleTrace.Phase;
import io.shardsim.simulator.strategy.ModuleTrace.Segment;
import io.shardsim.simulator.strategy.ModuleTrace.Visit;
import io.shardsim.simulator.workload.ModelShape;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Modules of transformers 4.34 (modeling_gpt2.py, modeling_llama.py). */
class ModuleTraceTest {

    /** One letter per visit: the number of tensors of a module, or a dot for a module without tensors. */
    private static String layerForward(ModelShape model) {
        ModuleTrace trace = ModuleTrace.of(JobBuilder.job(model).build());
        Segment layer = trace.segments().stream()
                .filter(segment -> segment.phase() == Phase.LAYER_FORWARD)
                .findFirst()
                .orElseThrow();
        List<Visit> visits = trace.visits().subList(layer.firstVisit(), layer.endVisit());
        StringBuilder letters = new StringBuilder();
        visits.forEach(visit -> letters.append(visit.tensors().length == 0 ? "." : visit.tensors().length));
        return letters.toString();
    }

    /** The attention, its dropout, the dropout after it, the FFN, GELU, and the dropout after that. */
    @Test
    void eachModuleOfGpt2WithParametersIsFollowedByOneWithout() {
        assertThat(layerForward(ModelShape.gpt2(512, 2, 8, 1000, 128))).isEqualTo("2.2.2.2.2.2.");
    }

    /** Norm and the attention; query, key, value and rotary positions; output; norm and the FFN; gate and SiLU; up; down and the next layer. */
    @Test
    void modulesOfLlamaRunInTheOrderOfItsForward() {
        assertThat(layerForward(ModelShape.llama(512, 2, 8, 1024, 1000, 8))).isEqualTo("1.111.11.1.11.");
    }
}
