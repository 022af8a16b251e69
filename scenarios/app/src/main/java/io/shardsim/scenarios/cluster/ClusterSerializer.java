package io.shardsim.scenarios.cluster;

import io.shardsim.scenarios.cluster.wire.WireCodec;
import java.io.NotSerializableException;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.serialization.SerializationExtension;
import org.apache.pekko.serialization.SerializerWithStringManifest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serializes {@link WireMessage}s with Kryo. The manifest has the version of all messages; another version is rejected unread. Configured in
 * {@code cluster.conf}.
 */
public final class ClusterSerializer extends SerializerWithStringManifest {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterSerializer.class);
    private static final int IDENTIFIER = 7_355;
    /** Maximum size of a message; larger content is split [bytes]. */
    static final int MESSAGE_MAX = 240 << 10;

    private final ExtendedActorSystem system;
    private final String manifest = "kryo-" + Build.current().protocol();
    private final WireTraffic traffic = new WireTraffic();
    private volatile @Nullable WireCodec codec;

    public ClusterSerializer(ExtendedActorSystem system) {
        this.system = system;
    }

    static WireTraffic traffic(ActorSystem<?> system) {
        try {
            return ((ClusterSerializer) SerializationExtension.get(Adapter.toClassic(system))
                            .serializerFor(WireMessage.class))
                    .traffic;
        } catch (NotSerializableException unbound) {
            throw new IllegalStateException("cluster.conf binds WireMessage to no serializer", unbound);
        }
    }

    @Override
    public int identifier() {
        return IDENTIFIER;
    }

    @Override
    public String manifest(Object message) {
        return manifest;
    }

    @Override
    public byte[] toBinary(Object message) {
        long began = System.nanoTime();
        byte[] bytes = codec().encode(message);
        if (bytes.length > MESSAGE_MAX) {
            throw new IllegalArgumentException(message.getClass().getSimpleName() + " takes " + bytes.length
                    + " bytes > " + MESSAGE_MAX + " that a message may have");
        }
        traffic.messagesSent.increment();
        traffic.bytesSent.add(bytes.length);
        traffic.serializationNanos.add(System.nanoTime() - began);
        return bytes;
    }

    @Override
    public Object fromBinary(byte[] bytes, String told) throws NotSerializableException {
        long began = System.nanoTime();
        try {
            return read(bytes, told);
        } catch (NotSerializableException refused) {
            traffic.refused.increment();
            LOG.warn("refused a message of {} bytes: {}", bytes.length, refused.getMessage());
            throw refused;
        } finally {
            traffic.messagesReceived.increment();
            traffic.bytesReceived.add(bytes.length);
            traffic.serializationNanos.add(System.nanoTime() - began);
        }
    }

    private Object read(byte[] bytes, String told) throws NotSerializableException {
        if (bytes.length > MESSAGE_MAX) {
            throw new NotSerializableException("longer than " + MESSAGE_MAX + " bytes");
        }
        if (!told.equals(manifest)) {
            throw new NotSerializableException("written as " + printable(told) + ", this member reads " + manifest);
        }
        Object message = codec().decode(bytes);
        if (!(message instanceof WireMessage)) {
            throw new NotSerializableException(message.getClass().getName() + " is no message");
        }
        return message;
    }

    private static String printable(String text) {
        return text.substring(0, Math.min(60, text.length())).replaceAll("[^ -~]", "?");
    }

    /** Returns the codec, created on first use: while Pekko creates its serializers, references cannot be resolved yet. */
    private WireCodec codec() {
        WireCodec made = codec;
        if (made == null) {
            made = ClusterProtocol.messageCodec(Adapter.toTyped(system));
            codec = made;
        }
        return made;
    }
}
