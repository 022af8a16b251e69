package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Names;
import io.shardsim.reports.RunResult;
import io.shardsim.simulator.observation.CriticalPath;
import io.shardsim.simulator.observation.CriticalPath.Segment;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A critical path for programs. */
public final class CriticalPathJson {
    private static final int PS_DECIMALS = 12;

    private CriticalPathJson() {}

    public static String write(CriticalPaths.Followed followed) {
        RunResult run = followed.run();
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("name", followed.name());
        out.put("label", run.label());
        out.put("gpus", run.gpus());
        out.put("status", run.status().id());
        CriticalPath path = followed.path();
        if (path == null) {
            out.put("remedy", run.remedy());
            return CompareJson.MAPPER.writeValueAsString(out) + "\n";
        }
        out.put("digest", run.digest());
        out.put("seconds", seconds(path.endPs()));
        out.put(
                "parts",
                PathParts.byKey(path).stream()
                        .map(part -> part(part.getKey(), part.getValue()))
                        .toList());
        out.put(
                "ranks",
                PathParts.byRank(path).stream()
                        .map(rank -> Map.of("rank", rank.getKey(), "seconds", seconds(rank.getValue())))
                        .toList());
        out.put(
                "operations",
                PathParts.byOperation(path).stream()
                        .map(CriticalPathJson::operation)
                        .toList());
        return CompareJson.MAPPER.writeValueAsString(out) + "\n";
    }

    private static Map<String, @Nullable Object> part(PathParts.Key key, long ps) {
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("waiting", Names.id(key.waiting()));
        out.put("operation", key.operation());
        out.put("stream", key.stream());
        out.put("link", key.link() == null ? null : Names.id(key.link()));
        out.put("seconds", seconds(ps));
        return out;
    }

    private static Map<String, Object> operation(List<Segment> stay) {
        Segment first = stay.get(0);
        Segment last = stay.get(stay.size() - 1);
        Map<String, Object> out = new LinkedHashMap<>();
        out.put("operation", first.what().label());
        out.put("stream", Names.id(first.what().stream().reportedAs()));
        out.put("from_rank", first.rank());
        out.put("to_rank", last.rank());
        out.put("start_seconds", seconds(first.startPs()));
        out.put("seconds", seconds(last.endPs() - first.startPs()));
        return out;
    }

    private static BigDecimal seconds(long ps) {
        return BigDecimal.valueOf(ps, PS_DECIMALS);
    }
}
