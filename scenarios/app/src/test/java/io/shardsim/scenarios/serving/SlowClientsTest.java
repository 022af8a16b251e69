package io.shardsim.scenarios.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SlowClientsTest {
    @Test
    void whoDoesNotReadIsDropped() throws IOException {
        try (ServerSocketChannel door =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel reader = SocketChannel.open(door.getLocalAddress());
                SocketChannel own = door.accept();
                SlowClients clients = new SlowClients(Duration.ofMillis(200))) {
            assertThatThrownBy(() -> clients.write(Channels.newOutputStream(own), new byte[64 << 20]))
                    .isInstanceOf(IOException.class);
            assertThat(own.isOpen()).isFalse();
            assertThat(reader.isOpen()).isTrue();
            assertThat(Thread.interrupted()).isFalse();
        }
    }

    /** Otherwise the next client of the same thread would be dropped instead of one that was just in time. */
    @Test
    @Tag("slow")
    void nobodyIsDroppedLate() throws IOException {
        Duration patience = Duration.ofMillis(1);
        try (SlowClients clients = new SlowClients(patience)) {
            for (int i = 0; i < 2000; i++) {
                clients.read(endsAfter(patience), 1);
                assertThat(Thread.interrupted()).isFalse();
            }
        }
    }

    private static InputStream endsAfter(Duration time) {
        return new InputStream() {
            @Override
            public int read() {
                long endNanos = System.nanoTime() + time.toNanos();
                while (System.nanoTime() < endNanos) {
                    Thread.onSpinWait();
                }
                return -1;
            }
        };
    }
}
