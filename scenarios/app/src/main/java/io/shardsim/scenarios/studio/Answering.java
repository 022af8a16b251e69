package io.shardsim.scenarios.studio;

import io.shardsim.reports.ScenarioResult;
import io.shardsim.scenarios.evaluation.ProgressListener;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Answers requests as described in {@code docs/protocol.md}. */
public interface Answering {
    /**
     * Accepts a request without running it yet.
     *
     * @param asked its arguments, options and texts; its type is a command
     * @param progress receives progress, from any thread
     */
    Pending request(JsonNode asked, ProgressListener progress);

    /** A pending request. */
    interface Pending {
        /** Works until there is an answer, and never throws. */
        Answer answer();

        /** Cancels it; called from another thread. */
        void cancel();
    }

    /**
     * The answer.
     *
     * @param message a message of type {@code result} or {@code problems}
     * @param results results of the runs it shows; empty if it shows none
     */
    record Answer(ObjectNode message, List<ScenarioResult> results) {
        public Answer {
            results = List.copyOf(results);
        }
    }
}
