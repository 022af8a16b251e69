package io.shardsim.scenarios.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Forwards connections to a worker until they are cut. */
final class TcpProxy implements AutoCloseable {
    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final HostPort to;
    private final List<Socket> open = new CopyOnWriteArrayList<>();

    private TcpProxy(HostPort to) throws IOException {
        this.to = to;
        start(() -> {
            while (!server.isClosed()) {
                accept(server.accept());
            }
        });
    }

    static TcpProxy to(HostPort place) throws IOException {
        return new TcpProxy(place);
    }

    int port() {
        return server.getLocalPort();
    }

    private interface Passing {
        void run() throws IOException;
    }

    private static void start(Passing passing) {
        Thread thread = new Thread(() -> {
            try {
                passing.run();
            } catch (IOException over) {
                // Closed by one side, or cut.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private void accept(Socket outside) throws IOException {
        Socket inside = new Socket(to.host(), to.port());
        open.add(outside);
        open.add(inside);
        start(() -> pass(outside, inside));
        start(() -> pass(inside, outside));
    }

    private static void pass(Socket from, Socket into) throws IOException {
        try (from;
                into) {
            from.getInputStream().transferTo(into.getOutputStream());
        }
    }

    /** Cuts open connections; returns whether there were any. */
    boolean cut() throws IOException {
        boolean any = false;
        for (Socket socket : open) {
            any |= !socket.isClosed();
            socket.close();
            open.remove(socket);
        }
        return any;
    }

    @Override
    public void close() throws IOException {
        server.close();
        cut();
    }
}
