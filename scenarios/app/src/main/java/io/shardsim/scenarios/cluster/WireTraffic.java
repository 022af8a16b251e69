package io.shardsim.scenarios.cluster;

import java.util.concurrent.atomic.LongAdder;

/** Traffic of a member since it started; counted where messages are serialized and deserialized. */
final class WireTraffic {
    final LongAdder messagesSent = new LongAdder();
    final LongAdder messagesReceived = new LongAdder();
    final LongAdder bytesSent = new LongAdder();
    final LongAdder bytesReceived = new LongAdder();
    final LongAdder serializationNanos = new LongAdder();
    final LongAdder refused = new LongAdder();
}
