package io.shardsim.scenarios.demo;

import com.sun.net.httpserver.HttpExchange;
import io.shardsim.reports.PageFiles;
import io.shardsim.reports.replay.ReplayJson;
import io.shardsim.reports.replay.ReplayPage;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.serving.BoundedServer;
import io.shardsim.scenarios.serving.PageServer;
import io.shardsim.scenarios.serving.Refused;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Serves the teaching page and its requests, only to pages of its own origin.
 *
 * <p>A page opens an event stream, which gives it its name and the progress of its runs; every other request carries that name. When the stream
 * breaks, the page has been closed and its runs are freed.
 */
public final class DemoServer implements AutoCloseable {
    private static final int VIEWERS_MAX = 32;
    /** Maximum sides of a page, each with one run that is played and one in progress. */
    private static final int SIDES_MAX = 2;

    private static final int BODY_BYTES_MAX = 16 * 1024;
    /** Interval of progress events, 20 per second. */
    private static final long FRAME_MILLIS = 50;
    /** Number of quiet intervals after which a keep-alive is sent, to notice closed pages. */
    private static final int QUIET_FRAMES_MAX = 20;

    /** Answer about a run that a later one has replaced. */
    private static final Map<String, ?> GONE = Map.of("gone", true);

    private static final String LESSON = "lesson";

    /** Maximum chunks per run in a saved page, some 2 MB uncompressed. */
    private static final int FILE_JOURNEYS_MAX = 12_000;

    private final PageServer server;
    private final ExecutorService workers;
    private final DemoScenario scenario;
    private final RunRecorder runs;
    private final Predicate<ScenarioPoint> fits;
    private final Lessons lessons = Lessons.load();
    private final LaneRuns lanes;
    private final ClassVote vote = new ClassVote();
    private final Map<String, Viewer> viewers = new ConcurrentHashMap<>();
    private final SecureRandom random = new SecureRandom();
    /** Chosen on the first request of a page. */
    private @Nullable FirstSides sides;

    DemoServer(Demo demo, InetSocketAddress place) throws IOException {
        scenario = demo.scenario();
        runs = demo.runs();
        fits = demo.fits();
        server = PageServer.open(place, "demo-connection", "", null, DemoServer::asset);
        workers = Executors.newFixedThreadPool(demo.threads(), BoundedServer.daemons("demo-run"));
        lanes = new LaneRuns(workers, runs);
        server.serve("/api/offer", "GET", this::offer);
        server.serve("/api/events", "GET", this::events);
        server.serve("/api/run", "POST", this::run);
        server.serve("/api/race", "POST", this::race);
        server.serve("/api/window", "GET", this::window);
        server.serve("/api/lessons", "GET", this::lessons);
        server.serve("/api/lesson", "POST", this::lesson);
        server.serve("/api/export", "GET", this::export);
        server.serve("/api/ask", "POST", this::ask);
        server.serve("/api/poll", "GET", exchange -> server.sendJson(exchange, 200, vote.question()));
        server.serve("/api/vote", "POST", this::vote);
        server.serve("/api/votes", "GET", this::votes);
        server.serve("/api/close", "POST", this::close);
    }

    /** Starts answering. Meanwhile the initial runs start. */
    public void start() {
        server.start();
        workers.execute(() -> sides().lanes()
                .forEach(place -> lanes.lane(place, "", scenario.points().get(place))));
    }

    /** Returns an asset; the phones' address is kept short for typing. */
    private static PageFiles.@Nullable Asset asset(String name) {
        return ReplayPage.asset(name.equals("vote") ? "vote.html" : name);
    }

    /** Returns the page's address. */
    public String address() {
        return server.address();
    }

    /** Returns the number of open pages. */
    int viewers() {
        return viewers.size();
    }

    private void offer(HttpExchange exchange) throws IOException, Refused, InputException {
        server.sendJson(exchange, 200, offer(PageServer.query(exchange)));
    }

    /** Returns the content of a page: the scenario of a lesson, if one is named. */
    private Map<String, Object> offer(Map<String, String> query) throws Refused, InputException {
        Lesson lesson = lesson(query);
        if (lesson != null && lesson.shown().watch().isEmpty()) {
            throw new Refused(404, "this lesson has no animation");
        }
        DemoScenario shown = scenario(lesson);
        return shown.offer(lesson == null ? sides() : Lessons.sides(lesson, shown));
    }

    private DemoScenario scenario(@Nullable Lesson lesson) {
        return lesson == null ? scenario : Lessons.scenario(lesson);
    }

    /** Returns the named lesson; null if none is named. */
    private @Nullable Lesson lesson(Map<String, String> query) throws Refused {
        String named = query.getOrDefault(LESSON, "");
        Lesson lesson = lessons.lesson(named);
        if (lesson == null && !named.isEmpty()) {
            throw new Refused(404, "no such lesson");
        }
        return lesson;
    }

    private synchronized FirstSides sides() {
        if (sides == null) {
            sides = new FirstSides(scenario.points(), fits);
        }
        return sides;
    }

    /** Keeps the page's event stream open until it breaks. */
    private void events(HttpExchange exchange) throws IOException, Refused, InterruptedException {
        Viewer viewer = admitted();
        try {
            pump(viewer, server.stream(exchange, "text/event-stream; charset=utf-8"));
        } finally {
            drop(viewer);
        }
    }

    private synchronized Viewer admitted() throws Refused {
        if (viewers.size() >= VIEWERS_MAX) {
            throw new Refused(503, VIEWERS_MAX + " pages are already open; close one");
        }
        byte[] name = new byte[16];
        random.nextBytes(name);
        Viewer viewer = new Viewer(HexFormat.of().formatHex(name), workers, runs);
        viewers.put(viewer.id(), viewer);
        return viewer;
    }

    private void pump(Viewer viewer, OutputStream out) throws IOException, InterruptedException {
        event(out, 0, "hello", Map.of("viewer", viewer.id()));
        int quiet = 0;
        for (long frame = 1; viewers.containsKey(viewer.id()); ) {
            Map<String, long[]> progress = viewer.progress();
            if (!progress.isEmpty()) {
                event(out, frame++, "progress", progress);
                quiet = 0;
            } else if (++quiet >= QUIET_FRAMES_MAX) {
                server.write(out, ":\n\n");
                quiet = 0;
            }
            Thread.sleep(FRAME_MILLIS);
        }
    }

    private void event(OutputStream out, long number, String name, Object data) throws IOException {
        String text = "id: " + number + "\nevent: " + name + "\ndata: " + ReplayJson.text(data) + "\n\n";
        server.write(out, text);
    }

    private void drop(Viewer viewer) {
        viewers.remove(viewer.id());
        vote.leave(viewer.id());
        viewer.close();
    }

    private void run(HttpExchange exchange) throws IOException, Refused, InputException, InterruptedException {
        Map<String, String> query = PageServer.query(exchange);
        Viewer viewer = viewer(query);
        String side = side(query);
        if (!viewer.takes(side, SIDES_MAX)) {
            throw new Refused(429, "a page has " + SIDES_MAX + " sides");
        }
        Map<String, String> choice = choice(exchange);
        DemoScenario shown = scenario(lesson(choice));
        Viewer.Done done = viewer.run(side, shown.point(choice));
        // No result means that a later choice has replaced it, which the page knows.
        Map<String, ?> answer = done == null ? GONE : done.document(shown.words(choice));
        server.sendJson(exchange, 200, answer);
    }

    /** Runs the offered strategies, or two to four points that the page names. */
    private void race(HttpExchange exchange) throws IOException, Refused, InputException, InterruptedException {
        viewer(PageServer.query(exchange));
        Map<String, String> choice = choice(exchange);
        String kernels = choice.getOrDefault("kernels", "");
        Map<Integer, ScenarioPoint> points = new LinkedHashMap<>();
        for (String place : choice.getOrDefault("points", "").split(",")) {
            ScenarioPoint point = scenario.point(
                    kernels.isEmpty() ? Map.of("point", place) : Map.of("point", place, "kernels", kernels));
            points.put(Integer.parseInt(place), point);
        }
        if (points.size() > FirstSides.LANES_MAX || !FirstSides.differInStrategyAlone(points.values())) {
            throw new Refused(
                    422, "a race needs two to " + FirstSides.LANES_MAX + " points that differ only in strategy");
        }
        Race race = lanes.race(kernels, points);
        server.sendJson(exchange, 200, race == null ? GONE : race.document());
    }

    private void lessons(HttpExchange exchange) throws IOException {
        server.sendJson(exchange, 200, lessons.all().stream().map(Lesson::asked).toList());
    }

    private void lesson(HttpExchange exchange) throws IOException, Refused, InterruptedException {
        Map<String, String> query = PageServer.query(exchange);
        Lesson lesson = lesson(query);
        boolean given = query.containsKey("given");
        LessonAnswer answer = lesson == null ? null : viewer(query).answer(lessons, lesson, given);
        server.sendJson(exchange, 200, answer == null ? GONE : given ? answer.given() : answer.document());
    }

    private Map<String, String> choice(HttpExchange exchange) throws IOException, Refused {
        JsonNode tree = server.body(exchange, BODY_BYTES_MAX);
        if (!tree.valueStream().allMatch(JsonNode::isString)) {
            throw new Refused(400, "body is not a JSON object of strings");
        }
        Map<String, String> choice = new LinkedHashMap<>();
        tree.forEachEntry((key, value) -> choice.put(key, value.asString()));
        return choice;
    }

    private void window(HttpExchange exchange) throws IOException, Refused, InterruptedException {
        Map<String, String> query = PageServer.query(exchange);
        Replay replay = viewer(query).replay(side(query), query.getOrDefault("run", ""));
        long from = number(query, "from");
        long until = number(query, "until");
        if (from < 0 || until <= from) {
            throw new Refused(400, "from " + from + " is not before until " + until);
        }
        server.sendJson(exchange, 200, replay == null ? GONE : replay.window(from, until));
    }

    /** Sends a file that plays the page's content without this server. */
    private void export(HttpExchange exchange) throws IOException, Refused, InputException, InterruptedException {
        Map<String, String> query = PageServer.query(exchange);
        Viewer viewer = viewer(query);
        long from = number(query, "from");
        List<Replay> sides = Stream.of("a", "b")
                .map(side -> viewer.replay(side, query.getOrDefault(side, "")))
                .filter(replay -> replay != null && replay.fits())
                .toList();
        if (sides.isEmpty()) {
            throw new Refused(404, "no recorded run to save");
        }
        SavedPage page = new SavedPage();
        page.add(offer(query), sides, from, FILE_JOURNEYS_MAX);
        page.beginAt(from);
        Lesson lesson = lessons.lesson(query.getOrDefault("answered", ""));
        LessonAnswer answer = lesson == null ? null : viewer.answer(lessons, lesson, false);
        if (lesson != null && answer != null) {
            page.add(lesson, answer);
        }
        server.sendFile(exchange, "text/html; charset=utf-8", "shardsim-run.html", page.write());
    }

    /** Opens a question to phones. Others with the page open may watch, but not ask. */
    private void ask(HttpExchange exchange) throws IOException, Refused {
        Viewer viewer = viewer(PageServer.query(exchange));
        InetAddress from = exchange.getRemoteAddress().getAddress();
        if (!from.isLoopbackAddress() && !from.equals(exchange.getLocalAddress().getAddress())) {
            throw new Refused(403, "only a page on the serving machine can ask the class");
        }
        Map<String, String> asked = choice(exchange);
        vote.ask(viewer.id(), asked.getOrDefault("id", ""), asked.getOrDefault("question", "{}"));
        server.sendJson(exchange, 200, Map.of());
    }

    private void vote(HttpExchange exchange) throws IOException, Refused {
        Map<String, String> said = choice(exchange);
        vote.say(said.getOrDefault("id", ""), said.getOrDefault("voter", ""), said.getOrDefault("value", ""));
        server.sendJson(exchange, 200, Map.of());
    }

    private void votes(HttpExchange exchange) throws IOException, Refused {
        Map<String, String> query = PageServer.query(exchange);
        viewer(query);
        server.sendJson(exchange, 200, vote.votes(query.getOrDefault("id", "")));
    }

    private void close(HttpExchange exchange) throws IOException, Refused {
        drop(viewer(PageServer.query(exchange)));
        server.sendJson(exchange, 200, Map.of());
    }

    private Viewer viewer(Map<String, String> query) throws Refused {
        Viewer viewer = viewers.get(query.getOrDefault("viewer", ""));
        if (viewer == null) {
            throw new Refused(404, "no such page is open; reload it");
        }
        return viewer;
    }

    private static String side(Map<String, String> query) throws Refused {
        String side = query.getOrDefault("side", "");
        if (!side.matches("[a-z0-9]{1,12}")) {
            throw new Refused(400, "side is missing");
        }
        return side;
    }

    private static long number(Map<String, String> query, String key) throws Refused {
        String text = query.getOrDefault(key, "");
        if (!text.matches("\\d{1,18}")) {
            throw new Refused(400, key + " is not a number of picoseconds");
        }
        return Long.parseLong(text);
    }

    @Override
    public void close() {
        viewers.values().forEach(Viewer::close);
        viewers.clear();
        server.close();
        workers.shutdownNow();
    }
}
