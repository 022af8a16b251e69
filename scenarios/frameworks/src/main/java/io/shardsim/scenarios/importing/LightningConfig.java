package io.shardsim.scenarios.importing;

import io.shardsim.scenarios.importing.Fact.Rank;
import io.shardsim.simulator.yaml.YamlNode.Sequence;
import java.util.Locale;

/** A LightningCLI file: the trainer's parallelism; the model is a custom class. */
final class LightningConfig extends RenamedConfig {
    private static final String DEVICES = "trainer.devices";
    private static final String STRATEGY = "trainer.strategy";

    LightningConfig() {
        super("lightning", null);
    }

    @Override
    public void contribute(ForeignFile file, Draft draft) {
        contributeDevices(file, draft);
        for (ForeignKey each : file.keys()) {
            String why = each.path().endsWith("class_path") ? Known.whyNotModelled(each.text()) : null;
            if (why != null) {
                each.refuse(each.path() + " " + each.text() + " is not modelled: " + why);
            }
        }
        String key = file.has(STRATEGY + ".class_path") ? STRATEGY + ".class_path" : STRATEGY;
        String written = file.text(key);
        String name = written == null ? "auto" : written.substring(written.lastIndexOf('.') + 1);
        contributeStrategy(file, draft, key, name.toLowerCase(Locale.ROOT).replaceFirst("strategy$", ""));
        OptimizerName.contribute(file, draft, "optimizer", null);
        file.keys().stream()
                .filter(each -> each.path().matches("model\\..*(gradient|activation)_checkpointing"))
                .filter(each -> each.text().equalsIgnoreCase("true"))
                .forEach(each -> {
                    draft.give(Draft.CHECKPOINTING, "full", each);
                    each.judge(Verdict.MODELLED, Draft.CHECKPOINTING);
                });
        draft.assume(Draft.CHECKPOINTING, "none", "the trainer enables none; the module may enable it itself");
        super.contribute(file, draft);
    }

    /** A number of GPUs, a list of them, or all. */
    private static void contributeDevices(ForeignFile file, Draft draft) {
        ForeignKey key = file.key(DEVICES);
        if (key != null && !key.text().matches("auto|-1")) {
            boolean listed = key.value() instanceof Sequence || key.text().contains(",");
            Long count = listed ? Long.valueOf(file.words(DEVICES).size()) : file.whole(DEVICES, 1, 64);
            draft.give(Draft.GPUS_PER_NODE, count, key);
        }
    }

    private static void contributeStrategy(ForeignFile file, Draft draft, String key, String name) {
        if (name.startsWith("fsdp")) {
            FsdpSettings.in(STRATEGY + ".init_args.", file, draft).contribute(null, null);
            file.judge(key, Verdict.APPROXIMATED, "strategy.kind; each layer is a unit, as with auto_wrap_policy");
        } else if (name.startsWith("deepspeed")) {
            Long stage = file.whole("stage", 0, 3);
            draft.give(Draft.KIND, MegatronArguments.STAGES.get(stage == null ? 2 : stage.intValue()), file.key(key));
            if ("bf16_pure".equals(draft.text(Draft.PRECISION))) {
                // DeepSpeed updates FP32 weights whatever precision the trainer computes in.
                draft.settle(Draft.PRECISION, new Fact("bf16", Rank.GIVEN, file.key("trainer.precision"), ""));
            }
        } else if (name.matches("ddp(_.*|spawn)?|auto|single_?device")) {
            draft.giveOr(Draft.KIND, "ddp", file.key(key), "Lightning's default on several GPUs");
        } else {
            String why = "of Lightning's strategies, only DDP, FSDP and DeepSpeed are read; write strategy.kind";
            file.judge(key, Verdict.DECIDES_THE_ANSWER, why);
        }
    }
}
