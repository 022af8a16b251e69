package io.shardsim.scenarios.studio;

import io.shardsim.reports.ScenarioResult;
import io.shardsim.scenarios.evaluation.ProgressListener;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Answers requests as {@code docs/protocol.md} describes them. */
public interface Answering {
    /**
     * Takes a request; nothing runs yet.
     *
     * @param asked its arguments, options and texts; its type is a command
     * @param progress hears how far it is, from any thread
     */
    Pending request(JsonNode asked, ProgressListener progress);

    /** What is asked once. */
    interface Pending {
        /** Works until it is answered, whatever happens. */
        Answer answer();

        /** Ends it early; from another thread. */
        void cancel();
    }

    /**
     * The answer.
     *
     * @param message of type {@code result} or {@code problems}
     * @param results of the runs that it shows; empty where it shows none
     */
    record Answer(ObjectNode message, List<ScenarioResult> results) {
        public Answer {
            results = List.copyOf(results);
        }
    }
}
