package io.shardsim.scenarios.profiling;

import io.shardsim.reports.writing.JsonObject;
import io.shardsim.scenarios.profiling.KernelNames.Kind;
import io.shardsim.scenarios.profiling.StepSplit.Traffic;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** Formats a profile comparison as JSON. */
public final class ProfileJson {
    private static final long PS_PER_NS = 1000;

    private ProfileJson() {}

    public static String write(ProfileComparison comparison) {
        JsonObject document = new JsonObject()
                .with("trace", comparison.trace())
                .with("trace_rank", comparison.real().rank())
                .with("trace_step", comparison.real().step())
                .with("scenario", comparison.scenario())
                .with("status", comparison.fits() ? "ok" : "out_of_memory");
        if (!comparison.fits()) {
            return document.text();
        }
        StepSplit theirs = comparison.traced();
        StepSplit ours = comparison.simulated().split();
        return document.with("simulated_rank", comparison.simulated().profile().rank())
                .with("digest", comparison.run().digest())
                .object("step", new ProfileComparison.Part("step", theirs.stepNs(), ours.stepNs()), ProfileJson::part)
                .list("parts", comparison.parts(), ProfileJson::part)
                .list(
                        "computing",
                        comparison.names(Kind.COMPUTING),
                        name -> new JsonObject()
                                .with("kernels", name)
                                .seconds("trace_seconds", ps(theirs.parts().get(name)))
                                .seconds("simulated_seconds", ps(ours.parts().get(name))))
                .list(
                        "collectives",
                        comparison.names(Kind.COLLECTIVES),
                        name -> new JsonObject()
                                .with("collective", name)
                                .object("trace", theirs.collectives().get(name), ProfileJson::traffic)
                                .object("simulated", ours.collectives().get(name), ProfileJson::traffic))
                .object(
                        "layers",
                        comparison,
                        both -> new JsonObject()
                                .object("trace", both.theirs().layers(), ProfileJson::layers)
                                .object("simulated", both.simulated().layers(), ProfileJson::layers))
                .object("ranks", comparison.arrivals(), ProfileJson::arrivals)
                .with("doubts", comparison.doubts())
                .text();
    }

    private static JsonObject layers(Layers layers) {
        return new JsonObject()
                .list("forward_seconds", layers.forwardNs(), ProfileJson::seconds)
                .list("backward_seconds", layers.backwardNs(), ProfileJson::seconds);
    }

    private static BigDecimal seconds(long ns) {
        return BigDecimal.valueOf(ns, 9);
    }

    private static JsonObject arrivals(Arrivals arrivals) {
        return new JsonObject()
                .with("profiles", arrivals.ranks())
                .with("collectives", arrivals.collectives())
                .with(
                        "always_late",
                        arrivals.isAlwaysTheSame() ? arrivals.late().get(0).rank() : null)
                .list(
                        "late",
                        arrivals.late(),
                        late -> new JsonObject()
                                .with("rank", late.rank())
                                .with("last", late.last())
                                .seconds("waited_seconds", PS_PER_NS * late.waitedNs())
                                .seconds("exposed_seconds", PS_PER_NS * late.exposedNs()));
    }

    private static JsonObject part(ProfileComparison.Part part) {
        return new JsonObject()
                .with("part", part.name())
                .seconds("trace_seconds", PS_PER_NS * part.traceNs())
                .seconds("simulated_seconds", PS_PER_NS * part.simulatedNs())
                .seconds("difference_seconds", PS_PER_NS * part.longerNs());
    }

    private static @Nullable Long ps(@Nullable Long ns) {
        return ns == null ? null : PS_PER_NS * ns;
    }

    private static JsonObject traffic(Traffic traffic) {
        return new JsonObject()
                .with("number", traffic.number())
                .with("bytes", traffic.bytes() == 0 ? null : traffic.bytes())
                .seconds("busy_seconds", PS_PER_NS * traffic.busyNs());
    }
}
