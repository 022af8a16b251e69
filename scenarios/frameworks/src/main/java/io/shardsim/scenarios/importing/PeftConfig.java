package io.shardsim.scenarios.importing;

/** The adapter_config.json of Hugging Face PEFT. */
final class PeftConfig implements Importer {
    @Override
    public String table() {
        return "peft";
    }

    @Override
    public void contribute(ForeignFile file, Draft draft) {
        AdapterSettings.contributePeft(file, draft);
        draft.give(Draft.HUB_NAME, file.text("base_model_name_or_path"), file.key("base_model_name_or_path"));
    }
}
