package io.shardsim.scenarios.demo;

import io.shardsim.reports.replay.ReplayExport;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.reports.writing.ResultsJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A page file that plays without a server: scenarios with their runs, perhaps a race, lessons with their answers. */
final class SavedPage {
    private static final String POINTS = "points";
    private static final String RACE = "race";

    private final Map<String, Object> offers = new LinkedHashMap<>();
    private final List<Object> lessons = new ArrayList<>();
    /** Data loaded on demand, by its name in the file. */
    private final Map<String, Object> packed = new LinkedHashMap<>();

    /**
     * Adds a scenario.
     *
     * @param offer a server's offer; parts that need a server are left out
     * @param runs runs in the order of the file; the first two are shown
     * @param fromPs start of the file's chunks
     * @param journeysMax maximum chunks per run
     */
    void add(Map<String, Object> offer, List<Replay> runs, long fromPs, int journeysMax) throws InterruptedException {
        List<String> words = runs.stream().map(Replay::words).distinct().toList();
        List<Map<String, Object>> points = new ArrayList<>();
        for (Replay run : runs) {
            String name = "run-" + packed.size();
            packed.put(name, run.fits() ? run.recorded(fromPs, journeysMax) : Map.of("outline", unfit(run)));
            points.add(new JsonObject()
                    .with(
                            "words",
                            words.size() == runs.size()
                                    ? run.words()
                                    : run.result().label())
                    .with("strategy", "")
                    .with("tooLarge", !run.fits())
                    .with("run", name));
        }
        Map<String, Object> own = new LinkedHashMap<>(offer);
        own.keySet().removeAll(List.of("knobs", RACE, "second"));
        own.put("strategies", List.of());
        own.put(POINTS, points);
        own.put("first", 0);
        if (runs.size() > 1) {
            own.put("second", 1);
        }
        offers.put(String.valueOf(offer.get("lesson")), own);
    }

    private static Map<String, @Nullable Object> unfit(Replay run) {
        return new JsonObject()
                .with("label", run.result().label())
                .with("result", ResultsJson.page(run.result()))
                .with("remedy", run.result().remedy());
    }

    /** Opens the page with a race between the first runs of the scenario without a lesson. */
    void race(Race race, int lanes) {
        packed.put("run-race", race.document());
        offer().put(RACE, IntStream.range(0, lanes).boxed().toList());
    }

    /** Starts the page at an instant, slow enough that its chunks last for a while. */
    void beginAt(long ps) {
        long stretchPs = packed.values().stream()
                .mapToLong(run -> Replay.stretchPs((Map<?, ?>) run))
                .min()
                .orElse(1);
        offer().put("startPs", ps);
        offer().put("stretchPs", stretchPs);
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> offer() {
        return (Map<String, Object>) offers.values().iterator().next();
    }

    void add(Lesson lesson, LessonAnswer answer) {
        lessons.add(new JsonObject()
                .with("asked", lesson.asked())
                .with("given", answer.given())
                .with("answer", answer.document()));
    }

    /** Returns the file. */
    String write() {
        return ReplayExport.write(
                new JsonObject().with("offers", offers).with("lessons", lessons), packed, !lessons.isEmpty());
    }
}
