package io.shardsim.sampling;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Runs one of {@code -Dsample=N} tests tagged {@code slow} but for those tagged {@code always}, and all where N is 1 or tests are named by {@code -Dtest} or {@code -Dit.test}. The commit and the JDK draw
 * which, so that a commit has the same sample wherever it is built, and the next one another.
 */
public final class SlowTests implements ExecutionCondition {
    private static final int OF = System.getProperty("test") == null && System.getProperty("it.test") == null
            ? Integer.getInteger("sample", 1)
            : 1;

    private static final String SEED =
            OF == 1 ? "" : commit() + " " + Runtime.version().feature() + " ";

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        String id = context.getUniqueId();
        String last = id.substring(id.lastIndexOf('[') + 1);
        boolean runs = OF == 1
                || last.startsWith("class:")
                || last.startsWith("nested-class:")
                || last.startsWith("test-template:")
                || !context.getTags().contains("slow")
                || context.getTags().contains("always")
                || hash(SEED + id) % OF == 0;
        return runs
                ? ConditionEvaluationResult.enabled("")
                : ConditionEvaluationResult.disabled("slow, and not in this commit's sample; -Dsample=1 runs all");
    }

    private static long hash(String text) {
        CRC32 hash = new CRC32();
        hash.update(text.getBytes(StandardCharsets.UTF_8));
        return hash.getValue();
    }

    /** Of HEAD; empty where there is no git. */
    private static String commit() {
        try {
            Process git = new ProcessBuilder("git", "rev-parse", "HEAD")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return new String(git.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).trim();
        } catch (IOException none) {
            return "";
        }
    }
}
