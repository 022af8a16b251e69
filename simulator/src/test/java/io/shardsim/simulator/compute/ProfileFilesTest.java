package io.shardsim.simulator.compute;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.catalog.Figure;
import io.shardsim.simulator.catalog.FigureFile;
import io.shardsim.simulator.catalog.FigureFolder;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProfileFilesTest {

    @Test
    void everyFigureOfEveryFileHasASource() {
        for (FigureFolder folder : ProfileFiles.folders().values()) {
            assertThat(folder.names()).isNotEmpty();
            for (String name : folder.names()) {
                assertThat(folder.figures(name))
                        .as(name)
                        .isNotEmpty()
                        .allMatch(figure -> figure.source().length() > 10);
            }
        }
    }

    /** A profile in FP8 is another profile with a recipe on top, and nothing else. */
    @ParameterizedTest
    @CsvSource({
        "torchtitan-float8, torchtitan-compile, tensorwise",
        "transformer-engine-fp8, transformer-engine, delayed"
    })
    void aProfileInFp8IsAnotherOneUnderARecipe(String name, String base, String recipe) {
        Map<String, Object> expected = new TreeMap<>(values(ProfileFiles.merged(base)));
        expected.put("precision", "fp8");
        assertThat(new TreeMap<>(values(ProfileFiles.merged(name)))).isEqualTo(expected);
        FrameworkProfile eight = FrameworkProfile.named(base).inFp8();
        for (FrameworkProfile.Operator operator : FrameworkProfile.Operator.values()) {
            assertThat(FrameworkProfile.named(name).cost(operator)).isEqualTo(eight.cost(operator));
        }
        assertThat(FrameworkProfile.named(name).fp8Recipe()).isEqualTo(recipe);
        assertThat(FrameworkProfile.named(base).fp8Recipe()).isNull();
        assertThat(FrameworkProfile.named("eager").inFp8().eightBitProducts())
                .as("ships no recipe")
                .isFalse();
    }

    private static Map<String, Object> values(FigureFile file) {
        Map<String, Object> values = new TreeMap<>();
        for (Figure figure : file.figures().values()) {
            values.put(figure.key(), figure.value());
        }
        return values;
    }

    /** A profile's own values override its compiler's, and those override the modules'. */
    @Test
    void theNearestFileSaysIt() {
        FigureFile titan = ProfileFiles.merged("torchtitan-compile");
        assertThat(titan.figures().get("rotary_forward").source()).contains("torchtitan");
        assertThat(titan.figures().get("norm_forward").source()).contains("TorchInductor");
        assertThat(titan.figures().get("softmax_forward").source()).contains("Megatron-LM");
        assertThat(titan.figures().get("score_dropout_forward").source()).contains("eager");
        assertThat(titan.figures().get("optimizer").source()).contains("adamw.py");
    }
}
