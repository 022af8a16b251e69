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

/** What a command and a worker say to each other, one JSON object each; described in docs/protocol.md. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
sealed interface DoorMessage extends SweepClient.Command {
    /** Raised when an older side would misunderstand a newer one. */
    int VERSION = 1;

    /** Questions that a command may have open at once. */
    int QUESTIONS_MAX = 512;
    /** Longest message of a command [characters]: a question, packed and in base 64. */
    int TEXT_MAX = 2 * ClusterSerializer.MESSAGE_MAX;
    /** Largest packed result [bytes]. */
    int ANSWER_MAX = 64 << 20;

    /** When anybody asks a worker who it is; a worker of any version answers so. */
    record Greeting(String address, String build, String cluster, boolean joined, int workers) implements DoorMessage {}

    /**
     * When a command has connected.
     *
     * @param job its ticket: by the same one it takes up its points over another connection
     * @param connection how many times it has connected
     */
    record Hello(int version, String build, String cluster, String job, int connection) implements DoorMessage {
        public Hello {
            if (!job.matches("[a-z0-9-]{1,64}")) {
                throw new IllegalArgumentException("a job name may have only a-z, 0-9 and -");
            }
        }
    }

    /** When the worker takes it. */
    record Welcome(String worker, int workers) implements DoorMessage {}

    /** When it does not, for good. */
    record Refused(String why) implements DoorMessage {}

    /**
     * When the command asks for a point.
     *
     * @param weight what it is expected to cost, in no unit
     * @param parts 0 for a point that runs on one worker, else on how many at most
     * @param restart whether one that is split begins again when a worker is lost
     * @param body packed {@link io.shardsim.scenarios.cluster.Question}
     */
    record Question(int number, double weight, int parts, boolean restart, byte[] body) implements DoorMessage {}

    /**
     * When the command says which points it waits for: each second, and whenever that has changed. Others are cancelled.
     *
     * @param over whether the command ends now
     */
    record Wanted(List<Integer> numbers, boolean over) implements DoorMessage {
        public Wanted {
            numbers = List.copyOf(numbers);
        }
    }

    /** When there is a result: a packed {@link Answer}. */
    record Result(int number, String worker, byte[] body) implements DoorMessage {}

    /** When there will be none: the coordinator gives a point up. */
    record Failed(int number, String why) implements DoorMessage, WireMessage {}

    /**
     * How things stand, each second.
     *
     * @param silentMillis since the coordinator was heard [ms]; -1 where this worker has not heard it yet
     */
    record Progress(long silentMillis, List<Standing> workers) implements DoorMessage {
        public Progress {
            workers = List.copyOf(workers);
        }
    }

    /**
     * How a worker is.
     *
     * @param running points of this command
     * @param silentMillis since the coordinator heard it [ms]
     */
    record Standing(String address, int running, long silentMillis) {}

    /** When there is something to tell the user. */
    record Notice(String text) implements DoorMessage, WireMessage {}

    default String write() {
        return Json.MAPPER.writeValueAsString(this);
    }

    /** @throws IllegalArgumentException when it is no such message */
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

    /** Types go by their names in lower case; a message lacks no part but numbers, and what a later version adds is passed over. */
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
