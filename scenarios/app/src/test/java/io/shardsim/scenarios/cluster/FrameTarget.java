package io.shardsim.scenarios.cluster;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.cluster.wire.WireCodec;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.fuzz.Damage;
import io.shardsim.scenarios.fuzz.Outcome;
import io.shardsim.scenarios.fuzz.Target;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import java.io.NotSerializableException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32;
import org.apache.pekko.actor.testkit.typed.javadsl.BehaviorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestInbox;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorRefResolver;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.slf4j.LoggerFactory;

/**
 * Messages of a member, with bytes changed and the checksum corrected. What still decodes is delivered to the actor that receives it. The first byte
 * of an input gives the kind of the rest: 0 a message, 1 a question or an answer, 2 a message between a command and a worker.
 */
public final class FrameTarget implements Target {
    private static final int MESSAGE = 0;
    private static final int CONTENT = 1;
    private static final int DOOR = 2;
    private static final DoorMessage.Hello HELLO = new DoorMessage.Hello(1, "a build", "shardsim", "job", 1);
    private static final int HEADER = 1 + Integer.BYTES;

    private final ActorSystem<Void> system = ActorSystem.create(Behaviors.empty(), "frames");
    private final WireCodec messages = ClusterProtocol.messageCodec(system);
    private final WireCodec contents = ClusterProtocol.contentCodec();
    private final List<byte[]> whole = new ArrayList<>();
    private final byte[] question;
    private final byte[] answer;

    /** Writes one message of every kind. */
    public FrameTarget() throws Exception {
        ((Logger) LoggerFactory.getLogger(Coordinator.class.getPackageName())).setLevel(Level.ERROR);
        ScenarioPoint point = ScenarioReader.readText("frames", """
                        scenario: frames
                        cluster: {instance: p4d.24xlarge, nodes: 1}
                        workload: {collective: all_reduce, size: 1 MiB}
                        """).points().get(0);
        Question asked = new Question(point, new RunOptions(1, true));
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            RunResult result = SimulatedCluster.timeless(simulation.run(point));
            question = contents.pack(asked);
            answer = contents.pack(new Answer.Done(result));
            whole.add(framed(CONTENT, contents.encode(asked)));
            whole.add(framed(CONTENT, contents.encode(new Answer.Done(result))));
        }
        Ticket ticket = new Ticket("job", 1);
        ActorRef<Member.Command> member = named("member");
        ActorRef<SweepClient.Command> client = named("client");
        for (Object message : List.of(
                new Coordinator.Beat(member, "one:1", 2, List.of(ticket), List.of(new Ticket("job", 2))),
                new Coordinator.Wanted("job", 1, client, List.of(1, 2, 3), false),
                new Coordinator.Submitted(ticket, 3.5, question),
                new Member.Assign(ticket, question),
                new Member.Drop(List.of(ticket)),
                new Member.Fetch(ticket, 0, client),
                new Member.AssignPart(new Attempt(ticket, 1, 7), question, 0, List.of(member, member), client),
                new Member.Ended(new Attempt(ticket, 1, 7)),
                new SweepClient.Attempted(1, 2),
                new Member.Window(
                        new RemoteExchange.Piece(new Attempt(ticket, 1, 7), 1, 0, 0, 1, new byte[] {1, 2, 3}), member),
                new SweepClient.Status(List.of(new MemberStatus(member, "one:1", 1, 5))),
                new SweepClient.Unknown(List.of(1, 2)),
                new DoorMessage.Notice("a member left"),
                new DoorMessage.Failed(1, "no"),
                new SweepClient.Offered(1, member, "one:1"),
                new SweepClient.Part(1, "one:1", answer.length, 0, answer),
                new SweepClient.Replaced())) {
            whole.add(framed(MESSAGE, messages.encode(message)));
        }
        for (DoorMessage said : List.of(
                HELLO,
                new DoorMessage.Question(1, 2.5, 0, false, question),
                new DoorMessage.Wanted(List.of(1, 2), false),
                new DoorMessage.Progress(20, List.of(new DoorMessage.Standing("one:1", 1, 5))),
                new DoorMessage.Result(1, "one:1", answer))) {
            whole.add(framed(DOOR, said.write().getBytes(StandardCharsets.UTF_8)));
        }
    }

    /** A reference that is written the same way each time. */
    private <T> ActorRef<T> named(String name) {
        return ActorRefResolver.get(system).resolveActorRef("pekko://frames/user/" + name);
    }

    private static byte[] framed(int kind, byte[] bytes) {
        return ByteBuffer.allocate(1 + bytes.length).put((byte) kind).put(bytes).array();
    }

    @Override
    public byte[] input(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] one = whole.get(random.nextInt(whole.size()));
        return new Damage(random).bytes(one, one[0] == DOOR ? 1 : HEADER);
    }

    @Override
    public Outcome outcome(byte[] input) {
        byte[] bytes = input.length == 0 ? input : Arrays.copyOfRange(input, 1, input.length);
        int kind = input.length == 0 ? MESSAGE : input[0];
        try {
            if (kind == DOOR) {
                receiveAtTheDoor(new String(bytes, StandardCharsets.UTF_8));
            } else {
                sign(bytes);
                receive((kind == CONTENT ? contents : messages).decode(bytes));
            }
            return Outcome.of(Outcome.Kind.READ);
        } catch (NotSerializableException | IllegalArgumentException refused) {
            return Outcome.of(Outcome.Kind.REFUSED);
        }
    }

    private static void sign(byte[] bytes) {
        if (bytes.length >= Integer.BYTES) {
            CRC32 crc = new CRC32();
            crc.update(bytes, Integer.BYTES, bytes.length - Integer.BYTES);
            ByteBuffer.wrap(bytes).putInt((int) crc.getValue());
        }
    }

    /** Each actor has work in progress when the message arrives. */
    private void receive(Object message) {
        Ticket ticket = new Ticket("job", 1);
        if (message instanceof Coordinator.Command command) {
            BehaviorTestKit<Coordinator.Command> kit =
                    BehaviorTestKit.create(Coordinator.create(Duration.ofSeconds(4)));
            kit.run(new Coordinator.Wanted(
                    "job", 1, TestInbox.<SweepClient.Command>create().getRef(), List.of(1), false));
            kit.run(new Coordinator.Submitted(ticket, 1, question));
            kit.run(command);
            kit.run(new Coordinator.Beat(
                    TestInbox.<Member.Command>create().getRef(), "two:1", 1, List.of(), List.of()));
        } else if (message instanceof Member.Command command) {
            Member.Runs runs = new Member.Runs(PointSimulation::new, 1, result -> {}, new Unhurried());
            BehaviorTestKit<Member.Command> kit = BehaviorTestKit.create(
                    Member.create(TestInbox.<Coordinator.Command>create().getRef(), "two:1", 2, runs));
            kit.run(new Member.Assign(ticket, question));
            kit.run(command);
        } else if (message instanceof SweepClient.Command command) {
            BehaviorTestKit<SweepClient.Command> kit = visit();
            kit.run(new SweepClient.Offered(
                    1, TestInbox.<Member.Command>create().getRef(), "one:1"));
            kit.run(command);
            if (kit.isAlive()) {
                kit.run(new SweepClient.Part(1, "one:1", answer.length, 0, answer));
            }
        }
    }

    private BehaviorTestKit<SweepClient.Command> visit() {
        BehaviorTestKit<SweepClient.Command> kit = BehaviorTestKit.create(SweepClient.create(
                HELLO,
                TestInbox.<Coordinator.Command>create().getRef(),
                Duration.ofSeconds(60),
                new SweepClient.Way() {
                    @Override
                    public void send(DoorMessage message) {}

                    @Override
                    public void close() {}
                },
                System::nanoTime));
        kit.run(new DoorMessage.Question(1, 1, 0, false, question));
        return kit;
    }

    /** Both sides handle valid messages of the other. */
    private void receiveAtTheDoor(String text) {
        DoorMessage message = DoorMessage.read(text);
        visit().run(message);
        RemotePoints.Link link = new RemotePoints.Link() {
            @Override
            public void send(DoorMessage said) {}

            @Override
            public void close() {}
        };
        ClusterSettings settings =
                ClusterFile.settings(new ClusterFile.Flags(null, null, null, 0, List.of("one:1"), null), Map.of());
        RemotePoints points = new RemotePoints(settings, "job", (place, asking) -> link, told -> {}, System::nanoTime);
        points.tick();
        points.ask(1, 0, false, question, new CompletableFuture<>());
        points.come(link, new DoorMessage.Welcome("one:1", 1));
        points.come(link, message);
        points.tick();
    }
}
