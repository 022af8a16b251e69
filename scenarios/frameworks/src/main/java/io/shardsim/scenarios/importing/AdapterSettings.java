package io.shardsim.scenarios.importing;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Adapters and quantized weights in the arguments of LLaMA-Factory and TRL, and in PEFT's own file. */
final class AdapterSettings {
    private static final String RANK = "lora.r";
    private static final String MODULES = "lora.target_modules";
    private static final String BITS = "lora.frozen_bits";
    private static final List<String> RANK_KEYS = List.of("lora_rank", "lora_r", "r");
    private static final List<String> NESTED_KEYS =
            List.of("bnb_4bit_use_double_quant", "use_bnb_nested_quant", "double_quantization");
    private static final List<String> MODULE_KEYS = List.of("lora_target", "lora_target_modules", "target_modules");

    private AdapterSettings() {}

    /** Reads the arguments of a script. */
    static void contribute(ForeignFile file, Draft draft) {
        String type = file.text("finetuning_type");
        if ("full".equals(type) || Boolean.FALSE.equals(file.flag("use_peft"))) {
            file.keys().stream()
                    .filter(key -> key.path().matches("(lora|oft|peft|freeze)_.*"))
                    .forEach(key -> key.judge(Verdict.IRRELEVANT, "all weights are trained"));
            return;
        }
        boolean factory = type != null || file.has("lora_target") || file.has("cutoff_len") && file.has("stage");
        boolean asked = "lora".equals(type)
                || type == null && factory
                || file.flag("use_peft", false)
                || RANK_KEYS.stream().anyMatch(file::has)
                || MODULE_KEYS.stream().anyMatch(file::has);
        if (!asked || type != null && !type.equals("lora")) {
            return;
        }
        file.judge("finetuning_type", Verdict.MODELLED, "lora");
        file.judge("use_peft", Verdict.MODELLED, "lora");
        contributeAdapters(
                file,
                draft,
                factory ? new Defaults(8, List.of("all-linear"), "LLaMA-Factory's default") : Defaults.TRL);
        contributeBits(file, draft, factory);
    }

    /**
     * Defaults of a framework.
     *
     * @param why origin of the defaults
     */
    private record Defaults(long rank, List<String> modules, String why) {
        private static final Defaults TRL =
                new Defaults(16, List.of("q_proj", "v_proj"), "the default of TRL and, for Llama, of PEFT");
        private static final Defaults HYPERPOD =
                new Defaults(32, List.of("all-linear"), "the default of HyperPod's adapter for NeMo");
        private static final Defaults PEFT =
                new Defaults(8, List.of("q_proj", "v_proj"), "PEFT's default, of modules that for Llama");
    }

    /** Reads PEFT's own file. */
    static void contributePeft(ForeignFile file, Draft draft) {
        contributeAdapters(file, draft, Defaults.PEFT);
    }

    /** Reads an axolotl file. */
    static void contributeAxolotl(ForeignFile file, Draft draft) {
        contributeRank(file, draft, Defaults.PEFT);
        if (file.flag("lora_target_linear", false)) {
            draft.give(MODULES, List.of("all-linear"), file.key("lora_target_linear"));
            file.judge("lora_target_modules", Verdict.IRRELEVANT, "lora_target_linear includes all");
        } else {
            contributeModules(file, draft, Defaults.PEFT);
        }
        contributeBits(file, draft, true);
    }

    /** Reads a SageMaker HyperPod recipe. */
    static void contributeHyperPod(ForeignFile file, Draft draft) {
        contributeAdapters(file, draft, Defaults.HYPERPOD);
        contributeBits(file, draft, false);
    }

    private static void contributeAdapters(ForeignFile file, Draft draft, Defaults otherwise) {
        contributeRank(file, draft, otherwise);
        contributeModules(file, draft, otherwise);
    }

    private static void contributeRank(ForeignFile file, Draft draft, Defaults otherwise) {
        String rank = first(file, RANK_KEYS);
        Long given = rank == null ? null : file.whole(rank, 1, 65_536);
        draft.giveOr(
                RANK, given == null ? otherwise.rank() : given, rank == null ? null : file.key(rank), otherwise.why());
    }

    private static void contributeModules(ForeignFile file, Draft draft, Defaults otherwise) {
        String target = first(file, MODULE_KEYS);
        List<String> modules = target == null
                ? List.of()
                : file.words(target).stream().map(Known::module).distinct().toList();
        draft.giveOr(
                MODULES,
                modules.isEmpty() ? otherwise.modules() : modules,
                modules.isEmpty() || target == null ? null : file.key(target),
                otherwise.why());
    }

    /** @param nested whether double quantization is the default */
    private static void contributeBits(ForeignFile file, Draft draft, boolean nested) {
        Long bits = file.whole("quantization_bit", 1, 16);
        draft.give(BITS, bits, file.key("quantization_bit"));
        draft.giveIf(file, "load_in_4bit", BITS, 4L);
        draft.giveIf(file, "load_in_8bit", BITS, 8L);
        for (String key : List.of("quantization_bit", "load_in_4bit", "load_in_8bit")) {
            file.judge(key, Verdict.MODELLED, BITS);
        }
        String given = first(file, NESTED_KEYS);
        if (Long.valueOf(4).equals(draft.whole(BITS)) && !(given == null ? nested : file.flag(given, nested))) {
            String why = BITS + " has quantized scales of 0.13 bits a weight; these take 0.5";
            Stream.concat(NESTED_KEYS.stream(), Stream.of("quantization_bit", "load_in_4bit"))
                    .forEach(key -> file.judge(key, Verdict.APPROXIMATED, why));
        }
    }

    private static @Nullable String first(ForeignFile file, List<String> keys) {
        return keys.stream().filter(file::has).findFirst().orElse(null);
    }
}
