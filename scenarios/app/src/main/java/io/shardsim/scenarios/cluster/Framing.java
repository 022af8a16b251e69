package io.shardsim.scenarios.cluster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** Framings of incoming bytes, as far as a {@link ConnectionLimit} has to know them. */
enum Framing {
    /** Artery's framing: magic bytes and a stream's number, then frames with a length field. */
    ARTERY(256 << 10) {
        /** Bytes at the start of a connection: four letters and the number of the stream. */
        private static final int PREFIX = 5;

        private static final Set<String> MAGIC = Set.of("AKKA", "PEKK");
        private static final int CONTROL_STREAM = 1;
        private static final int ORDINARY_STREAM = 2;
        /** Fixed part of a message header. */
        private static final int FRAME_MIN = 28;
        /** Header version, its first byte. */
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

    /** One request without a body. Pekko HTTP itself bounds what follows: WebSocket frames and further requests. */
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

    /** TLS records [RFC 8446, section 5.1]. One with a member's data follows once both sides have presented their certificates. */
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

    /** Returns the framing of a connection without TLS, from its first byte. */
    static Framing ofPlain(byte first) {
        return first == 'G' || first == 'H' ? HTTP : ARTERY;
    }

    /** Maximum frame without its header [bytes]; for Artery {@code pekko.remote.artery.advanced.maximum-frame-size}. */
    final int frameMax;

    Framing(int frameMax) {
        this.frameMax = frameMax;
    }

    /**
     * Returns the number of bytes before the first frame.
     *
     * @return 0 if there are none, or too few bytes to tell
     * @throws RefusedException if no member starts like this
     */
    abstract int prefix(byte[] bytes, int filled) throws RefusedException;

    /**
     * Returns the length of the frame at an offset, including its header.
     *
     * @return 0 if there are too few bytes to tell
     * @throws RefusedException if no member sends such a frame
     */
    abstract int frame(byte[] bytes, int at, int filled) throws RefusedException;

    /** Returns whether the sender of this frame counts as a member. */
    abstract boolean tellsWhoItIs(byte[] bytes, int at);

    /** Thrown for bytes that no member sends. */
    static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1L;

        RefusedException(String message) {
            super(message);
        }
    }
}
