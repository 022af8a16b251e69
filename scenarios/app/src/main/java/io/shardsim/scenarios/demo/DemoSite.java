package io.shardsim.scenarios.demo;

import io.shardsim.scenarios.serving.BoundedServer;
import io.shardsim.simulator.yaml.InputException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** The page as one file that shows everything without a server: the race, the tour, and every lesson with its answer and its runs. */
public final class DemoSite {
    /** Maximum chunks per run in the file, some 100 kB. */
    private static final int JOURNEYS_MAX = 4_000;

    private final Demo demo;
    private final Lessons lessons = Lessons.load();
    private final ExecutorService workers;

    /** A lesson with its points' results, and the runs to watch. */
    private record Taught(Lesson lesson, LessonAnswer answer, List<Replay> watched) {}

    private DemoSite(Demo demo, ExecutorService workers) {
        this.demo = demo;
        this.workers = workers;
    }

    /**
     * Runs everything and returns the file.
     *
     * @param told receives progress
     */
    public static String write(Demo demo, Consumer<String> told) throws InterruptedException, InputException {
        ExecutorService workers = Executors.newFixedThreadPool(demo.threads(), BoundedServer.daemons("demo-run"));
        try {
            return new DemoSite(demo, workers).write(told);
        } catch (ExecutionException failure) {
            throw new IllegalStateException(String.valueOf(failure.getCause()), failure);
        } finally {
            workers.shutdownNow();
        }
    }

    private String write(Consumer<String> told) throws InterruptedException, InputException, ExecutionException {
        FirstSides sides = new FirstSides(demo.scenario().points(), demo.fits());
        Set<Integer> places = new LinkedHashSet<>(sides.lanes());
        places.add(sides.first());
        if (sides.second() != null) {
            places.add(sides.second());
        }
        List<Future<Replay>> own =
                places.stream().map(place -> recorded(demo.scenario(), place)).toList();
        List<Future<Taught>> taught = new ArrayList<>();
        for (Lesson lesson : lessons.all()) {
            taught.add(workers.submit(() -> taught(lesson)));
        }
        SavedPage page = new SavedPage();
        List<Replay> runs = new ArrayList<>();
        for (Future<Replay> run : own) {
            runs.add(run.get());
        }
        page.add(demo.scenario().offer(sides), runs, 0, JOURNEYS_MAX);
        if (!sides.lanes().isEmpty()) {
            page.race(race(sides.lanes(), runs), sides.lanes().size());
        }
        told.accept(demo.scenario().name() + ": " + runs.size() + " runs");
        for (Future<Taught> future : taught) {
            Taught one = future.get();
            add(page, one);
            told.accept("lesson " + one.lesson().id());
        }
        return page.write();
    }

    private Future<Replay> recorded(DemoScenario scenario, int place) {
        return workers.submit(() -> Replay.record(scenario.points().get(place), demo.runs(), Replay.recorder()));
    }

    private Race race(List<Integer> places, List<Replay> runs) {
        List<Race.Lane> lanes = new ArrayList<>();
        for (int i = 0; i < places.size(); i++) {
            lanes.add(new Race.Lane(i, demo.scenario().points().get(places.get(i)), runs.get(i)));
        }
        return new Race(lanes);
    }

    private Taught taught(Lesson lesson) throws InterruptedException {
        LessonAnswer answer = lessons.answer(lesson, demo.runs());
        List<Replay> watched = new ArrayList<>();
        if (!lesson.shown().watch().isEmpty()) {
            DemoScenario scenario = Lessons.scenario(lesson);
            FirstSides sides = Lessons.sides(lesson, scenario);
            for (Integer place : new Integer[] {sides.first(), sides.second()}) {
                watched.add(Replay.record(scenario.points().get(place), demo.runs(), Replay.recorder()));
            }
        }
        return new Taught(lesson, answer, watched);
    }

    /** Adds a lesson, whose chunks start at the instant that shows the cause. */
    private static void add(SavedPage page, Taught taught) throws InterruptedException, InputException {
        Lesson lesson = taught.lesson();
        page.add(lesson, taught.answer());
        if (taught.watched().isEmpty()) {
            return;
        }
        DemoScenario scenario = Lessons.scenario(lesson);
        Map<String, Object> offer = scenario.offer(Lessons.sides(lesson, scenario));
        double endPs = taught.watched().stream().mapToLong(Replay::endPs).max().orElseThrow();
        double from = lesson.shown().why() == null ? 0 : lesson.shown().why().from();
        page.add(offer, taught.watched(), StrictMath.round(from * endPs), JOURNEYS_MAX);
    }
}
