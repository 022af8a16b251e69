package io.shardsim.simulator.run;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 over numbers and names, truncated to 128 bits. */
final class Digest {
    private final MessageDigest sha;
    private final ByteBuffer number = ByteBuffer.allocate(Long.BYTES);

    Digest() {
        try {
            sha = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    Digest add(long value) {
        number.clear();
        number.putLong(value);
        sha.update(number.array());
        return this;
    }

    Digest add(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        add(bytes.length);
        sha.update(bytes);
        return this;
    }

    String hex() {
        return HexFormat.of().formatHex(sha.digest(), 0, 16);
    }
}
