package io.shardsim.scenarios.importing;

import io.shardsim.simulator.catalog.FigureFolder;
import io.shardsim.simulator.compute.Optimizer;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Recognizes the optimizer in a file of any framework. */
final class OptimizerName {
    static final String SETTING = "training.optimizer";

    /** Names of the framework's own AdamW, and of optimizers with the same moments and similar kernels. */
    private static final List<String> OWN = List.of(
            "adam",
            "adamw",
            "adamwhf",
            "adamwtorch",
            "adamwtorchfused",
            "adamwtorchxla",
            "adamwtorchnpufused",
            "adamwapexfused",
            "fusedadam",
            "cpuadam",
            "deepspeedcpuadam",
            "adamw32bit");

    private OptimizerName() {}

    /**
     * Sets the optimizer, or notes that the key decides the answer.
     *
     * @param momentum momentum of SGD, which has no state if it is 0; null if not given
     */
    static void contribute(ForeignFile file, Draft draft, String key, @Nullable Double momentum) {
        String written = file.text(key);
        if (written == null) {
            return;
        }
        String name = written.substring(written.lastIndexOf('.') + 1);
        boolean paged = name.toLowerCase(Locale.ROOT).startsWith("paged");
        String unpaged = FigureFolder.folded(paged ? name.substring("paged".length()) : name);
        Optimizer found = OWN.contains(unpaged) ? Optimizer.OWN : Optimizer.called(unpaged);
        if (found == null) {
            file.judge(
                    key,
                    Verdict.DECIDES_THE_ANSWER,
                    "this optimizer is not simulated; its memory and update time differ (shardsim catalog optimizers)");
            return;
        }
        boolean moves = found.name().equals("sgd") && momentum != null && momentum > 0;
        if (!found.equals(Optimizer.OWN)) {
            draft.give(SETTING, moves ? "sgd-momentum" : found.name(), file.key(key));
        }
        if (paged) {
            file.judge(
                    key,
                    Verdict.APPROXIMATED,
                    "states are assumed to stay on the GPU; pages that do not fit would move to the host");
        }
    }
}
