package io.shardsim.scenarios.cluster.wire;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import com.esotericsoftware.kryo.util.Pool;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.NotSerializableException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * Encodes messages as checked bytes and decodes them. The bytes are a checksum and Kryo's form of one object; a wrong checksum, an unregistered type
 * or an excessive size is rejected before anything is created. Thread-safe.
 */
public final class WireCodec {
    /** Maximum size of an unpacked object: the result of a long run with its timeline takes a few MiB [bytes]. */
    private static final int UNPACKED_MAX = 64 << 20;

    private static final int HEADER = Integer.BYTES;
    private static final int INITIAL_BUFFER = 1024;

    private final List<Class<?>> types;
    private final Set<Class<?>> messages;
    private final Pool<Kryo> kryos;

    /** Creates a codec for some messages and everything that they contain. */
    public WireCodec(Collection<Class<?>> messages) {
        this(messages, List.of());
    }

    private WireCodec(Collection<Class<?>> messages, List<WireKryo.TextForm<?>> forms) {
        Set<Class<?>> leaves = new HashSet<>();
        forms.forEach(form -> leaves.add(form.type()));
        types = WireTypes.reachableFrom(messages, leaves);
        this.messages = Set.copyOf(types);
        kryos = new Pool<>(true, true, 64) {
            @Override
            protected Kryo create() {
                return new WireKryo(types, forms);
            }
        };
    }

    /** Creates a codec that writes objects of one more type, and of its subtypes, as strings. */
    public static <T> WireCodec withText(
            Collection<Class<?>> messages, Class<T> type, Function<T, String> write, Function<String, T> read) {
        return new WireCodec(messages, List.of(new WireKryo.TextForm<>(type, write, read)));
    }

    /** Returns the types of this codec, ordered by their numbers. */
    public List<Class<?>> types() {
        return types;
    }

    public byte[] encode(Object message) {
        Output output = new Output(INITIAL_BUFFER, UNPACKED_MAX);
        output.setPosition(HEADER);
        Kryo kryo = kryos.obtain();
        try {
            kryo.writeClassAndObject(output, message);
        } finally {
            kryos.free(kryo);
        }
        byte[] bytes = output.toBytes();
        ByteBuffer.wrap(bytes).putInt(checksum(bytes, HEADER));
        return bytes;
    }

    /**
     * Reads one message.
     *
     * @throws NotSerializableException if the bytes are not such a message; the exception's message says why
     */
    public Object decode(byte[] bytes) throws NotSerializableException {
        if (bytes.length < HEADER || ByteBuffer.wrap(bytes).getInt() != checksum(bytes, HEADER)) {
            throw new NotSerializableException(bytes.length + " bytes whose checksum does not match");
        }
        Input input = new Input(bytes, HEADER, bytes.length - HEADER);
        Kryo kryo = kryos.obtain();
        try {
            Object message = kryo.readClassAndObject(input);
            if (message == null || input.position() != input.limit()) {
                throw new NotSerializableException(
                        "message with " + (input.limit() - input.position()) + " bytes to spare");
            }
            if (!messages.contains(message.getClass())) {
                throw new NotSerializableException(
                        "a bare " + message.getClass().getName() + " is no message");
            }
            return message;
        } catch (KryoException
                | IllegalArgumentException
                | IllegalStateException
                | IndexOutOfBoundsException
                | NegativeArraySizeException
                | NullPointerException
                | ClassCastException
                | ArithmeticException refused) {
            NotSerializableException told = new NotSerializableException(
                    String.valueOf(refused.getMessage()).lines().findFirst().orElse("unreadable message"));
            told.initCause(refused);
            throw told;
        } finally {
            kryos.free(kryo);
        }
    }

    /** Encodes and compresses a message, for large ones. */
    public byte[] pack(Object message) {
        byte[] plain = encode(message);
        ByteArrayOutputStream packed = new ByteArrayOutputStream(plain.length / 2 + HEADER);
        packed.writeBytes(ByteBuffer.allocate(HEADER).putInt(plain.length).array());
        Deflater fast = new Deflater(Deflater.BEST_SPEED);
        try (OutputStream smaller = new DeflaterOutputStream(packed, fast)) {
            smaller.write(plain);
        } catch (IOException memory) {
            throw new UncheckedIOException(memory);
        } finally {
            fast.end();
        }
        return packed.toByteArray();
    }

    /**
     * Reads the output of {@link #pack}.
     *
     * @throws NotSerializableException if the bytes are not such an object of this type
     */
    public <T> T unpack(byte[] packed, Class<T> type) throws NotSerializableException {
        int size = packed.length < HEADER ? -1 : ByteBuffer.wrap(packed).getInt();
        if (size < 0 || size > UNPACKED_MAX) {
            throw new NotSerializableException("object of " + size + " bytes > " + UNPACKED_MAX);
        }
        try (InputStream plain =
                new InflaterInputStream(new ByteArrayInputStream(packed, HEADER, packed.length - HEADER))) {
            Object object = decode(plain.readNBytes(size));
            if (!type.isInstance(object)) {
                throw new NotSerializableException(
                        object.getClass().getName() + " where a " + type.getName() + " belongs");
            }
            return type.cast(object);
        } catch (NotSerializableException refused) {
            throw refused;
        } catch (IOException broken) {
            throw new NotSerializableException("broken object: " + broken.getMessage());
        }
    }

    private static int checksum(byte[] bytes, int from) {
        CRC32 crc = new CRC32();
        crc.update(bytes, from, bytes.length - from);
        return (int) crc.getValue();
    }
}
