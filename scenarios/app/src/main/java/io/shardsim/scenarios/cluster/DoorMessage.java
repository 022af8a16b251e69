package io.shardsim.scenarios.cluster;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.NamedType;

/** Messages between a command and a worker, one JSON object each; described in docs/protocol.md. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
sealed interface DoorMessage extends SweepClient.Command {
    /** Raised when an older side would misunderstand a newer one. */
    int VERSION = 1;

    /** Maximum open questions per command. */
    int QUESTIONS_MAX = 512;
    /** Maximum message of a command [characters]: a packed question in Base64. */
    int TEXT_MAX = 2 * ClusterSerializer.MESSAGE_MAX;
    /** Maximum size of a packed result [bytes]. */
    int ANSWER_MAX = 64 << 20;

    /** A worker's identity, sent to anyone who asks; the same in every version. */
    record Greeting(String address, String build, String cluster, boolean joined, int workers) implements DoorMessage {}

    /**
     * A command's first message.
     *
     * @param job its ticket, with which it resumes its points over another connection
     * @param connection number of its connections so far
     */
    record Hello(int version, String build, String cluster, String job, int connection) implements DoorMessage {
        public Hello {
            if (!job.matches("[a-z0-9-]{1,64}")) {
                throw new IllegalArgumentException("a job name may have only a-z, 0-9 and -");
            }
        }
    }

    /** A worker's acceptance. */
    record Welcome(String worker, int workers) implements DoorMessage {}

    /** A worker's permanent refusal. */
    record Refused(String why) implements DoorMessage {}

    /**
     * A command's request for a point.
     *
     * @param weight expected cost, unitless
     * @param parts 0 for a point that runs on one worker, else the maximum number of workers
     * @param restart whether a split point restarts when a worker is lost
     * @param body packed {@link io.shardsim.scenarios.cluster.Question}
     */
    record Question(int number, double weight, int parts, boolean restart, byte[] body) implements DoorMessage {}

    /**
     * The points that a command waits for, sent each second and on every change. Others are cancelled.
     *
     * @param over whether the command is ending
     */
    record Wanted(List<Integer> numbers, boolean over) implements DoorMessage {
        public Wanted {
            numbers = List.copyOf(numbers);
        }
    }

    /** A result: a packed {@link Answer}. */
    record Result(int number, String worker, byte[] body) implements DoorMessage {}

    /** A failed point, given up by the coordinator. */
    record Failed(int number, String why) implements DoorMessage, WireMessage {}

    /**
     * The cluster's progress, sent each second.
     *
     * @param silentMillis time since the coordinator was heard [ms]; -1 if this worker has not heard it yet
     */
    record Progress(long silentMillis, List<Standing> workers) implements DoorMessage {
        public Progress {
            workers = List.copyOf(workers);
        }
    }

    /**
     * The status of a worker.
     *
     * @param running points of this command
     * @param silentMillis time since the coordinator heard it [ms]
     */
    record Standing(String address, int running, long silentMillis) {}

    /** A message for the user. */
    record Notice(String text) implements DoorMessage, WireMessage {}

    default String write() {
        return Json.MAPPER.writeValueAsString(this);
    }

    /** @throws IllegalArgumentException when it is not a valid message */
    static DoorMessage read(String text) {
        try {
            return Objects.requireNonNull(Json.MAPPER.readValue(text, DoorMessage.class));
        } catch (JacksonException | NullPointerException wrong) {
            throw new IllegalArgumentException(
                    "not a message of docs/protocol.md: "
                            + String.valueOf(wrong.getMessage())
                                    .lines()
                                    .findFirst()
                                    .orElse(""),
                    wrong);
        }
    }

    /** JSON form: types by lower-case name; only numbers may be missing, and unknown fields of later versions are ignored. */
    final class Json {
        private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                        .streamReadConstraints(StreamReadConstraints.builder()
                                .maxStringLength(2 * ANSWER_MAX)
                                .build())
                        .build())
                .registerSubtypes(Stream.of(DoorMessage.class.getPermittedSubclasses())
                        .map(type -> new NamedType(type, type.getSimpleName().toLowerCase(Locale.ROOT)))
                        .toArray(NamedType[]::new))
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
                .build();

        private Json() {}
    }
}
