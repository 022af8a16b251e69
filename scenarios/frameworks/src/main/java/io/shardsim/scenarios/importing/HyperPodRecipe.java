package io.shardsim.scenarios.importing;

import io.shardsim.scenarios.catalog.Catalog;

/** A SageMaker HyperPod recipe: names its model or describes it with Hugging Face's keys, and trains with FSDP. */
final class HyperPodRecipe extends RenamedConfig {
    private static final String TRAINER = "run.model_type";

    HyperPodRecipe() {
        super("hyperpod", null);
    }

    @Override
    public void contribute(ForeignFile file, Draft draft) {
        String trainer = file.text(TRAINER);
        if (trainer != null && !trainer.matches("hf|llm_finetuning_aws")) {
            file.refuse(
                    TRAINER,
                    TRAINER + " " + trainer + " recipes are not read, only those of hf and llm_finetuning_aws. "
                            + "Pass the trainer's own configuration instead");
            // Avoids a second problem about a missing model.
            draft.assume(Draft.HUB_NAME, trainer, "of a trainer that is not supported");
            return;
        }
        boolean second = file.hasBlock("training_config");
        if (file.has("hidden_size")) {
            new HuggingFaceModel().contribute(file, draft);
        } else {
            draft.giveText(file, "model.hf_model_name_or_path", Draft.HUB_NAME);
            HuggingFaceModel.give(file, draft, "attn_implementation");
        }
        for (String type : file.words("instance_types")) {
            String name = type.replaceFirst("^ml\\.", "");
            if (Catalog.instance(name) != null) {
                draft.assume(Draft.INSTANCE, name, "the first of instance_types; --instance NAME changes it");
            }
        }
        FsdpSettings.in(second ? "training_config.training_args.strategy.fsdp_config." : "model.", file, draft)
                .contribute(null, null);
        if ("fsdp-hybrid".equals(draft.text(Draft.KIND))) {
            draft.giveWhole(file, "model.shard_degree", "strategy.shard_group", 1, 65_536);
        } else {
            file.judge("model.shard_degree", Verdict.IRRELEVANT, "read with hybrid_shard only");
        }
        if (!file.flag("model.offload_activations", false)) {
            file.judge("model.activation_loading_horizon", Verdict.IRRELEVANT, "offload_activations is not true");
            draft.remove("strategy.activation_loading_horizon");
        }
        contributeFormat(file, draft);
        OptimizerName.contribute(file, draft, "optimizer", null);
        if (file.has("model.peft.peft_type") || file.has("lora_r") && second) {
            AdapterSettings.contributeHyperPod(file, draft);
        } else {
            file.ignore("model.peft.", "all weights are trained");
        }
        super.contribute(file, draft);
    }

    /** FP8 comes from the model parallel library. */
    private static void contributeFormat(ForeignFile file, Draft draft) {
        if (!file.flag("use_smp_model", false)) {
            file.ignore("model.fp8", "use_smp_model is not true");
        } else if (file.flag("model.fp8", true)) {
            draft.giveOr(Draft.PROFILE, "transformer-engine-fp8", file.key("model.fp8"), "the library's default, FP8");
        }
    }
}
