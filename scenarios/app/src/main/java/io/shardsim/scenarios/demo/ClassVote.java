package io.shardsim.scenarios.demo;

import io.shardsim.reports.writing.JsonObject;
import io.shardsim.scenarios.serving.Refused;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The open question to a class, and the answers from its phones. Kept only in memory; the next question discards it. */
final class ClassVote {
    private static final int VOTERS_MAX = 1000;

    /** ID of the open question; empty if none is open. */
    private String id = "";

    /** The page that asks. */
    private String asker = "";

    private JsonNode question = JsonMapper.shared().createObjectNode();
    private final Map<String, Double> said = new LinkedHashMap<>();

    /**
     * Opens a question, replacing the previous one. Asking it again keeps its answers.
     *
     * @param page the page that asks; once it is closed nobody receives the answers
     * @param name ID of the question; empty to close the open one
     * @param shown content for phones, a JSON object
     */
    synchronized void ask(String page, String name, String shown) throws Refused {
        try {
            question = JsonMapper.shared().readTree(shown);
        } catch (JacksonException unreadable) {
            throw new Refused(400, "question is not JSON");
        }
        if (!name.isEmpty() && !name.equals(id)) {
            said.clear();
        }
        id = name;
        asker = page;
    }

    /** Closes the question of a page that is gone. */
    synchronized void leave(String page) {
        if (asker.equals(page)) {
            id = "";
        }
    }

    /** Returns the content for phones. */
    synchronized Map<String, ?> question() {
        return new JsonObject().with("id", id).with("question", question);
    }

    /** Records a voter's answer; a later one replaces it. */
    synchronized void say(String name, String voter, String value) throws Refused {
        if (id.isEmpty() || !id.equals(name)) {
            throw new Refused(409, "that question is closed");
        }
        if (!voter.matches("[0-9a-f]{8,64}")) {
            throw new Refused(400, "voter is missing");
        }
        if (said.size() >= VOTERS_MAX && !said.containsKey(voter)) {
            throw new Refused(503, VOTERS_MAX + " have already voted");
        }
        said.put(voter, number(value));
    }

    private static double number(String value) throws Refused {
        try {
            double number = Double.parseDouble(value);
            if (Double.isFinite(number)) {
                return number;
            }
        } catch (NumberFormatException wrong) {
            // Treated like any other invalid answer.
        }
        throw new Refused(400, "value is not a number");
    }

    /** Returns all answers to a question. */
    synchronized Map<String, ?> votes(String name) {
        return Map.of("values", name.equals(id) ? List.copyOf(said.values()) : List.of());
    }
}
