package io.shardsim.scenarios.explaining;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.simulator.observation.CriticalPath;
import io.shardsim.simulator.observation.CriticalPath.Segment;
import java.math.BigDecimal;
import java.util.List;

/** Formats a critical path as JSON. */
public final class CriticalPathJson {
    private static final int PS_DECIMALS = 12;

    private CriticalPathJson() {}

    public static String write(CriticalPaths.Followed followed) {
        RunResult run = followed.run();
        JsonObject out = new JsonObject()
                .with("name", followed.name())
                .with("label", run.label())
                .with("gpus", run.gpus())
                .with("status", run.status().id());
        CriticalPath path = followed.path();
        if (path == null) {
            return out.with("remedy", run.remedy()).text();
        }
        return out.with("digest", run.digest())
                .with("seconds", seconds(path.endPs()))
                .list("parts", PathParts.byKey(path), part -> part(part.getKey(), part.getValue()))
                .list(
                        "ranks",
                        PathParts.byRank(path),
                        rank -> new JsonObject().with("rank", rank.getKey()).with("seconds", seconds(rank.getValue())))
                .list("operations", PathParts.byOperation(path), CriticalPathJson::operation)
                .text();
    }

    private static JsonObject part(PathParts.Key key, long ps) {
        return new JsonObject()
                .with("waiting", key.waiting())
                .with("operation", key.operation())
                .with("stream", key.stream())
                .with("link", key.link())
                .with("seconds", seconds(ps));
    }

    private static JsonObject operation(List<Segment> stay) {
        Segment first = stay.get(0);
        Segment last = stay.get(stay.size() - 1);
        return new JsonObject()
                .with("operation", first.what().label())
                .with("stream", first.what().stream().reportedAs())
                .with("from_rank", first.rank())
                .with("to_rank", last.rank())
                .with("start_seconds", seconds(first.startPs()))
                .with("seconds", seconds(last.endPs() - first.startPs()));
    }

    private static BigDecimal seconds(long ps) {
        return BigDecimal.valueOf(ps, PS_DECIMALS);
    }
}
