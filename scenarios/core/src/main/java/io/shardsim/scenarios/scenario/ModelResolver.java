package io.shardsim.scenarios.scenario;

import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.CatalogEntry;
import io.shardsim.scenarios.catalog.ModelKeys;
import io.shardsim.simulator.NearestNumbers;
import io.shardsim.simulator.catalog.Figure;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.workload.Adapters;
import io.shardsim.simulator.workload.Decoder;
import io.shardsim.simulator.workload.Image;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.yaml.Problems;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Resolves the {@code model} block, a catalog name or a shape, and the {@code lora} block. */
final class ModelResolver {
    private final Block file;
    private final List<Figure> figures;
    private final Problems problems;

    ModelResolver(Block file, List<Figure> figures, Problems problems) {
        this.file = file;
        this.figures = figures;
        this.problems = problems;
    }

    /** Returns the model, or null after a problem. */
    @Nullable
    ModelShape resolve(int sequenceLength) {
        ModelShape whole = ofSamples(whole(sequenceLength), sequenceLength);
        Block lora = file.block("lora");
        return whole == null || lora == null ? whole : adapted(whole, lora);
    }

    /** Returns the model with its decoder's length set from {@code decoder_length}, by default the sequence length. */
    private @Nullable ModelShape ofSamples(@Nullable ModelShape whole, int sequenceLength) {
        Block training = file.block("training");
        if (whole == null || training == null) {
            return whole;
        }
        Decoder decoder = whole.decoder();
        Long tokens = training.whole("decoder_length");
        if (decoder.isPresent()) {
            int own = tokens == null ? sequenceLength : Math.toIntExact(tokens);
            return whole.withDecoder(new Decoder(decoder.layers(), own, decoder.positionRanges()));
        }
        if (tokens != null) {
            problems.add(
                    training.at("decoder_length"),
                    "decoder_length " + tokens + " needs an encoder-decoder model; remove it");
        }
        return whole;
    }

    private @Nullable ModelShape adapted(ModelShape whole, Block lora) {
        Long rank = lora.whole("r");
        List<String> modules = lora.list("target_modules");
        if (rank == null || modules.isEmpty() || lora.has("frozen_bits") && lora.whole("frozen_bits") == null) {
            return null;
        }
        int bits = Math.toIntExact(lora.whole("frozen_bits", 16));
        if (!Adapters.BITS.contains(bits)) {
            return problems.refuse(
                    lora.at("frozen_bits"), "frozen_bits " + bits + " is not modelled; write 16, 8 or 4");
        }
        List<String> known = Adapters.modulesOf(whole);
        if (known.isEmpty()) {
            return problems.refuse(file.at("lora"), "lora needs a model with attention; remove lora");
        }
        for (String module : modules) {
            boolean inExperts = module.equals(Adapters.ALL) && whole.mixture().isPresent();
            if (inExperts || !module.equals(Adapters.ALL) && !known.contains(module)) {
                return problems.refuse(
                        lora.at("target_modules"),
                        "target_modules " + module
                                + (inExperts
                                        ? " means LoRA adapters in experts, which are not modelled"
                                        : " is not in this model")
                                + "; write one or more of " + String.join(", ", known));
            }
        }
        return whole.withAdapters(new Adapters(Math.toIntExact(rank), modules, bits));
    }

    private @Nullable ModelShape whole(int sequenceLength) {
        Object value = file.value("model");
        if (value instanceof Block inline) {
            return inlineModel(inline, sequenceLength);
        }
        if (!(value instanceof String name)) {
            return null;
        }
        CatalogEntry<ModelShape> entry = Catalog.model(name);
        if (entry == null) {
            return problems.refuse(
                    file.at("model"), "model " + name + " is not in the catalog; " + Catalog.modelRemedy(name));
        }
        ScenarioReader.addFigures(entry, figures);
        return entry.spec();
    }

    private @Nullable ModelShape inlineModel(Block inline, int sequenceLength) {
        Long hidden = inline.whole("hidden");
        Long heads = inline.whole("heads");
        boolean read = inline.entries().keySet().stream().allMatch(key -> inline.value(key) != null);
        if (hidden == null
                || heads == null
                || inline.whole("layers") == null
                || inline.whole("vocab") == null
                || !read) {
            return null;
        }
        long kvHeads = inline.whole("kv_heads", heads);
        boolean divides = true;
        if (inline.value("head_dim") == null && hidden % heads != 0) {
            divides = false;
            problems.add(
                    inline.at("heads"),
                    "heads " + heads + " does not divide hidden " + hidden + "; give head_dim, or "
                            + NearestNumbers.divisors(hidden, heads));
        }
        if (heads % kvHeads != 0) {
            divides = false;
            problems.add(
                    inline.at("kv_heads"),
                    "kv_heads " + kvHeads + " does not divide heads " + heads + "; "
                            + NearestNumbers.divisors(heads, kvHeads));
        }
        int before = problems.size();
        boolean gated = inline.flag("gated_ffn", false);
        if (!gated && inline.flag("qk_norm", false)) {
            problems.add(inline.at("qk_norm"), "qk_norm true needs gated_ffn true; set it, or remove qk_norm");
        }
        long modules = inline.whole("mtp_layers", 0);
        if (!gated && modules > 0) {
            problems.add(
                    inline.at("mtp_layers"),
                    "mtp_layers " + modules + " needs gated_ffn true; set it, or remove mtp_layers");
        }
        Long experts = inline.whole("experts");
        if (!gated && experts != null) {
            problems.add(
                    inline.at("experts"), "experts " + experts + " needs gated_ffn true; set it, or remove experts");
        }
        long perToken = inline.whole("experts_per_token", 2);
        if (experts != null && perToken > experts) {
            problems.add(
                    inline.at("experts_per_token"),
                    "experts_per_token " + perToken + " is more than experts " + experts + "; set at most " + experts);
        }
        ModelKeys.BESIDE.forEach((needed, keys) -> {
            for (String key : keys) {
                if (inline.value(needed) == null && inline.value(key) != null) {
                    problems.add(inline.at(key), key + " needs " + needed + "; give it, or remove " + key);
                }
            }
        });
        if (gated && inline.value("masked_lm") != null) {
            problems.add(
                    inline.at("masked_lm"),
                    "masked_lm " + inline.decimal("masked_lm", 0)
                            + " needs gated_ffn false; remove gated_ffn or masked_lm");
        }
        for (String key : List.of("experts", "kv_lora_rank", "masked_lm", "mtp_layers", "qk_norm", "sliding_window")) {
            if (inline.value("decoder_layers") != null && inline.value(key) != null) {
                problems.add(inline.at(key), key + " beside decoder_layers is not modelled; remove one of them");
            }
        }
        checkImage(inline);
        Long window = inline.whole("sliding_window");
        if (window != null && (!gated || inline.value("kv_lora_rank") != null)) {
            problems.add(
                    inline.at("sliding_window"),
                    "sliding_window " + window + " needs gated_ffn true and no kv_lora_rank; remove sliding_window");
        }
        Long latent = inline.whole("kv_lora_rank");
        if (!gated && latent != null) {
            problems.add(
                    inline.at("kv_lora_rank"),
                    "kv_lora_rank " + latent + " needs gated_ffn true; set it, or remove kv_lora_rank");
        }
        long width = inline.whole("head_dim", hidden / heads);
        long turned = inline.whole("qk_rope_head_dim", 64);
        if (latent != null && turned >= width) {
            problems.add(
                    inline.at("kv_lora_rank"),
                    "qk_rope_head_dim " + turned + " is not less than head_dim " + width
                            + ", which includes it; set head_dim to qk_nope_head_dim + qk_rope_head_dim");
        }
        return divides && problems.size() == before ? ModelKeys.shape(inline, sequenceLength) : null;
    }

    private void checkImage(Block inline) {
        Image image = ModelKeys.image(inline);
        if (!image.isPresent()) {
            if (inline.value("image_size") != null) {
                problems.add(
                        inline.at("image_size"),
                        "image_size needs patch_size or stages; give one, or remove image_size");
            }
            return;
        }
        String key = image.isConvolved() ? "stages" : "patch_size";
        if (image.isConvolved()) {
            checkStages(inline, image);
        } else if (image.size() % image.patch() != 0) {
            problems.add(
                    inline.at(key),
                    "patch_size " + image.patch() + " does not divide image_size " + image.size() + "; "
                            + NearestNumbers.divisors(image.size(), image.patch()));
        }
        List<String> others =
                new ArrayList<>(List.of("gated_ffn", "tied_embeddings", "experts", "masked_lm", "decoder_layers"));
        if (image.isConvolved()) {
            others.addAll(List.of("patch_size", "kv_heads", "head_dim", "max_positions"));
        }
        for (String other : others) {
            if (inline.value(other) != null && !Boolean.FALSE.equals(inline.value(other))) {
                problems.add(inline.at(other), other + " beside " + key + " is not modelled; remove one of them");
            }
        }
    }

    /** Checks a residual network: its layers, and widths and sides that halve from stage to stage. */
    private void checkStages(Block inline, Image image) {
        long layers = inline.whole("layers", 1);
        if (layers != image.layers()) {
            problems.add(
                    inline.at("layers"),
                    "layers " + layers + " is not 1 + the blocks of stages " + image.stages() + "; write "
                            + image.layers());
        }
        if (inline.whole("heads", 1) != 1) {
            problems.add(inline.at("heads"), "heads " + inline.whole("heads", 1) + " beside stages; write 1");
        }
        checkHalves(inline, "image_size", image.size(), 1L << image.stages().size() + 1);
        checkHalves(
                inline,
                "hidden",
                inline.whole("hidden", 1),
                1L << image.stages().size() + 1);
        checkHalves(inline, "ffn", ModelKeys.ffn(inline), 1L << image.stages().size() - 1);
    }

    private void checkHalves(Block inline, String key, long value, long halves) {
        if (value % halves != 0) {
            problems.add(
                    inline.at(inline.value(key) == null ? "stages" : key),
                    key + " " + value + " is not a multiple of " + halves + ", which its stages halve it by; "
                            + NearestNumbers.multiples(halves, value));
        }
    }
}
