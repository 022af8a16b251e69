package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.YamlNode.Mapping;

/** The adapter_config.json of Hugging Face's PEFT. */
final class PeftConfig implements Importer {
    @Override
    public String table() {
        return "peft";
    }

    @Override
    public int likeness(Mapping root, int known) {
        return Importers.marked(root, known, "peft_type");
    }

    @Override
    public void contribute(ForeignFile file, Draft draft) {
        AdapterSettings.contributePeft(file, draft);
        draft.give(Draft.HUB_NAME, file.text("base_model_name_or_path"), file.key("base_model_name_or_path"));
    }
}
