package io.shardsim.scenarios.importing;

import io.shardsim.scenarios.catalog.Catalog;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A torchtune recipe; the distributed recipes run FSDP2. */
final class TorchtuneRecipe implements Importer {
    private static final String COMPONENT = "model._component_";

    /** Last part of a builder's name, such as qlora_llama3_1_8b. */
    private static final Pattern BUILDER =
            Pattern.compile(".*?\\.(?:(q?lora)_)?([a-z]+?)_?(\\d*)(?:_(\\d+))?_(\\d+b)(?:_(?:instruct|base))?");

    @Override
    public String table() {
        return "torchtune";
    }

    @Override
    public void contribute(ForeignFile file, Draft draft) {
        contributeModel(file, draft);
        OptimizerName.contribute(file, draft, "optimizer._component_", file.decimal("optimizer.momentum", 0, 1));
    }

    private static void contributeModel(ForeignFile file, Draft draft) {
        String builder = file.text(COMPONENT);
        ForeignKey key = file.key(COMPONENT);
        if (builder == null || key == null) {
            return;
        }
        Matcher named = BUILDER.matcher(builder);
        if (!named.matches()) {
            draft.give(Draft.HUB_NAME, builder, key);
            return;
        }
        String release = named.group(3) + (named.group(4) == null ? "" : "." + named.group(4));
        String name = String.join("-", named.group(2), release, named.group(5)).replace("--", "-");
        draft.give(Draft.HUB_NAME, Catalog.modelName(name) == null ? name.replaceFirst("-(?=\\d+-)", "") : name, key);
        if (named.group(1) == null) {
            file.ignore("model.lora_", "all weights are trained");
            return;
        }
        draft.giveWhole(file, "model.lora_rank", "lora.r", 1, 65_536);
        List<String> modules = new ArrayList<>(file.words("model.lora_attn_modules").stream()
                .map(module -> module.equals("output_proj") ? "o_proj" : module)
                .toList());
        if (file.flag("model.apply_lora_to_mlp", false)) {
            modules.addAll(List.of("gate_proj", "up_proj", "down_proj"));
        }
        draft.give(
                "lora.target_modules",
                modules.isEmpty() ? null : List.copyOf(modules),
                file.key("model.lora_attn_modules"));
        draft.give("lora.frozen_bits", named.group(1).equals("qlora") ? 4L : null, key);
    }
}
