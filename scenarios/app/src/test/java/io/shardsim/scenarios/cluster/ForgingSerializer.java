package io.shardsim.scenarios.cluster;

import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.serialization.SerializerWithStringManifest;

/** Writes arbitrary bytes and a manifest under the number of {@link ClusterSerializer}. */
public final class ForgingSerializer extends SerializerWithStringManifest {
    private final int identifier;

    public ForgingSerializer(ExtendedActorSystem system) {
        identifier = new ClusterSerializer(system).identifier();
    }

    record Forged(String manifest, byte[] bytes) {}

    @Override
    public int identifier() {
        return identifier;
    }

    @Override
    public String manifest(Object message) {
        return ((Forged) message).manifest();
    }

    @Override
    public byte[] toBinary(Object message) {
        return ((Forged) message).bytes();
    }

    @Override
    public Object fromBinary(byte[] bytes, String manifest) {
        throw new IllegalStateException("nobody writes to the forger");
    }
}
