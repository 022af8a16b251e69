package io.shardsim.scenarios.cluster;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A proxy before Pekko's own ports, one for members and one for commands, that passes only well-formed frames. Pekko 1.7.0 itself waits forever for a
 * silent client, loops on a frame of negative length, and stops accepting connections if there are many.
 *
 * <p>Without TLS, a connection's first byte selects the port; with TLS, the protocol that {@link ClusterTls} has members name.
 *
 * <p>A connection is a stranger's until it has sent a whole frame, with TLS one that only a member can send. Both kinds are counted. If there are too
 * many, the one silent for longest is closed: members send something each second, and clients that only hold connections open do not. So a newcomer
 * always gets in. Partial frames are counted, too.
 *
 * <p>Does not stop strangers that keep sending whole frames: only TLS distinguishes them from members.
 */
final class ConnectionLimit implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionLimit.class);

    private static final int MEMBERS_MAX = 512;
    private static final int MEMBERS_MIN = 16;
    /** Divisor of the maximum member connections that gives the strangers' share. */
    private static final int STRANGERS_SHARE = 4;
    /** File descriptors that this JVM needs for other things. */
    private static final int OTHER_FILES = 300;
    /** File descriptors per connection: two each here, inside, and at Pekko's end. */
    private static final int FILES_EACH = 6;

    private static final int BUFFER = 8 << 10;
    /** Maximum size of all partial frames beyond the buffer of each connection [bytes]. */
    private static final long HALF_FRAMES_MAX = 32 << 20;

    private static final int CONNECT_MILLIS = 5000;
    /** Timeout for a stranger's first frame [ms]. */
    private static final int STRANGER_MILLIS = 10_000;
    /** Timeout for the rest of a frame [ms]. */
    private static final int FRAME_MILLIS = 20_000;
    /** Timeout between frames [ms]; Pekko itself closes idle connections after five minutes. */
    private static final int IDLE_MILLIS = 900_000;
    /** Pause before a retry when the system has no more file descriptors [ms]. */
    private static final int PAUSE_MILLIS = 200;

    private final ServerSocket server;
    private final boolean tls;
    private final int membersMax;
    private final Set<Visitor> visitors = Collections.newSetFromMap(new ConcurrentHashMap<>());
    private final AtomicLong halfFrames = new AtomicLong();
    /** Loopback ports by framing. */
    private final Map<Framing, InetSocketAddress> inside = new ConcurrentHashMap<>();

    private final Thread accepting = thread("gate", this::acceptAll);

    private ConnectionLimit(ServerSocket server, boolean tls, int membersMax) {
        this.server = server;
        this.tls = tls;
        this.membersMax = membersMax;
    }

    /** Binds a port; passes nothing before {@link #openTo}. */
    static ConnectionLimit bind(String host, int port, boolean tls) throws IOException {
        return bind(host, port, tls, membersByFiles());
    }

    static ConnectionLimit bind(String host, int port, boolean tls, int membersMax) throws IOException {
        ServerSocket server = new ServerSocket();
        try {
            server.setReuseAddress(true);
            server.bind(new InetSocketAddress(host, port), 128);
            ConnectionLimit gate = new ConnectionLimit(server, tls, membersMax);
            gate.accepting.start();
            return gate;
        } catch (IOException taken) {
            server.close();
            throw taken;
        }
    }

    /** Returns the number of connections that this process has file descriptors for. */
    private static int membersByFiles() {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix) {
            long files = (unix.getMaxFileDescriptorCount() - OTHER_FILES) / FILES_EACH;
            return (int) Math.max(MEMBERS_MIN, Math.min(MEMBERS_MAX, files));
        }
        return MEMBERS_MAX;
    }

    int port() {
        return server.getLocalPort();
    }

    /** Passes connections of one kind, with TLS or without, to a loopback port. */
    void openTo(Framing kind, int port) {
        inside.put(kind, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    private static Thread thread(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    private void acceptAll() {
        while (!server.isClosed()) {
            try {
                Visitor visitor = new Visitor(server.accept());
                visitors.add(visitor);
                makeRoom(false, Math.max(1, membersMax / STRANGERS_SHARE));
                thread("gate-" + visitor.outside.getPort(), visitor::passOn).start();
            } catch (IOException closed) {
                if (!server.isClosed()) {
                    LOG.warn("cannot take a connection: {}", closed.getMessage());
                    makeRoom(false, 0);
                    pause();
                }
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }

    /** Closes the connection of a kind that has been silent longest, if there are too many. */
    private void makeRoom(boolean members, int most) {
        long there =
                visitors.stream().filter(visitor -> visitor.member == members).count();
        if (there > most) {
            mostSilent(visitor -> visitor.member == members)
                    .ifPresent(visitor -> visitor.end("the longest idle of " + there + " connections"
                            + (members ? "" : " that have not sent a frame")));
        }
    }

    private Optional<Visitor> mostSilent(Predicate<Visitor> kind) {
        return visitors.stream().filter(kind).min(Comparator.comparingLong(visitor -> visitor.heardNanos));
    }

    /** Returns when the port is free: the system holds it as long as a thread waits to accept connections. */
    @Override
    public void close() {
        try {
            server.close();
            accepting.join(CONNECT_MILLIS);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        visitors.forEach(Visitor::close);
    }

    /** A connection from outside. */
    private final class Visitor implements AutoCloseable {
        private final Socket outside;
        private final Socket within = new Socket();
        /** Known once the first byte has arrived. */
        private Framing framing = Framing.TLS;
        /** Time of its arrival, or of its last whole frame [ns]. */
        private volatile long heardNanos = System.nanoTime();

        private volatile boolean member;
        private volatile @Nullable String ended;
        /** Whether a whole frame was passed on. */
        private boolean begun;
        /** Bytes not passed on yet: at most one frame. */
        private byte[] buffer = new byte[BUFFER];

        private int filled;
        /** Time when the buffered bytes began to arrive; for a stranger, when it connected [ns]. */
        private long beganNanos = heardNanos;

        Visitor(Socket outside) {
            this.outside = outside;
        }

        void passOn() {
            try (this) {
                outside.setTcpNoDelay(true);
                passFrames(outside.getInputStream());
            } catch (Framing.RefusedException refused) {
                told(refused.getMessage());
            } catch (IOException failure) {
                if (ended != null) {
                    told(ended);
                } else {
                    LOG.debug("connection of {} ended: {}", outside.getRemoteSocketAddress(), failure.getMessage());
                }
            } finally {
                resize(BUFFER);
            }
        }

        private void told(@Nullable String why) {
            LOG.warn("closed the connection of {}: {}", outside.getRemoteSocketAddress(), why);
        }

        /** Passes on whole frames, as many as are available at once. */
        private void passFrames(InputStream from) throws IOException {
            int start = 0;
            while (read(from)) {
                if (!begun) {
                    framing = tls ? Framing.TLS : Framing.ofPlain(buffer[0]);
                    start = framing.prefix(buffer, filled);
                }
                int whole = wholeFrames(start);
                if (whole > start) {
                    connected().write(buffer, 0, whole);
                    System.arraycopy(buffer, whole, buffer, 0, filled - whole);
                    filled -= whole;
                    begun = true;
                    start = 0;
                    heardNanos = System.nanoTime();
                    beganNanos = member ? heardNanos : beganNanos;
                }
                resize(filled == 0 ? BUFFER : Math.max(BUFFER, start + framing.frame(buffer, start, filled)));
            }
        }

        private boolean read(InputStream from) throws IOException {
            boolean idle = member && filled == 0;
            int patienceMillis = idle ? IDLE_MILLIS : member ? FRAME_MILLIS : STRANGER_MILLIS;
            long spentNanos = idle ? 0 : System.nanoTime() - beganNanos;
            try {
                outside.setSoTimeout((int) Math.max(1, patienceMillis - TimeUnit.NANOSECONDS.toMillis(spentNanos)));
                int read = from.read(buffer, filled, buffer.length - filled);
                if (idle) {
                    beganNanos = System.nanoTime();
                }
                filled += Math.max(0, read);
                return read > 0;
            } catch (SocketTimeoutException late) {
                throw new Framing.RefusedException(
                        (idle ? "it sent nothing" : "it sent no whole frame") + " for " + patienceMillis / 1000 + " s");
            }
        }

        /** Returns where the last whole frame ends. */
        private int wholeFrames(int start) throws IOException {
            int whole = start;
            while (true) {
                if (framing == Framing.HTTP && (begun || whole > start)) {
                    return filled;
                }
                int length = framing.frame(buffer, whole, filled);
                if (length == 0 || length > filled - whole) {
                    return whole;
                }
                if (!member && framing.tellsWhoItIs(buffer, whole)) {
                    member = true;
                    makeRoom(true, membersMax);
                }
                whole += length;
            }
        }

        private OutputStream connected() throws IOException {
            if (!within.isConnected()) {
                Framing kind = tls ? ClusterTls.kind(buffer, filled) : framing;
                InetSocketAddress place = inside.get(kind);
                if (place == null) {
                    throw new Framing.RefusedException("nothing here speaks " + kind);
                }
                within.setTcpNoDelay(true);
                within.connect(place, CONNECT_MILLIS);
                thread("gate-back-" + outside.getPort(), this::passBack).start();
            }
            return within.getOutputStream();
        }

        /** Passes bytes back. Over Artery, Pekko answers on separate connections, so this only detects the end; TLS answers here. */
        private void passBack() {
            try (outside) {
                within.getInputStream().transferTo(outside.getOutputStream());
            } catch (IOException failure) {
                LOG.debug("connection to {} ended: {}", outside.getRemoteSocketAddress(), failure.getMessage());
            }
        }

        private void resize(int length) {
            if (length != buffer.length) {
                long more = (long) length - buffer.length;
                if (halfFrames.addAndGet(more) > HALF_FRAMES_MAX && more > 0) {
                    mostSilent(visitor -> visitor.buffer.length > BUFFER)
                            .ifPresent(visitor -> visitor.end("too much data waits for the rest of its frame"));
                }
                buffer = Arrays.copyOf(buffer, length);
            }
        }

        void end(String why) {
            ended = why;
            close();
        }

        @Override
        public void close() {
            try (outside;
                    within) {
                visitors.remove(this);
            } catch (IOException failure) {
                LOG.debug("cannot close {}: {}", outside, failure.getMessage());
            }
        }
    }
}
