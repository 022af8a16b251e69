package io.shardsim.simulator.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.workload.ParameterTensor.DividedBy;
import java.util.List;
import org.junit.jupiter.api.Test;

class TransformerTest {
    private static final ModelShape GPT2 = ModelShape.gpt2(768, 12, 12, 50257, 1024);
    private static final ModelShape LLAMA = ModelShape.llama(8192, 80, 64, 28672, 32000, 8);

    private static List<String> names(List<ParameterTensor> tensors) {
        return tensors.stream().map(ParameterTensor::name).toList();
    }

    @Test
    void aLayerOfGpt2HoldsAWeightAndABiasOfEachNormAndLinearMap() {
        assertThat(names(GPT2.layerTensors(0)))
                .containsExactly(
                        "input_norm.weight",
                        "input_norm.bias",
                        "attention.qkv.weight",
                        "attention.qkv.bias",
                        "attention.output.weight",
                        "attention.output.bias",
                        "ffn_norm.weight",
                        "ffn_norm.bias",
                        "ffn.up.weight",
                        "ffn.up.bias",
                        "ffn.down.weight",
                        "ffn.down.bias");
        assertThat(names(GPT2.outputTensors())).containsExactly("final_norm.weight", "final_norm.bias");
    }

    @Test
    void aLayerOfLlamaHoldsNineWeights() {
        assertThat(names(LLAMA.layerTensors(0)))
                .containsExactly(
                        "input_norm.weight",
                        "attention.query.weight",
                        "attention.key.weight",
                        "attention.value.weight",
                        "attention.output.weight",
                        "ffn_norm.weight",
                        "ffn.gate.weight",
                        "ffn.up.weight",
                        "ffn.down.weight");
        assertThat(names(LLAMA.outputTensors())).containsExactly("final_norm.weight", "output.weight");
    }

    /** A bias that each tensor-parallel rank adds covers only its outputs; one added to their sum covers all outputs. */
    @Test
    void aBiasIsSplitAsTheOutputsAre() {
        assertThat(GPT2.layerTensors(0).stream()
                        .filter(tensor -> tensor.name().endsWith(".bias") && tensor.dividedBy() == DividedBy.TENSOR))
                .extracting(ParameterTensor::name)
                .containsExactly("attention.qkv.bias", "ffn.up.bias");
    }
}
