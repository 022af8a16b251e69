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
 * The JDK's HTTP server with limits: on concurrent connections, on the time for a whole request, and on the time for a client to take each block of
 * an answer. A connection has one request at a time and each request one thread, so connections bound threads.
 */
public final class BoundedServer implements AutoCloseable {
    /** Maximum number of open connections; one more is closed immediately. */
    static final int CONNECTIONS_MAX = 256;
    /** Timeout for a whole request, for a connection's next one, and for each block of an answer. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final int BACKLOG = 64;

    static {
        // Read once, by the JVM's first server.
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
     * Opens a server that listens; it answers once it is started.
     *
     * @param place address; port 0 picks a free one
     * @param name name of its threads
     * @param tls keys for HTTPS, without client certificates; null for plain HTTP
     * @throws IOException when it cannot bind the address
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

    /** Returns a factory of threads that do not keep the JVM alive. */
    public static ThreadFactory daemons(String name) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Registers a handler for a path and everything below it. */
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
     * Reads a request's body, up to a number of bytes.
     *
     * @throws IOException also on a timeout of the client
     */
    public byte[] body(HttpExchange exchange, int bytesMax) throws IOException {
        return clients.read(exchange.getRequestBody(), bytesMax);
    }

    /**
     * Sends a whole answer.
     *
     * @throws IOException also on a timeout of the client
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
     * Sends part of an answer.
     *
     * @throws IOException also on a timeout of the client
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
