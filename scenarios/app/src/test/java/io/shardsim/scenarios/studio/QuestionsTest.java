package io.shardsim.scenarios.studio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.scenarios.evaluation.ProgressListener;
import io.shardsim.scenarios.serving.Refused;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Which question is worked on, and for how long. */
class QuestionsTest {
    private static final long WORK_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long PATIENCE_MILLIS = 30_000;

    private final Questions questions = new Questions(QuestionsTest::request, WORK_NANOS_MAX);

    @AfterEach
    void stop() {
        questions.close();
    }

    /** For "long", works until it is cancelled; otherwise answers immediately. */
    private static Answering.Pending request(JsonNode asked, ProgressListener progress) {
        CountDownLatch end = new CountDownLatch(asked.asString().startsWith("long") ? 1 : 0);
        return new Answering.Pending() {
            @Override
            public Answering.Answer answer() {
                try {
                    end.await();
                } catch (InterruptedException stopping) {
                    Thread.currentThread().interrupt();
                }
                return new Answering.Answer(
                        JsonMapper.shared().createObjectNode().put("type", "result"), List.of());
            }

            @Override
            public void cancel() {
                end.countDown();
            }
        };
    }

    private Questions.Asked ask(String question, String visitor) throws Refused {
        return ask(questions, question, visitor);
    }

    private static Questions.Asked ask(Questions questions, String question, String visitor) throws Refused {
        return questions.ask(JsonMapper.shared().getNodeFactory().stringNode(question), false, visitor);
    }

    private static String type(Questions.Asked asked) throws InterruptedException {
        Answering.Answer answer = asked.await(PATIENCE_MILLIS);
        return answer == null ? "none" : answer.message().path("type").asString();
    }

    @Test
    void aLongQuestionEndsWhenAnotherWaits() throws Exception {
        Questions.Asked one = ask("long 1", "a");
        Questions.Asked two = ask("long 2", "a");
        Thread.sleep(TimeUnit.NANOSECONDS.toMillis(2 * WORK_NANOS_MAX));
        one.makeRoom();
        assertThat(one.await(0)).as("nobody waits").isNull();
        Questions.Asked waiting = ask("short", "b");
        assertThat(waiting.await(100)).as("both places are taken").isNull();
        one.makeRoom();
        assertThat(type(one)).isEqualTo("result");
        assertThat(one.await(0).message().path("ended").asString()).contains("others are waiting");
        assertThat(type(waiting)).isEqualTo("result");
        assertThat(two.await(0)).as("one place was enough").isNull();
        assertThat(ask("long 1", "a").await(0)).as("it is asked anew").isNull();
    }

    @Test
    void aShortQuestionDoesNotWaitForLongOnes() throws Exception {
        try (Questions patient = new Questions(QuestionsTest::request, TimeUnit.SECONDS.toNanos(20))) {
            List<Questions.Asked> all = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                all.add(ask(patient, "long " + i, "a"));
            }
            Thread.sleep(1_200);
            Questions.Asked waiting = ask(patient, "short", "b");
            all.forEach(Questions.Asked::makeRoom);
            assertThat(waiting.await(100)).as("three others were first").isNull();
            assertThat(patient.open(true)).as("run at once").isEqualTo(4);
            all.subList(0, 4).forEach(Questions.Asked::leave);
            assertThat(type(waiting)).isEqualTo("result");
            assertThat(patient.open(true)).isEqualTo(1);
        }
    }

    @Test
    void oneVisitorLeavesRoomForOthers() throws Exception {
        List<Questions.Asked> all = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            all.add(ask("long " + i, "a"));
        }
        assertThatThrownBy(() -> ask("long 64", "a")).hasMessageContaining("64 of your questions");
        ask("long 64", "b");
        all.get(63).leave();
        ask("long 65", "a");
    }
}
