package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.YamlNode.Sequence;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A file of LightningCLI: how its trainer splits what a class of its own trains. */
final class LightningConfig extends RenamedConfig {
    private static final String DEVICES = "trainer.devices";
    private static final String STRATEGY = "trainer.strategy";
    private static final String ARGUMENTS = STRATEGY + ".init_args.";
    private static final String REPLICAS = ARGUMENTS + "data_parallel_size";
    private static final String POLICY = ARGUMENTS + "activation_checkpointing_policy";
    private static final Pattern DEEPSPEED = Pattern.compile("deepspeed(?:_stage_([1-3]))?(_offload)?");

    LightningConfig() {
        super("lightning", null);
    }

    @Override
    public void contribute(ForeignFile file, Draft draft) {
        contributeDevices(file, draft);
        String key = file.has(STRATEGY + ".class_path") ? STRATEGY + ".class_path" : STRATEGY;
        String written = file.text(key);
        String name = written == null ? "auto" : written.substring(written.lastIndexOf('.') + 1);
        contributeStrategy(file, draft, key, name.toLowerCase(Locale.ROOT).replaceFirst("strategy$", ""));
        OptimizerName.contribute(file, draft, "optimizer", null);
        draft.byDefault(Draft.PRECISION, "fp32", "Lightning's default, 32-true");
        draft.give(Draft.CHECKPOINTING, file.raw(POLICY) == null ? null : "full", file.raw(POLICY));
        file.keys().stream()
                .filter(each -> each.path().matches("model\\..*(gradient|activation)_checkpointing"))
                .filter(each -> each.text().equalsIgnoreCase("true"))
                .forEach(each -> {
                    draft.give(Draft.CHECKPOINTING, "full", each);
                    each.judge(Verdict.MODELLED, Draft.CHECKPOINTING);
                });
        draft.assume(Draft.CHECKPOINTING, "none", "the trainer asks for none; the module may do so by itself");
        super.contribute(file, draft);
    }

    /** A number, a list of GPUs, or all of them. */
    private static void contributeDevices(ForeignFile file, Draft draft) {
        ForeignKey key = file.key(DEVICES);
        if (key == null || key.text().matches("auto|-1")) {
            return;
        }
        boolean listed = key.value() instanceof Sequence || key.text().contains(",");
        draft.give(
                Draft.GPUS_PER_NODE,
                listed ? Long.valueOf(file.words(DEVICES).size()) : file.whole(DEVICES, 1, 64),
                key);
    }

    private static void contributeStrategy(ForeignFile file, Draft draft, String key, String name) {
        Matcher deepSpeed = DEEPSPEED.matcher(name);
        if (name.startsWith("fsdp")) {
            FsdpSettings.in(ARGUMENTS, file, draft).contribute(null, null);
            file.judge(
                    key,
                    Verdict.APPROXIMATED,
                    "strategy.kind; each layer is a unit, as with auto_wrap_policy or fully_shard");
        } else if (deepSpeed.matches()) {
            Long stage = file.whole("stage", 0, 3);
            String ofName = deepSpeed.group(1);
            int level = ofName != null ? Integer.parseInt(ofName) : stage == null ? 2 : stage.intValue();
            draft.give(Draft.KIND, MegatronArguments.STAGES.get(level), file.key(key));
            boolean offloads = deepSpeed.group(2) != null;
            draft.give("strategy.offload_optimizer", offloads ? true : null, file.key(key));
            draft.give("strategy.offload_parameters", offloads && level == 3 ? true : null, file.key(key));
        } else if (name.equals("modelparallel")) {
            draft.give(Draft.KIND, "fsdp2", file.key(key));
            if (file.has(REPLICAS) && !file.isAuto(REPLICAS)) {
                draft.giveMesh(file, List.of(REPLICAS, ARGUMENTS + "tensor_parallel_size"));
            }
            if (!file.has(ARGUMENTS + "tensor_parallel_size") || file.isAuto(ARGUMENTS + "tensor_parallel_size")) {
                file.judge(
                        key,
                        Verdict.DECIDES_THE_ANSWER,
                        "without tensor_parallel_size the GPUs of a node split each layer, which is not read; write it");
            }
        } else if (name.matches("ddp(_.*|spawn)?|auto|single_?device")) {
            draft.giveOr(Draft.KIND, "ddp", file.key(key), "Lightning's default on several GPUs");
        } else {
            file.judge(
                    key,
                    Verdict.DECIDES_THE_ANSWER,
                    "of Lightning's strategies DDP, FSDP, DeepSpeed and ModelParallel are simulated; write strategy.kind");
        }
    }
}
