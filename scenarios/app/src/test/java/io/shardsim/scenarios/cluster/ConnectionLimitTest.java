package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A gate before a port that accepts anything. */
class ConnectionLimitTest {
    private static final int MEMBERS_MAX = 16;
    private static final byte[] PREFIX = {'A', 'K', 'K', 'A', 2};
    private static final byte[] REQUEST =
            "GET /ready HTTP/1.1\r\nHost: here\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final List<AutoCloseable> open = new ArrayList<>();
    private ServerSocket within;

    @BeforeEach
    void listen() throws IOException {
        within = opened(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private <T extends AutoCloseable> T opened(T resource) {
        open.add(resource);
        return resource;
    }

    private ConnectionLimit gate(Framing framing) throws IOException {
        ConnectionLimit gate =
                opened(ConnectionLimit.bind(ClusterSettings.LOOPBACK, 0, framing == Framing.TLS, MEMBERS_MAX));
        gate.openTo(framing == Framing.TLS ? Framing.HTTP : framing, within.getLocalPort());
        return gate;
    }

    private Socket connection(ConnectionLimit gate, byte[]... bytes) throws IOException {
        Socket socket = opened(new Socket(InetAddress.getLoopbackAddress(), gate.port()));
        for (byte[] each : bytes) {
            socket.getOutputStream().write(each);
        }
        return socket;
    }

    private static byte[] frame(int length) {
        byte[] frame = new byte[Integer.BYTES + length];
        new Random(length).nextBytes(frame);
        ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).putInt(length).put((byte) 0);
        return frame;
    }

    private static byte[] record(int type, int length) {
        byte[] record = new byte[5 + length];
        ByteBuffer.wrap(record).put((byte) type).put((byte) 3).put((byte) 3).putShort((short) length);
        return record;
    }

    private static boolean isClosed(Socket socket) {
        try {
            socket.setSoTimeout(1);
            return socket.getInputStream().read() < 0;
        } catch (java.net.SocketTimeoutException open) {
            return false;
        } catch (IOException reset) {
            return true;
        }
    }

    @Test
    void wholeFramesPassUnchanged() throws IOException {
        Socket member = connection(gate(Framing.ARTERY), PREFIX, frame(28), frame(200_000), frame(262_144), frame(99));

        byte[] passed = within.accept().getInputStream().readNBytes(5 + 32 + 200_004 + 262_148 + 103);

        ByteBuffer expected = ByteBuffer.allocate(passed.length);
        expected.put(PREFIX)
                .put(frame(28))
                .put(frame(200_000))
                .put(frame(262_144))
                .put(frame(99));
        assertThat(passed).isEqualTo(expected.array());
        assertThat(isClosed(member)).isFalse();
    }

    /** Like a member that rejoins. */
    @Test
    void closedGateLeavesItsPort() throws IOException {
        int port = within.getLocalPort();
        within.close();
        for (int round = 0; round < 500; round++) {
            ConnectionLimit gate = ConnectionLimit.bind(ClusterSettings.LOOPBACK, port, false, MEMBERS_MAX);
            new Socket(InetAddress.getLoopbackAddress(), port).close();
            gate.close();
        }
    }

    /** Silent, or silent after the prefix, or within a long frame. */
    @ParameterizedTest
    @Tag("slow")
    @EnumSource(Framing.class)
    void strangersWithoutAFrameMakeRoomForAMember(Framing framing) throws IOException {
        ConnectionLimit gate = gate(framing);
        byte[] half = Arrays.copyOf(
                switch (framing) {
                    case TLS -> record(22, 16_000);
                    case HTTP -> REQUEST;
                    case ARTERY -> PREFIX;
                },
                5);
        List<Socket> strangers = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            strangers.add(
                    i % 3 == 0
                            ? connection(gate)
                            : i % 3 == 1 || framing != Framing.ARTERY
                                    ? connection(gate, half)
                                    : connection(gate, PREFIX, Arrays.copyOf(frame(100_000), 50_000)));
        }

        byte[][] hello = switch (framing) {
            case TLS -> new byte[][] {record(22, 300), record(20, 1), record(23, 500)};
            case HTTP -> new byte[][] {REQUEST};
            case ARTERY -> new byte[][] {PREFIX, frame(100)};
        };
        Socket member = connection(gate, hello);

        int length = 0;
        for (byte[] each : hello) {
            length += each.length;
        }
        assertThat(within.accept().getInputStream().readNBytes(length)).hasSize(length);
        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(strangers.stream()
                                .filter(each -> !isClosed(each))
                                .count())
                        .isLessThanOrEqualTo(MEMBERS_MAX / 4));
        assertThat(isClosed(member)).isFalse();
    }

    /** The one with half a request for longest is closed, though it sends a byte now and then. */
    @Test
    void ofSlowRequestsTheOldestMakeRoom() throws IOException {
        ConnectionLimit gate = gate(Framing.HTTP);
        List<Socket> slow = new ArrayList<>();
        for (int i = 0; i < 256; i++) {
            slow.add(connection(gate, Arrays.copyOf(REQUEST, 5)));
        }
        int most = MEMBERS_MAX / 4;
        assertOpen(slow, slow.subList(256 - most, 256));
        slow.get(256 - most).getOutputStream().write(REQUEST, 5, 1);

        connection(gate, REQUEST);
        assertThat(within.accept().getInputStream().readNBytes(REQUEST.length)).isEqualTo(REQUEST);
        assertOpen(slow, slow.subList(257 - most, 256));
    }

    private static void assertOpen(List<Socket> all, List<Socket> open) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(8))
                .untilAsserted(() -> assertThat(
                                all.stream().filter(each -> !isClosed(each)).toList())
                        .isEqualTo(open));
    }

    /** In the long run, one that has sent a frame and then stays silent is treated no better. */
    @Test
    void memberThatSpeaksStaysAndTheSilentGo() throws Exception {
        ConnectionLimit gate = gate(Framing.ARTERY);
        Socket member = connection(gate, PREFIX, frame(100));
        Socket inside = within.accept();
        inside.getInputStream().readNBytes(5 + 104);
        List<Socket> silent = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            silent.add(connection(gate, PREFIX, frame(100)));
            opened(within.accept()).getInputStream().readNBytes(5 + 104);
            member.getOutputStream().write(frame(60));
            assertThat(inside.getInputStream().readNBytes(64)).hasSize(64);
        }

        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(
                                silent.stream().filter(each -> !isClosed(each)).count())
                        .isLessThan(MEMBERS_MAX));
        assertThat(isClosed(member)).isFalse();
    }

    /** A request and WebSocket frames, which arrive in pieces. */
    @Test
    void requestAndFramesOfACommandPassUnchanged() throws IOException {
        byte[] small = webSocketFrame(120);
        byte[] medium = webSocketFrame(60_000);
        byte[] large = webSocketFrame(200_000);
        Socket command = connection(gate(Framing.HTTP), REQUEST, small, Arrays.copyOf(medium, 3));
        command.getOutputStream().write(medium, 3, medium.length - 3);
        command.getOutputStream().write(large);

        byte[] passed = within.accept()
                .getInputStream()
                .readNBytes(REQUEST.length + small.length + medium.length + large.length);

        ByteBuffer expected = ByteBuffer.allocate(passed.length);
        expected.put(REQUEST).put(small).put(medium).put(large);
        assertThat(passed).isEqualTo(expected.array());
        assertThat(isClosed(command)).isFalse();
    }

    private static byte[] webSocketFrame(int length) {
        byte[] frame = new byte[(length < 126 ? 2 : length < 65_536 ? 4 : 10) + 4 + length];
        new Random(length).nextBytes(frame);
        ByteBuffer head = ByteBuffer.wrap(frame).put((byte) 0x81);
        if (length < 126) {
            head.put((byte) (0x80 | length));
        } else if (length < 65_536) {
            head.put((byte) (0x80 | 126)).putShort((short) length);
        } else {
            head.put((byte) (0x80 | 127)).putLong(length);
        }
        return frame;
    }

    @Test
    void whatIsNoRequestIsClosed() throws IOException {
        ConnectionLimit gate = gate(Framing.HTTP);

        Socket member = connection(gate, PREFIX, frame(100));
        Socket longHead = connection(gate, ("GET /" + "x".repeat(9_000)).getBytes(StandardCharsets.US_ASCII));
        Socket body = connection(gate, "POST / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .until(() -> isClosed(member) && isClosed(longHead) && isClosed(body));
    }

    @Test
    void whatIsNoTlsIsClosed() throws IOException {
        ConnectionLimit gate = gate(Framing.TLS);

        Socket plain = connection(gate, PREFIX, frame(100));
        Socket data = connection(gate, record(23, 100));
        Socket odd = connection(gate, record(22, 100), new byte[] {99, 3, 3, 0, 1, 0});

        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> isClosed(plain) && isClosed(data));
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> isClosed(odd));
    }

    /** Nothing more arrives after its beginning; takes the ten seconds of the limit. */
    @Test
    @Tag("slow")
    void strangerHasTenSecondsForItsFirstFrame() throws IOException {
        Socket stranger = connection(gate(Framing.ARTERY), PREFIX);

        Awaitility.await()
                .between(Duration.ofSeconds(8), Duration.ofSeconds(60))
                .until(() -> isClosed(stranger));
    }
}
