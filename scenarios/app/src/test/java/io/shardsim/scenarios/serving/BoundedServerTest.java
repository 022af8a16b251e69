package io.shardsim.scenarios.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class BoundedServerTest {
    private static final int ANSWER_MILLIS_MAX = 9_000;
    /** The timeout, plus the interval of the JDK server's checks, on a busy machine. */
    private static final int DROP_MILLIS_MAX = 60_000;

    private static final String ASK = "GET /hello HTTP/1.1\r\nHost: here\r\n\r\n";

    private final List<Socket> sockets = new ArrayList<>();
    private BoundedServer server;

    @BeforeEach
    void start() throws IOException {
        server = BoundedServer.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), "test", null);
        server.serve("/hello", exchange -> server.send(exchange, 200, "hello".getBytes(StandardCharsets.UTF_8)));
        server.start();
    }

    @AfterEach
    void stop() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        server.close();
    }

    private Socket client(String said) throws IOException {
        Socket socket =
                new Socket(server.address().getAddress(), server.address().getPort());
        sockets.add(socket);
        socket.getOutputStream().write(said.getBytes(StandardCharsets.UTF_8));
        return socket;
    }

    private String answer(String said) throws IOException {
        Socket socket = client(said);
        socket.setSoTimeout(ANSWER_MILLIS_MAX);
        return new String(socket.getInputStream().readNBytes(15), StandardCharsets.UTF_8);
    }

    private static void isDropped(Socket socket) throws IOException {
        socket.setSoTimeout(DROP_MILLIS_MAX);
        socket.getInputStream().readAllBytes();
    }

    @Test
    void slowClientsHoldNobodyUpAndAreDropped() throws IOException {
        List<Socket> slow = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            slow.add(client(ASK.substring(0, ASK.length() - 2)));
            slow.add(client("POST /hello HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n\r\n"));
        }

        assertThat(answer(ASK)).isEqualTo("HTTP/1.1 200 OK");
        for (Socket one : slow) {
            isDropped(one);
        }
    }

    @Test
    void oneConnectionTooManyIsClosedAndSilentOnesSoonAre() throws IOException {
        List<Socket> silent = new ArrayList<>();
        for (int i = 0; i < BoundedServer.CONNECTIONS_MAX; i++) {
            silent.add(client(""));
        }
        Socket tooMany = client("");
        tooMany.setSoTimeout(ANSWER_MILLIS_MAX);
        assertThat(tooMany.getInputStream().read()).isEqualTo(-1);

        for (Socket one : silent) {
            isDropped(one);
        }
        assertThat(answer(ASK)).isEqualTo("HTTP/1.1 200 OK");
    }

    @Test
    void aHeadHasNoBody() throws IOException {
        Socket socket = client(ASK.replace("GET", "HEAD").replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
        assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .startsWith("HTTP/1.1 200 OK")
                .endsWith("\r\n\r\n");
    }
}
