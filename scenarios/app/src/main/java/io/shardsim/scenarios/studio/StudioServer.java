package io.shardsim.scenarios.studio;

import com.sun.net.httpserver.HttpExchange;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.writing.ResultsCsv;
import io.shardsim.reports.writing.html.HtmlReport;
import io.shardsim.reports.writing.html.StudioPage;
import io.shardsim.scenarios.exporting.Framework;
import io.shardsim.scenarios.serving.Meters;
import io.shardsim.scenarios.serving.PageServer;
import io.shardsim.scenarios.serving.Refused;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Serves the studio page and answers its questions. It stores no questions: a page's state is in its address. */
public final class StudioServer implements AutoCloseable {
    private static final int BODY_BYTES_MAX = 1 << 20;
    /** Interval of progress messages, which also detect closed pages. */
    private static final long NEWS_MILLIS = 200;

    /** Types of questions that a page may ask. */
    private static final List<String> TYPES = List.of("run", "compare", "what-if", "doctor", "plan", "calibrate");
    /** Types that take more than the runs they name. */
    private static final Set<String> SEARCHES = Set.of("what-if", "doctor", "plan", "calibrate");

    /** Allowed options, none of which names a file. */
    private static final Set<String> OPTIONS = Set.of(
            "no-trials",
            "tokens",
            "free",
            "objective",
            "deadline",
            "budget",
            "max-nodes",
            "measured",
            "base",
            "time-limit");
    /** Pattern of durations up to a minute, the default: others wait for a search. */
    private static final String MINUTE_AT_MOST = "([1-5]?[0-9]|60)s";

    /** Pattern of names that cannot be a file's path. */
    private static final String NAME = "[a-z]{1,20}";

    private static final JsonMapper JSON = JsonMapper.shared();

    private final PageServer server;
    private final Questions questions;
    private final StudioOffer offer;
    /** Created on first read; the counts start earlier. */
    private @Nullable Meters meters;
    /** State: the page's initial question until a page asks one; guarded by this. */
    private Questions.@Nullable Asked opening;

    /**
     * @param place address; port 0 picks a free one
     * @param token token required from pages; empty for none
     * @param tls keys for HTTPS; null for plain HTTP
     */
    public StudioServer(
            Answering answering, StudioOffer offer, InetSocketAddress place, String token, @Nullable SSLContext tls)
            throws IOException {
        this.offer = offer;
        questions = new Questions(answering);
        server = PageServer.open(place, "studio-connection", token, tls, StudioPage::asset);
        server.serve("/api/offer", "GET", exchange -> server.sendJson(exchange, 200, this.offer.document()));
        server.serve("/api/library", "GET", this::library);
        server.serve("/api/read", "POST", this::read);
        server.serve("/api/look", "POST", this::look);
        server.serve("/api/ask", "POST", this::ask);
        server.serve("/api/report", "GET", this::report);
        server.serve("/api/export", "POST", this::export);
        server.serve("/metrics", "GET", exchange -> server.sendText(exchange, Meters.TYPE, scrape()));
        server.serve("/ready", "GET", this::ready);
    }

    public void start() {
        server.start();
    }

    /** Starts answering the initial question, so that the first page finds it in progress. */
    public synchronized void prepare() {
        ObjectNode question = JSON.createObjectNode().put("type", "run");
        question.putArray("arguments").add("question");
        question.putObject("texts").set("question", JSON.valueToTree(offer.start()));
        question.putObject("options").put("no-trials", true);
        try {
            opening = questions.ask(question, false, "");
        } catch (Refused full) {
            // Pages already keep it busy.
        }
    }

    /** Cancels the initial question if no page has asked it. */
    private synchronized void forgetOpening() {
        if (opening != null) {
            opening.leave();
            opening = null;
        }
    }

    private synchronized String scrape() {
        if (meters == null) {
            meters = new Meters(new StudioMeters(questions, server::refused));
        }
        return meters.scrape();
    }

    /** Returns the page's address. */
    public String address() {
        return server.address();
    }

    private void ready(HttpExchange exchange) throws IOException {
        boolean ready = questions.takeMore();
        server.sendJson(exchange, ready ? 200 : 503, Map.of("ready", ready));
    }

    private void library(HttpExchange exchange) throws IOException, Refused, InputException {
        String name = PageServer.query(exchange).getOrDefault("name", "");
        String text = StudioOffer.library(name);
        if (text == null) {
            throw new Refused(404, "no such library scenario");
        }
        server.sendJson(exchange, 200, StudioScenario.read(name + ".yaml", text));
    }

    private void read(HttpExchange exchange) throws IOException, Refused, InputException {
        JsonNode body = server.body(exchange, BODY_BYTES_MAX);
        String name = body.path("name").asString("").replaceAll(".*[/\\\\]", "");
        server.sendJson(
                exchange,
                200,
                StudioScenario.read(
                        name.isEmpty() ? "scenario.yaml" : name,
                        body.path("text").asString("")));
    }

    private void look(HttpExchange exchange) throws IOException, Refused {
        server.sendJson(
                exchange, 200, scenario(server.body(exchange, BODY_BYTES_MAX)).look());
    }

    private static StudioScenario scenario(JsonNode body) throws Refused {
        JsonNode keys = body.path("scenario");
        if (!keys.isObject()) {
            throw new Refused(400, "scenario is missing; send an object with its keys");
        }
        return new StudioScenario(keys);
    }

    /** Streams an answer's progress, one line each, with the answer as the last line. A closed page stops waiting. */
    private void ask(HttpExchange exchange) throws IOException, Refused, InterruptedException {
        JsonNode question = server.body(exchange, BODY_BYTES_MAX);
        String refusal = refusal(question);
        if (refusal != null) {
            throw new Refused(400, refusal);
        }
        Questions.Asked asked = questions.ask(
                question,
                SEARCHES.contains(question.path("type").asString()),
                exchange.getRemoteAddress().getAddress().getHostAddress());
        forgetOpening();
        try (OutputStream out = server.stream(exchange, "application/x-ndjson")) {
            Questions.Progress told = null;
            Answering.Answer answer = asked.await(NEWS_MILLIS);
            while (answer == null) {
                Questions.Progress now = asked.progress();
                server.write(out, now.equals(told) ? "\n" : line("progress", now));
                told = now;
                asked.makeRoom();
                answer = asked.await(NEWS_MILLIS);
            }
            ObjectNode message = answer.message().deepCopy().put("key", asked.key());
            if (!answer.results().isEmpty()) {
                message.set(
                        "shown",
                        JSON.valueToTree(StudioPage.answer(answer.results().get(0))));
            }
            server.write(out, JSON.writeValueAsString(message) + "\n");
        } finally {
            asked.leave();
        }
    }

    private static String line(String type, Questions.Progress progress) {
        return JSON.writeValueAsString(Map.of("type", type, "share", progress.share(), "text", progress.text())) + "\n";
    }

    /**
     * Returns why a question is refused: a page may only use its own texts, so that it neither reads nor writes files of this machine; null if it is
     * allowed.
     */
    private static @Nullable String refusal(JsonNode question) {
        String type = question.path("type").asString("");
        if (!TYPES.contains(type)) {
            return "type " + type + " is not available here; " + Nearest.remedy(type, TYPES);
        }
        for (Map.Entry<String, JsonNode> option : question.path("options").properties()) {
            if (!OPTIONS.contains(option.getKey())) {
                return "option " + option.getKey() + " is not available here";
            }
            if (option.getKey().equals("time-limit")
                    && !option.getValue().asString("").matches(MINUTE_AT_MOST)) {
                return "time-limit " + option.getValue().asString("") + " is not from 0s to 60s";
            }
        }
        JsonNode arguments = question.path("arguments");
        for (JsonNode argument : arguments) {
            String name = argument.asString("").replaceFirst("#.*", "");
            if (!name.matches(NAME) || !question.path("texts").has(name)) {
                return "argument " + name + " is not in texts, or not in lower case";
            }
        }
        return arguments.isEmpty() ? "no arguments; name a file" : null;
    }

    /** Sends an answer's runs as the report, or as a table. */
    private void report(HttpExchange exchange) throws IOException, Refused {
        Map<String, String> query = PageServer.query(exchange);
        List<ScenarioResult> results = questions.results(query.getOrDefault("key", ""));
        if (results.isEmpty()) {
            throw new Refused(404, "this answer has expired; ask again");
        }
        boolean saved = query.containsKey("save");
        if (query.getOrDefault("as", "html").equals("csv")) {
            server.sendFile(exchange, "text/csv; charset=utf-8", "results.csv", ResultsCsv.write(results.get(0)));
        } else if (saved) {
            server.sendFile(
                    exchange, "text/html; charset=utf-8", "report.html", HtmlReport.write(results.get(0), List.of()));
        } else {
            server.sendPage(exchange, HtmlReport.write(results.get(0), List.of()));
        }
    }

    private void export(HttpExchange exchange) throws IOException, Refused, InputException {
        JsonNode body = server.body(exchange, BODY_BYTES_MAX);
        String word = body.path("framework").asString("");
        Framework framework = Arrays.stream(Framework.values())
                .filter(each -> each.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new Refused(400, "framework is none of " + Framework.words()));
        server.sendJson(
                exchange,
                200,
                scenario(body).export(framework, body.path("point").asInt(0)));
    }

    @Override
    public synchronized void close() {
        questions.close();
        server.close();
        if (meters != null) {
            meters.close();
        }
    }
}
