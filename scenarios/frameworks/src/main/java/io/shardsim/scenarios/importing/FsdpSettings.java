package io.shardsim.scenarios.importing;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** PyTorch FSDP settings of Accelerate and the Trainer: the same names, with or without the prefix {@code fsdp_}. */
final class FsdpSettings {
    /** Names and numbers of torch.distributed.fsdp.ShardingStrategy. */
    private static final Map<String, String> STRATEGIES = Map.of(
            "1", "full_shard",
            "2", "shard_grad_op",
            "3", "no_shard",
            "4", "hybrid_shard",
            "5", "hybrid_shard_zero2",
            "_hybrid_shard_zero2", "hybrid_shard_zero2");

    static final List<String> WORDS =
            List.of("full_shard", "shard_grad_op", "no_shard", "hybrid_shard", "hybrid_shard_zero2");

    private final ForeignFile file;
    private final Draft draft;
    private final String prefix;

    /** @param prefix prefix of every key, such as {@code fsdp_config.fsdp_} */
    FsdpSettings(ForeignFile file, Draft draft, String prefix) {
        this.file = file;
        this.draft = draft;
        this.prefix = prefix;
    }

    /** Settings in a block of the Trainer or axolotl, with or without {@code fsdp_}. */
    static FsdpSettings in(String block, ForeignFile file, Draft draft) {
        String prefixed = block + "fsdp_";
        boolean any = file.keys().stream().anyMatch(key -> key.path().startsWith(prefixed));
        return new FsdpSettings(file, draft, any ? prefixed : block);
    }

    /**
     * Adds the strategy and its settings to the draft.
     *
     * @param chosen sharding strategy from another key; null to use the one in these settings
     * @param choosing that key
     */
    void contribute(@Nullable String chosen, @Nullable ForeignKey choosing) {
        Long version = file.whole(version(), 1, 2);
        boolean second = version != null && version == 2;
        String strategyKey = prefix + "sharding_strategy";
        String own = sharding(strategyKey);
        String strategy = chosen != null ? chosen : own != null ? own : "full_shard";
        ForeignKey key = chosen != null ? choosing : file.key(strategyKey);
        if (chosen != null && own != null && !own.equals(chosen)) {
            file.refuse(strategyKey, strategyKey + " " + own + " contradicts " + chosen + "; make them agree");
        }
        if (second) {
            contributeSecond(strategy, key);
        } else {
            contributeFirst(strategy, key);
        }
        contributePrefetch(second);
        contributeWrapping();
        Boolean checkpoints = file.flag(prefix + "activation_checkpointing");
        if (checkpoints != null && checkpoints) {
            draft.give(Draft.CHECKPOINTING, "full", file.key(prefix + "activation_checkpointing"));
        } else if (checkpoints != null) {
            draft.assume(Draft.CHECKPOINTING, "none", "FSDP does not checkpoint; the script may do so itself");
        }
    }

    /** Axolotl also accepts it outside these settings. */
    private String version() {
        return file.has(prefix + "version") ? prefix + "version" : "fsdp_version";
    }

    private @Nullable String sharding(String key) {
        String word = file.text(key);
        if (word == null) {
            return null;
        }
        String plain = word.toLowerCase(Locale.ROOT);
        String name = STRATEGIES.getOrDefault(plain, plain);
        if (!WORDS.contains(name)) {
            file.choice(key, WORDS);
            return null;
        }
        return name;
    }

    private void contributeFirst(String strategy, @Nullable ForeignKey key) {
        String kind = switch (strategy) {
            case "shard_grad_op" -> "fsdp-grad-op";
            case "no_shard" -> "ddp";
            case "hybrid_shard", "hybrid_shard_zero2" -> "fsdp-hybrid";
            default -> "fsdp";
        };
        draft.giveOr(Draft.KIND, kind, key, "FSDP's default");
        if (strategy.equals("hybrid_shard_zero2")) {
            draft.giveOr("strategy.reshard_after_forward", false, key, "");
        }
        if (kind.equals("ddp") && key != null) {
            key.judge(Verdict.APPROXIMATED, "strategy.kind ddp, which reduces by bucket instead of by layer");
        }
        // In FSDP1, this key may hold the sharding strategy.
        String reshard = prefix + "reshard_after_forward";
        String word = file.text(reshard);
        if (word != null && !List.of("true", "false").contains(word.toLowerCase(Locale.ROOT))) {
            String other = sharding(reshard);
            if (other != null && !other.equals(strategy)) {
                file.refuse(reshard, reshard + " " + other + " contradicts " + strategy + "; make them agree");
            }
        } else if (word != null && kind.startsWith("fsdp")) {
            draft.giveFlag(file, reshard, "strategy.reshard_after_forward");
        }
    }

    private void contributeSecond(String strategy, @Nullable ForeignKey key) {
        ForeignKey version = file.key(version());
        draft.give(Draft.KIND, "fsdp2", version);
        if (key != null && !strategy.startsWith("hybrid")) {
            key.judge(Verdict.IRRELEVANT, "FSDP2 reads reshard_after_forward instead");
        } else if (key != null) {
            key.judge(
                    Verdict.NOT_MODELLED,
                    "FSDP2 takes the groups from a device mesh; set dp_shard_size or strategy.shard_group");
        }
        String reshard = prefix + "reshard_after_forward";
        String word = file.text(reshard);
        String plain = word == null ? "" : word.toLowerCase(Locale.ROOT);
        if (WORDS.contains(STRATEGIES.getOrDefault(plain, plain))) {
            draft.give("strategy.reshard_after_forward", plain.startsWith("full"), file.key(reshard));
        } else {
            draft.giveFlag(file, reshard, "strategy.reshard_after_forward");
        }
    }

    private void contributePrefetch(boolean second) {
        String key =
                prefix + (file.has(prefix + "backward_prefetch") ? "backward_prefetch" : "backward_prefetch_policy");
        String word = file.text(key);
        if (second) {
            file.judge(key, Verdict.IRRELEVANT, "FSDP2 always prefetches before the gradient reduction");
        } else if (word != null) {
            String plain = word.toLowerCase(Locale.ROOT);
            boolean early = plain.equals("backward_pre") || plain.equals("1");
            draft.give("strategy.backward_prefetch", early, file.key(key));
            if (!early && !plain.equals("backward_post") && !plain.equals("2")) {
                file.judge(key, Verdict.APPROXIMATED, "strategy.backward_prefetch false: after the gradient reduction");
            }
        }
        draft.giveFlag(file, prefix + "limit_all_gathers", "strategy.limit_all_gathers");
    }

    private void contributeWrapping() {
        String key = prefix + "auto_wrap_policy";
        String policy = file.text(key);
        if (policy != null && !policy.equalsIgnoreCase("transformer_based_wrap")) {
            file.judge(
                    key,
                    policy.equalsIgnoreCase("no_wrap") ? Verdict.DECIDES_THE_ANSWER : Verdict.NOT_MODELLED,
                    policy.equalsIgnoreCase("no_wrap")
                            ? "one unit for the whole model: it would be gathered at once, with nothing to overlap"
                            : "units by size; each layer is a unit here");
        }
    }
}
