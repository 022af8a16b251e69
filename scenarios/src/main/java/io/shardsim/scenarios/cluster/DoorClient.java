package io.shardsim.scenarios.cluster;

import io.shardsim.scenarios.serving.BoundedServer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** Connects to the doors of workers, with the JDK's HTTP client: a command needs no actor system of its own. */
final class DoorClient implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(2);
    /** Until a worker has said who it is, or taken a connection. */
    private static final Duration ANSWER = Duration.ofSeconds(4);

    private final ExecutorService threads = Executors.newCachedThreadPool(BoundedServer.daemons("door"));
    private final HttpClient http;
    private final String secure;

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
     * Asks a worker who it is.
     *
     * @return null when nothing listens there
     * @throws IOException when what listens is no worker that we understand
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
        } catch (ConnectException | java.net.http.HttpConnectTimeoutException nothing) {
            return null;
        } catch (IllegalArgumentException | ClassCastException other) {
            throw new IOException(String.valueOf(other.getMessage()), other);
        }
    }

    /** Connects to a worker; the points are told how that ends, from another thread. */
    RemotePoints.Link connect(HostPort place, RemotePoints points) {
        return new Connection(place, points);
    }

    @Override
    public void close() {
        threads.shutdown();
    }

    private final class Connection implements RemotePoints.Link, WebSocket.Listener {
        private final RemotePoints points;
        private final StringBuilder begun = new StringBuilder();
        /** All that was sent before, or how connecting failed. */
        private CompletableFuture<WebSocket> sent;

        @SuppressWarnings("FutureReturnValueIgnored") // Told to the points, which cannot fail.
        Connection(HostPort place, RemotePoints points) {
            this.points = points;
            try {
                sent = http.newWebSocketBuilder()
                        .connectTimeout(ANSWER)
                        .buildAsync(URI.create("ws" + secure + "://" + place + Door.COMMANDS), this);
            } catch (IllegalArgumentException noPlace) {
                sent = CompletableFuture.failedFuture(noPlace);
            }
            sent.whenCompleteAsync(
                    (socket, failure) -> {
                        if (failure == null) {
                            points.opened(this);
                        } else {
                            points.lost(this, why(failure));
                        }
                    },
                    threads);
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // A failure is told to the points.
        public synchronized void send(DoorMessage message) {
            String text = message.write();
            sent = sent.thenCompose(socket -> socket.sendText(text, true));
            sent.whenCompleteAsync(
                    (socket, failure) -> {
                        if (failure != null) {
                            points.lost(this, why(failure));
                        }
                    },
                    threads);
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // Whether or not the other side hears it.
        public synchronized void close() {
            sent.thenCompose(socket -> socket.sendClose(WebSocket.NORMAL_CLOSURE, ""))
                    .orTimeout(ANSWER.toMillis(), java.util.concurrent.TimeUnit.MILLISECONDS)
                    .handle((done, failure) -> sent.thenAccept(WebSocket::abort));
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
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
            socket.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            points.lost(this, "it closed the connection");
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            points.lost(this, why(error));
        }

        private String why(Throwable failure) {
            Throwable cause = failure;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            return cause instanceof ConnectException
                    ? "nothing listens there"
                    : cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        }
    }
}
