package io.shardsim.scenarios.cluster;

import io.shardsim.scenarios.fuzz.Damage;
import io.shardsim.scenarios.fuzz.Outcome;
import io.shardsim.scenarios.fuzz.Target;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/**
 * Bytes that a stranger sends to a gate, which cuts them into frames as they arrive. The first byte of an input selects the framing; the rest arrives
 * in pieces.
 */
public final class PrefixTarget implements Target {
    private static final int FRAMES_MAX = 64;

    @Override
    public byte[] input(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        ByteBuffer bytes = ByteBuffer.allocate(512).order(ByteOrder.LITTLE_ENDIAN);
        int kind = random.nextInt(3);
        if (kind == 2) {
            bytes.put((byte) 2).put("GET /commands HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            while (bytes.remaining() > 100 && random.nextInt(5) != 0) {
                byte[] body = new byte[random.nextInt(60)];
                bytes.put((byte) (0x80 | random.nextInt(3))).put((byte) (0x80 | body.length));
                bytes.putInt(random.nextInt()).put(body);
            }
        } else if (kind == 0) {
            bytes.put((byte) 0).put("AKKA".getBytes(StandardCharsets.US_ASCII));
            bytes.put((byte) random.nextInt(1, 3));
            while (bytes.remaining() > 100 && random.nextInt(5) != 0) {
                byte[] body = new byte[28 + random.nextInt(60)];
                bytes.putInt(body.length).put(body);
            }
        } else {
            bytes.put((byte) 1);
            while (bytes.remaining() > 100 && random.nextInt(5) != 0) {
                byte[] body = new byte[random.nextInt(60)];
                bytes.put((byte) random.nextInt(20, 24)).put((byte) 3).put((byte) 3);
                bytes.put((byte) 0).put((byte) body.length).put(body);
            }
        }
        byte[] whole = new byte[bytes.position()];
        bytes.flip().get(whole);
        return new Damage(random).bytes(whole, 1);
    }

    @Override
    public Outcome outcome(byte[] input) {
        int kind = input.length > 0 ? input[0] : 0;
        Framing framing = kind == 1 ? Framing.TLS : kind == 2 ? Framing.HTTP : Framing.ARTERY;
        byte[] buffer = new byte[Math.max(16, input.length)];
        System.arraycopy(input, Math.min(1, input.length), buffer, 0, Math.max(0, input.length - 1));
        try {
            // As it arrives: one byte more each time, up to the first frames, then everything.
            for (int filled = 0; filled < Math.min(16, input.length); filled++) {
                int start = framing.prefix(buffer, filled);
                inBounds(framing, framing.frame(buffer, start, filled));
            }
            int filled = Math.max(0, input.length - 1);
            int at = framing.prefix(buffer, filled);
            for (int frames = 0; frames < FRAMES_MAX; frames++) {
                int length = framing.frame(buffer, at, filled);
                inBounds(framing, length);
                if (length == 0 || length > filled - at) {
                    return Outcome.of(Outcome.Kind.READ);
                }
                framing.tellsWhoItIs(buffer, at);
                at += length;
            }
            return Outcome.of(Outcome.Kind.READ);
        } catch (Framing.RefusedException refused) {
            return Outcome.of(Outcome.Kind.REFUSED);
        }
    }

    private static void inBounds(Framing framing, int length) {
        if (length < 0 || length > framing.frameMax + 16) {
            throw new AssertionError("a frame of " + length + " bytes");
        }
    }
}
