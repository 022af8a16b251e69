package io.shardsim.scenarios.serving;

import com.sun.net.httpserver.HttpExchange;
import io.shardsim.reports.PageFiles;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problem;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Serves a page and its requests, only to pages of its own origin: it refuses host names that another site points here, and requests sent by other
 * sites' pages. Uses the JDK's HTTP server, which loads nothing, so the page is available immediately.
 */
public final class PageServer implements AutoCloseable {
    /** Allows only the page's own files; no inline scripts or styles, no forms, nothing external. */
    private static final String CONTENT_POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self';"
                    + " frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final String FRAMED = "frame-ancestors 'self'";
    private static final String BEARER = "Bearer ";

    private static final JsonMapper JSON = JsonMapper.shared();

    private final BoundedServer server;
    private final String token;
    private final String origin;
    private final LongAdder refused = new LongAdder();

    /** Handles one path. */
    public interface Handler {
        void handle(HttpExchange exchange) throws IOException, Refused, InputException, InterruptedException;
    }

    private PageServer(BoundedServer server, String token, String origin) {
        this.server = server;
        this.token = token;
        this.origin = origin;
    }

    /**
     * Opens a server that listens; it answers once it is started.
     *
     * @param place address; port 0 picks a free one
     * @param name name of its threads
     * @param token token required for requests beyond the page's files; empty for none
     * @param tls keys for HTTPS; null for plain HTTP
     * @param assets the page's files by name; null if there is none
     */
    public static PageServer open(
            InetSocketAddress place,
            String name,
            String token,
            @Nullable SSLContext tls,
            Function<String, PageFiles.@Nullable Asset> assets)
            throws IOException {
        BoundedServer server = BoundedServer.open(place, name, tls);
        String host = host(place);
        String origin = (tls == null ? "http://" : "https://") + (host.contains(":") ? "[" + host + "]" : host) + ":"
                + server.address().getPort();
        PageServer pages = new PageServer(server, token, origin);
        pages.serve("/", "GET", exchange -> pages.sendAsset(exchange, assets));
        return pages;
    }

    /** Returns the host as given, since a certificate names a host and not its address; for the wildcard address, this machine's name. */
    private static String host(InetSocketAddress place) {
        InetAddress address = place.getAddress();
        try {
            return address.isAnyLocalAddress()
                    ? InetAddress.getLocalHost().getHostName()
                    : address.isLoopbackAddress() ? address.getHostAddress() : place.getHostString();
        } catch (UnknownHostException nameless) {
            return place.getHostString();
        }
    }

    /** Registers a handler for requests of a method at a path and below. */
    public void serve(String path, String method, Handler handler) {
        server.serve(path, exchange -> answer(exchange, path, method, handler));
    }

    public void start() {
        server.start();
    }

    /** Returns the page's address. */
    public String address() {
        return origin + "/";
    }

    /** Returns the number of refused requests. */
    public long refused() {
        return refused.sum();
    }

    private void answer(HttpExchange exchange, String path, String method, Handler handler) throws IOException {
        try {
            guard(exchange, path, method);
            handler.handle(exchange);
        } catch (Refused why) {
            refused.increment();
            sendJson(exchange, why.status(), Map.of("error", String.valueOf(why.getMessage())));
        } catch (InputException wrong) {
            List<String> problems =
                    wrong.problems().stream().map(Problem::message).toList();
            sendJson(exchange, 422, Map.of("problems", problems));
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        } catch (IllegalStateException failed) {
            sendJson(exchange, 500, Map.of("error", String.valueOf(failed.getMessage())));
        }
    }

    private void guard(HttpExchange exchange, String path, String method) throws Refused {
        String host = exchange.getRequestHeaders().getFirst("Host");
        int port = server.address().getPort();
        String scheme = origin.substring(0, origin.indexOf("//") + 2);
        boolean known = host != null
                && (!token.isEmpty()
                        || host.equals(origin.substring(scheme.length()))
                        || host.equals("localhost:" + port)
                                && server.address().getAddress().isLoopbackAddress());
        if (!known) {
            throw new Refused(403, "this server answers only at " + address());
        }
        String from = exchange.getRequestHeaders().getFirst("Origin");
        String site = exchange.getRequestHeaders().getFirst("Sec-Fetch-Site");
        boolean foreign = from != null && !from.equals(scheme + host)
                || site != null && !site.equals("same-origin") && !site.equals("none");
        // A link from elsewhere, for example in a message.
        boolean isLink = exchange.getRequestURI().getPath().equals("/")
                || path.equals("/")
                        && "navigate".equals(exchange.getRequestHeaders().getFirst("Sec-Fetch-Mode"));
        if (foreign && !isLink) {
            throw new Refused(403, "requested by a page of another origin");
        }
        if (!exchange.getRequestMethod().equals(method)) {
            throw new Refused(405, "use " + method);
        }
        if (!path.equals("/") && !token.isEmpty() && !isShown(exchange)) {
            throw new Refused(401, "open the full address that the command printed, including the token");
        }
    }

    private boolean isShown(HttpExchange exchange) throws Refused {
        String header = exchange.getRequestHeaders().getFirst("Authorization");
        String shown = header != null && header.startsWith(BEARER)
                ? header.substring(BEARER.length())
                : query(exchange).getOrDefault("token", "");
        return MessageDigest.isEqual(shown.getBytes(StandardCharsets.UTF_8), token.getBytes(StandardCharsets.UTF_8));
    }

    private void sendAsset(HttpExchange exchange, Function<String, PageFiles.@Nullable Asset> assets)
            throws IOException, Refused {
        String path = exchange.getRequestURI().getPath();
        PageFiles.Asset asset = assets.apply(path.equals("/") ? "index.html" : path.substring(1));
        if (asset == null) {
            throw new Refused(404, "nothing here");
        }
        send(exchange, asset.type(), CONTENT_POLICY, asset.content());
    }

    /** Sends a tree of maps, lists and values as JSON, with an HTTP status. */
    public void sendJson(HttpExchange exchange, int status, Object tree) throws IOException {
        headers(exchange, "application/json; charset=utf-8", CONTENT_POLICY);
        server.send(exchange, status, JSON.writeValueAsBytes(tree));
    }

    /** Sends a page with its own content policy; only pages of this origin may frame it. */
    public void sendPage(HttpExchange exchange, String html) throws IOException {
        send(exchange, "text/html; charset=utf-8", FRAMED, html.getBytes(StandardCharsets.UTF_8));
    }

    /** Sends a text. */
    public void sendText(HttpExchange exchange, String type, String text) throws IOException {
        send(exchange, type, CONTENT_POLICY, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Sends a file as a download. */
    public void sendFile(HttpExchange exchange, String type, String name, String text) throws IOException {
        exchange.getResponseHeaders().set("Content-Disposition", "attachment; filename=\"" + name + "\"");
        send(exchange, type, FRAMED, text.getBytes(StandardCharsets.UTF_8));
    }

    private void send(HttpExchange exchange, String type, String policy, byte[] content) throws IOException {
        headers(exchange, type, policy);
        server.send(exchange, 200, content);
    }

    /** Starts a streamed answer, whose parts {@link #write} sends. */
    public OutputStream stream(HttpExchange exchange, String type) throws IOException {
        headers(exchange, type, CONTENT_POLICY);
        exchange.sendResponseHeaders(200, 0);
        return exchange.getResponseBody();
    }

    /**
     * Sends part of an answer.
     *
     * @throws IOException also on a timeout of the client
     */
    public void write(OutputStream out, String part) throws IOException {
        server.write(out, part.getBytes(StandardCharsets.UTF_8));
    }

    private static void headers(HttpExchange exchange, String type, String policy) {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        exchange.getResponseHeaders().set("Content-Security-Policy", policy);
        exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
        exchange.getResponseHeaders().set("Referrer-Policy", "no-referrer");
        exchange.getResponseHeaders().set("Cross-Origin-Resource-Policy", "same-origin");
        exchange.getResponseHeaders().set("Cross-Origin-Opener-Policy", "same-origin");
    }

    /** Reads a request's body, a JSON object of up to a number of bytes. */
    public JsonNode body(HttpExchange exchange, int bytesMax) throws IOException, Refused {
        byte[] body = server.body(exchange, bytesMax + 1);
        if (body.length > bytesMax) {
            throw new Refused(413, "body of more than " + bytesMax + " bytes");
        }
        try {
            JsonNode tree = JSON.readTree(body);
            if (tree.isObject()) {
                return tree;
            }
        } catch (JacksonException unreadable) {
            // Treated like any other invalid body.
        }
        throw new Refused(400, "body is not a JSON object");
    }

    /** Returns the query parameters of a request. */
    public static Map<String, String> query(HttpExchange exchange) throws Refused {
        Map<String, String> query = new LinkedHashMap<>();
        String raw = exchange.getRequestURI().getRawQuery();
        for (String part : raw == null ? new String[0] : raw.split("&")) {
            int equals = part.indexOf('=');
            if (equals > 0) {
                query.put(part.substring(0, equals), decoded(part.substring(equals + 1)));
            }
        }
        return query;
    }

    private static String decoded(String value) throws Refused {
        try {
            return URLDecoder.decode(value, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException broken) {
            throw new Refused(400, "invalid escape in the address");
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
