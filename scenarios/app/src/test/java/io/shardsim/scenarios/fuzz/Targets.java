package io.shardsim.scenarios.fuzz;

import io.shardsim.scenarios.catalog.CatalogTarget;
import io.shardsim.scenarios.cluster.FrameTarget;
import io.shardsim.scenarios.cluster.PrefixTarget;
import io.shardsim.scenarios.demo.RequestTarget;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;

/** All entry points by name, which is also the name of their seed folders. */
final class Targets {
    /** Created on first use: some start a server. */
    private static final Map<String, Callable<Target>> MAKERS = makers();

    private Targets() {}

    private static Map<String, Callable<Target>> makers() {
        Map<String, Callable<Target>> makers = new LinkedHashMap<>();
        makers.put("reader", () -> new ScenarioTarget(ScenarioTarget.Depth.READER));
        makers.put("resolver", () -> new ScenarioTarget(ScenarioTarget.Depth.RESOLVER));
        makers.put("run", () -> new ScenarioTarget(ScenarioTarget.Depth.RUN));
        makers.put("plan", PlanTarget::new);
        makers.put("command", CommandTarget::new);
        makers.put("serve", ServeTarget::new);
        makers.put("results", ResultsTarget::new);
        makers.put("cases", CasesTarget::new);
        makers.put("import", ImportTarget::new);
        makers.put("catalog", CatalogTarget::new);
        makers.put("frame", FrameTarget::new);
        makers.put("prefix", PrefixTarget::new);
        makers.put("request", RequestTarget::new);
        return makers;
    }

    static Iterable<String> names() {
        return MAKERS.keySet();
    }

    static Target named(String name) throws Exception {
        Callable<Target> maker = MAKERS.get(name);
        if (maker == null) {
            throw new IllegalArgumentException(
                    "no target " + name + "; targets: " + String.join(", ", MAKERS.keySet()));
        }
        return maker.call();
    }
}
