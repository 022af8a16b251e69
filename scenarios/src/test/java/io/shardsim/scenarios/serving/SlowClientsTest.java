package io.shardsim.scenarios.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
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
            assertThat(Thread.interrupted()).isTrue();
        }
    }
}
