package io.shardsim.scenarios.cluster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** How what comes to a port is cut into frames, as far as a {@link Gate} has to know. */
enum Framing {
    /** Artery's own: a magic, a stream's number, then frames with their length before them. */
    ARTERY(256 << 10) {
        /** Of a connection: four letters and the number of the stream. */
        private static final int PREFIX = 5;

        private static final Set<String> MAGIC = Set.of("AKKA", "PEKK");
        private static final int CONTROL_STREAM = 1;
        private static final int ORDINARY_STREAM = 2;
        /** The fixed part of a message's head. */
        private static final int FRAME_MIN = 28;
        /** Version of the head, its first byte. */
        private static final byte HEAD_VERSION = 0;

        @Override
        int prefix(byte[] bytes, int filled) throws RefusedException {
            if (filled < PREFIX) {
                return 0;
            }
            byte stream = bytes[PREFIX - 1];
            boolean known = MAGIC.contains(new String(bytes, 0, PREFIX - 1, StandardCharsets.US_ASCII))
                    && (stream == CONTROL_STREAM || stream == ORDINARY_STREAM);
            if (!known) {
                throw new RefusedException("it does not start like a member's message");
            }
            return PREFIX;
        }

        @Override
        int frame(byte[] bytes, int at, int filled) throws RefusedException {
            if (filled - at <= Integer.BYTES) {
                return 0;
            }
            int length = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(at);
            if (length < FRAME_MIN || length > frameMax) {
                throw new RefusedException(
                        "a frame of " + length + " bytes is not between " + FRAME_MIN + " and " + frameMax);
            }
            if (bytes[at + Integer.BYTES] != HEAD_VERSION) {
                throw new RefusedException("a frame of version " + bytes[at + Integer.BYTES]);
            }
            return Integer.BYTES + length;
        }

        @Override
        boolean tellsWhoItIs(byte[] bytes, int at) {
            return true;
        }
    },

    /** One request without a body. What follows it Pekko HTTP bounds itself: frames of a WebSocket, and more requests. */
    HTTP(8 << 10) {
        @Override
        int prefix(byte[] bytes, int filled) {
            return 0;
        }

        @Override
        int frame(byte[] bytes, int at, int filled) throws RefusedException {
            if (filled > at && ofPlain(bytes[at]) != HTTP) {
                throw new RefusedException("it sends neither GET nor a command's message");
            }
            for (int end = at + 4; end <= Math.min(filled, at + frameMax); end++) {
                if (bytes[end - 1] == '\n' && bytes[end - 2] == '\r' && bytes[end - 3] == '\n') {
                    return end - at;
                }
            }
            if (filled - at >= frameMax) {
                throw new RefusedException("a request whose header takes " + frameMax + " bytes or more");
            }
            return 0;
        }

        @Override
        boolean tellsWhoItIs(byte[] bytes, int at) {
            return true;
        }
    },

    /** Records of TLS [RFC 8446, section 5.1]. One with a member's data follows once both sides have shown their certificates. */
    TLS((16 << 10) + 2048) {
        private static final int HEAD = 5;
        private static final byte CHANGE_CIPHER_SPEC = 20;
        private static final byte HANDSHAKE = 22;
        private static final byte DATA = 23;

        @Override
        int prefix(byte[] bytes, int filled) throws RefusedException {
            if (filled > 0 && bytes[0] != HANDSHAKE) {
                throw new RefusedException("it does not speak TLS");
            }
            return 0;
        }

        @Override
        int frame(byte[] bytes, int at, int filled) throws RefusedException {
            if (filled - at < HEAD) {
                return 0;
            }
            int length = (bytes[at + 3] & 0xff) << 8 | bytes[at + 4] & 0xff;
            if (bytes[at] < CHANGE_CIPHER_SPEC || bytes[at] > DATA || bytes[at + 1] != 3 || length > frameMax) {
                throw new RefusedException("it does not speak TLS");
            }
            return HEAD + length;
        }

        @Override
        boolean tellsWhoItIs(byte[] bytes, int at) {
            return bytes[at] == DATA;
        }
    };

    /** Of a connection without TLS, by its first byte. */
    static Framing ofPlain(byte first) {
        return first == 'G' || first == 'H' ? HTTP : ARTERY;
    }

    /** Longest frame, without its head [bytes]; of Artery {@code pekko.remote.artery.advanced.maximum-frame-size}. */
    final int frameMax;

    Framing(int frameMax) {
        this.frameMax = frameMax;
    }

    /**
     * Bytes before the first frame.
     *
     * @return 0 when there are none, or too few to tell
     * @throws RefusedException when no member begins like this
     */
    abstract int prefix(byte[] bytes, int filled) throws RefusedException;

    /**
     * Bytes of the frame at an offset, its head included.
     *
     * @return 0 when there are too few to tell
     * @throws RefusedException when no member sends such a frame
     */
    abstract int frame(byte[] bytes, int at, int filled) throws RefusedException;

    /** Whether one who sends this frame counts as a member. */
    abstract boolean tellsWhoItIs(byte[] bytes, int at);

    /** What came is not what a member sends. */
    static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1L;

        RefusedException(String message) {
            super(message);
        }
    }
}
