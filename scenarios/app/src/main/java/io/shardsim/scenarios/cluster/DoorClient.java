package io.shardsim.scenarios.cluster;

import io.shardsim.scenarios.serving.BoundedServer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Connects to workers' endpoints with the JDK's HTTP client: a command needs no actor system of its own. */
final class DoorClient implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(2);
    /** Timeout for a worker's greeting, or for a connection. */
    private static final Duration ANSWER = Duration.ofSeconds(4);

    /** Timeout for sending the last message. */
    private static final Duration CLOSING = Duration.ofSeconds(1);

    private final ExecutorService threads = Executors.newCachedThreadPool(BoundedServer.daemons("door"));
    private final HttpClient http;
    private final String secure;
    /** Completes when the last connection has closed. */
    private volatile CompletableFuture<?> closing = CompletableFuture.completedFuture(null);

    DoorClient(ClusterSettings settings) {
        ClusterSettings.Tls tls = settings.tls();
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .proxy(HttpClient.Builder.NO_PROXY)
                .connectTimeout(CONNECT)
                .executor(threads);
        http = (tls == null ? builder : builder.sslContext(Certificates.context(tls))).build();
        secure = tls == null ? "" : "s";
    }

    /**
     * Asks a worker for its greeting.
     *
     * @return null if nothing listens there
     * @throws IOException when the listener is not a worker of a known protocol
     */
    DoorMessage.@Nullable Greeting greet(HostPort place) throws IOException, InterruptedException {
        try {
            String said = http.send(
                            HttpRequest.newBuilder(URI.create("http" + secure + "://" + place + Door.GREETING))
                                    .timeout(ANSWER)
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
            return (DoorMessage.Greeting) DoorMessage.read(said);
        } catch (ConnectException | HttpConnectTimeoutException nothing) {
            return null;
        } catch (IllegalArgumentException | ClassCastException other) {
            throw new IOException(String.valueOf(other.getMessage()), other);
        }
    }

    /** Connects to a worker; the points learn the outcome from another thread. */
    RemotePoints.Link connect(HostPort place, RemotePoints points) {
        return new Connection(place, points);
    }

    /** Waits until the last message is sent. */
    @Override
    public void close() {
        closing.join();
        threads.shutdown();
    }

    private final class Connection implements RemotePoints.Link, WebSocket.Listener {
        private final RemotePoints points;
        private final StringBuilder begun = new StringBuilder();
        private final CompletableFuture<WebSocket> socket;
        /** Completes when everything before is sent, or with the failure to connect. */
        private CompletableFuture<WebSocket> sent;

        @SuppressWarnings("FutureReturnValueIgnored") // Reported to the points, which cannot fail.
        Connection(HostPort place, RemotePoints points) {
            this.points = points;
            socket = open(place);
            sent = socket;
            socket.whenCompleteAsync(
                    (opened, failure) -> {
                        if (failure == null) {
                            points.opened(this);
                        } else {
                            points.lost(this, whyNot(failure));
                        }
                    },
                    threads);
        }

        private CompletableFuture<WebSocket> open(HostPort place) {
            try {
                return http.newWebSocketBuilder()
                        .connectTimeout(ANSWER)
                        .buildAsync(URI.create("ws" + secure + "://" + place + Door.COMMANDS), this);
            } catch (IllegalArgumentException noPlace) {
                return CompletableFuture.failedFuture(noPlace);
            }
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // A failure is reported to the points.
        public synchronized void send(DoorMessage message) {
            String text = message.write();
            sent = sent.thenCompose(open -> open.sendText(text, true));
            sent.whenCompleteAsync(
                    (open, failure) -> {
                        if (failure != null) {
                            points.lost(this, why(failure));
                        }
                    },
                    threads);
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // Ignored, open or not.
        public synchronized void close() {
            closing = sent.thenCompose(open -> open.sendClose(WebSocket.NORMAL_CLOSURE, ""))
                    .completeOnTimeout(null, CLOSING.toMillis(), TimeUnit.MILLISECONDS)
                    .handle((done, failure) -> socket.thenAccept(WebSocket::abort));
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            begun.append(data);
            if (last) {
                String text = begun.toString();
                begun.setLength(0);
                begun.trimToSize();
                try {
                    points.come(this, DoorMessage.read(text));
                } catch (IllegalArgumentException other) {
                    points.lost(this, String.valueOf(other.getMessage()));
                }
            }
            from.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket from, int status, String reason) {
            points.lost(this, "it closed the connection");
            return null;
        }

        @Override
        public void onError(WebSocket from, Throwable error) {
            points.lost(this, why(error));
        }

        private String whyNot(Throwable failure) {
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            return cause instanceof WebSocketHandshakeException refused
                    ? "it answered with status " + refused.getResponse().statusCode()
                    : cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException
                            ? "nothing is listening there"
                            : why(failure) + "; compare tls in the cluster files of both sides";
        }

        private String why(Throwable failure) {
            Throwable cause = ClusterNode.rootOf(failure);
            return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        }
    }
}
