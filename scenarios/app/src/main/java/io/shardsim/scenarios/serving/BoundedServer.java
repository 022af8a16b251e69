package io.shardsim.scenarios.serving;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The JDK's HTTP server with bounds: so many connections at once, so long for a request to come whole, and for each block of an answer to be taken. A
 * connection has one request at a time and each request one thread, so connections bound threads.
 */
public final class BoundedServer implements AutoCloseable {
    /** Connections that are open at once; one more is closed at once. */
    static final int CONNECTIONS_MAX = 256;
    /** For a request to come whole, for the next one of a connection, and for each block of an answer to be taken. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final int BACKLOG = 64;

    static {
        // Read once, by the first server of the JVM.
        bound("jdk.httpserver.maxConnections", CONNECTIONS_MAX);
        bound("sun.net.httpserver.maxReqTime", PATIENCE.toSeconds());
        bound("sun.net.httpserver.idleInterval", PATIENCE.toSeconds());
    }

    private final HttpServer server;
    private final SlowClients clients = new SlowClients(PATIENCE);
    private final ExecutorService connections;

    private BoundedServer(HttpServer server, ExecutorService connections) {
        this.server = server;
        this.connections = connections;
    }

    private static void bound(String property, long value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, String.valueOf(value));
        }
    }

    /**
     * A server that listens; it answers once it is started.
     *
     * @param place with port 0, any that is free
     * @param name of its threads
     * @param tls keys of HTTPS, which asks clients for no certificate; null for plain HTTP
     * @throws IOException when the place cannot be had
     */
    public static BoundedServer open(InetSocketAddress place, String name, @Nullable SSLContext tls)
            throws IOException {
        HttpServer server = tls == null ? HttpServer.create(place, BACKLOG) : https(place, tls);
        ExecutorService connections = Executors.newCachedThreadPool(daemons(name));
        server.setExecutor(connections);
        return new BoundedServer(server, connections);
    }

    private static HttpServer https(InetSocketAddress place, SSLContext tls) throws IOException {
        HttpsServer server = HttpsServer.create(place, BACKLOG);
        server.setHttpsConfigurator(new HttpsConfigurator(tls));
        return server;
    }

    /** Makes threads that do not keep the JVM from its end. */
    public static ThreadFactory daemons(String name) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Lets a handler answer all that is asked at a path and below. */
    public void serve(String path, HttpHandler handler) {
        server.createContext(path, exchange -> {
            try (exchange) {
                handler.handle(exchange);
            }
        });
    }

    public void start() {
        server.start();
    }

    public InetSocketAddress address() {
        return server.getAddress();
    }

    /**
     * Reads the body of a request, at most so many bytes of it.
     *
     * @throws IOException also when the client did not send it in time
     */
    public byte[] body(HttpExchange exchange, int bytesMax) throws IOException {
        return clients.read(exchange.getRequestBody(), bytesMax);
    }

    /**
     * Sends a whole answer.
     *
     * @throws IOException also when the client did not take it in time
     */
    public void send(HttpExchange exchange, int status, byte[] body) throws IOException {
        boolean bare = body.length == 0 || exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, bare ? -1 : body.length);
        if (!bare) {
            try (OutputStream out = exchange.getResponseBody()) {
                write(out, body);
            }
        }
    }

    /**
     * Sends a part of an answer.
     *
     * @throws IOException also when the client did not take it in time
     */
    public void write(OutputStream out, byte[] part) throws IOException {
        clients.write(out, part);
    }

    @Override
    public void close() {
        server.stop(0);
        connections.shutdownNow();
        clients.close();
    }
}
