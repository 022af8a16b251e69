package io.shardsim.simulator.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DirectCollectivesTest {
    private static final List<CollectiveAlgorithm> EXCHANGES = List.of(new DirectAllToAll(), new DirectAllGather());

    @Test
    void everyRankGetsOneMessageFromEveryOther() {
        for (CollectiveAlgorithm exchange : EXCHANGES) {
            for (int[] members : Groups.shapes()) {
                for (int channels : new int[] {1, 3, 32}) {
                    for (long totalBytes : new long[] {1, 1000, 100_003}) {
                        check(exchange, members, channels, totalBytes);
                    }
                }
            }
        }
    }

    private static void check(CollectiveAlgorithm exchange, int[] members, int channels, long totalBytes) {
        CollectiveRequest request = new CollectiveRequest(
                exchange instanceof DirectAllToAll ? CollectiveKind.ALL_TO_ALL : CollectiveKind.ALL_GATHER,
                totalBytes,
                members,
                Groups.cluster(3),
                Groups.transport(channels, 2_000, 2));
        assertThat(exchange.supports(request)).isTrue();
        assertThat(exchange.channels(request)).isLessThanOrEqualTo(Math.max(channels, 1));
        Map<Integer, Map<Integer, Long>> received = new HashMap<>();
        InOrderInterpreter.run(exchange, request, new InOrderInterpreter.DataFlow() {
            @Override
            public Object send(int member, int channel, Primitive primitive, int slice) {
                long bytes = slice == primitive.slices() - 1 ? primitive.lastSliceBytes() : primitive.sliceBytes();
                return Map.entry(member, bytes);
            }

            @Override
            public Object receive(int member, int channel, Object data, Primitive primitive) {
                @SuppressWarnings("unchecked")
                Map.Entry<Integer, Long> message = (Map.Entry<Integer, Long>) data;
                received.computeIfAbsent(member, key -> new HashMap<>())
                        .merge(message.getKey(), message.getValue(), Long::sum);
                return data;
            }
        });
        for (int member = 0; member < members.length; member++) {
            Set<Integer> others = new HashSet<>();
            for (int other = 0; other < members.length; other++) {
                others.add(other);
            }
            others.remove(member);
            assertThat(received.get(member).keySet()).isEqualTo(others);
            assertThat(received.get(member).values()).containsOnly(request.shardBytes());
        }
    }

    /** nccl-tests, sendrecv: every rank sends its whole buffer to the next. */
    @Test
    void aSendAndAReceiveGoAroundTheGroupOnAllChannels() {
        CollectiveRequest request = new CollectiveRequest(
                CollectiveKind.SEND_RECV,
                16 << 10,
                Groups.firstGpus(2, 8),
                Groups.cluster(2),
                Groups.transport(2, 1 << 20, 1));
        CollectiveAlgorithm exchange = new DirectSendRecv();
        assertThat(exchange.channels(request)).isEqualTo(2);
        long sent = 0;
        for (int channel = 0; channel < 2; channel++) {
            ChannelProgram program = exchange.program(request, 15, channel);
            assertThat(program.sendPeers()).containsExactly(0);
            assertThat(program.receivePeers()).containsExactly(14);
            sent += program.sentBytes();
        }
        assertThat(sent).isEqualTo(16 << 10);
    }

    @Test
    void roundsSendToEachOffsetInTurnByTheOwnNic() {
        CollectiveRequest request = new CollectiveRequest(
                CollectiveKind.ALL_TO_ALL,
                16 << 10,
                Groups.firstGpus(2, 8),
                Groups.cluster(2),
                Groups.transport(2, 1 << 20, 1));
        ChannelProgram program = EXCHANGES.get(0).program(request, 5, 1);
        assertThat(program.sendPeers()).containsExactly(7, 9, 11, 13, 15, 1, 3);
        assertThat(program.receivePeers()).containsExactly(3, 1, 15, 13, 11, 9, 7);
        assertThat(program.sendNics()).containsExactly(-1, 2, 2, 2, 2, -1, -1);
    }
}
