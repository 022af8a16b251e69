package io.shardsim.scenarios.scenario;

import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.workload.ExpertLoad;
import io.shardsim.simulator.workload.ExpertLoad.Law;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.yaml.Problems;
import java.util.Locale;

/** Resolves the expert load of {@code training}. */
final class ExpertLoadResolver {
    private ExpertLoadResolver() {}

    /** Returns the model with this load. */
    static ModelShape on(ModelShape model, Block training, Problems problems) {
        String[] load = training.text("expert_load", "even").split(" ");
        String missing = !model.mixture().isPresent() ? "a model with experts" : "";
        require(training, "expert_load", missing, problems);
        require(training, "expert_capacity", missing, problems);
        require(training, "load_seed", training.has("expert_load") ? missing : "expert_load", problems);
        boolean fullest = training.text("capacity_policy", "drop").equals("fullest");
        if (fullest && training.has("expert_capacity")) {
            problems.add(
                    training.at("expert_capacity"),
                    "expert_capacity " + training.value("expert_capacity")
                            + " with capacity_policy fullest, which drops no token; remove expert_capacity");
        }
        boolean limits = fullest || training.has("expert_capacity");
        require(training, "capacity_policy", limits ? missing : "expert_capacity", problems);
        return !missing.isEmpty()
                ? model
                : model.withLoad(new ExpertLoad(
                        Law.valueOf(load[0].toUpperCase(Locale.ROOT)),
                        load.length == 1 ? 0 : Double.parseDouble(load[1]),
                        training.whole("load_seed", 0),
                        fullest ? Double.POSITIVE_INFINITY : training.decimal("expert_capacity", 0),
                        fullest || training.text("capacity_policy", "drop").equals("pad"),
                        1));
    }

    private static void require(Block training, String key, String missing, Problems problems) {
        if (training.value(key) != null && !missing.isEmpty()) {
            String given = key + " " + training.value(key);
            problems.add(
                    training.at(key), given + " needs " + missing + ", which is not there; add it or remove " + key);
        }
    }
}
