package io.shardsim.scenarios.cluster.wire;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import com.esotericsoftware.kryo.serializers.DefaultSerializers.EnumSerializer;
import com.esotericsoftware.kryo.util.DefaultClassResolver;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Kryo restricted to registered types. Length fields are trusted only as far as bytes are available, so no message makes a member allocate more than
 * a small multiple of its own size.
 */
final class WireKryo extends Kryo {
    private static final int DEPTH_MAX = 40;
    private static final int LIST = 20;
    private static final int MAP = 21;
    private static final int BYTES = 22;
    private static final int LEAF = 30;
    private static final int FIRST = 64;

    /** A type that is written as a string. */
    record TextForm<T>(Class<T> type, Function<T, String> write, Function<String, T> read) {}

    private final List<TextForm<?>> forms;

    /** Identifies classes by number only. A class name is rejected unread, since its length field may claim all memory. */
    private static final class Numbers extends DefaultClassResolver {
        @Override
        protected Registration readName(Input input) {
            throw new KryoException("a class that goes by its name");
        }
    }

    WireKryo(List<Class<?>> types, List<TextForm<?>> forms) {
        super(new Numbers(), null);
        this.forms = forms;
        setRegistrationRequired(true);
        setReferences(false);
        setMaxDepth(DEPTH_MAX);
        register(String.class, new Text());
        register(List.class, new Elements(), LIST);
        register(Map.class, new Entries(), MAP);
        register(byte[].class, new Bytes(), BYTES);
        for (int i = 0; i < forms.size(); i++) {
            register(forms.get(i).type(), new ByText<>(forms.get(i)), LEAF + i);
        }
        int id = FIRST;
        for (Class<?> type : types) {
            register(type, serializer(type), id++);
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"
    }) // Kryo's own serializers are raw where the type is known only at run time
    private static Serializer<?> serializer(Class<?> type) {
        return type.isEnum() ? new EnumSerializer((Class) type) : new CheckedRecord(type);
    }

    /** Registers every list class as a list, and likewise maps and types written as strings. */
    @Override
    @SuppressWarnings("rawtypes")
    public Registration getRegistration(Class type) {
        if (List.class.isAssignableFrom(type)) {
            return super.getRegistration(List.class);
        }
        if (Map.class.isAssignableFrom(type)) {
            return super.getRegistration(Map.class);
        }
        for (TextForm<?> form : forms) {
            if (form.type().isAssignableFrom(type)) {
                return super.getRegistration(form.type());
            }
        }
        return super.getRegistration(type);
    }

    /** Reads a length that the remaining input can hold. */
    private static int length(Input input, int bytesEach) {
        int length = input.readVarInt(true);
        if (length < 0 || (long) length * bytesEach > input.limit() - input.position()) {
            throw new KryoException("length " + length + " > " + (input.limit() - input.position())
                    + " bytes that are left of the message");
        }
        return length;
    }

    private static final class Text extends Serializer<String> {
        Text() {
            super(false, true);
        }

        @Override
        public void write(Kryo kryo, Output output, String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            output.writeVarInt(bytes.length, true);
            output.writeBytes(bytes);
        }

        @Override
        public String read(Kryo kryo, Input input, Class<? extends String> type) {
            return new String(input.readBytes(length(input, 1)), StandardCharsets.UTF_8);
        }
    }

    private static final class Bytes extends Serializer<byte[]> {
        @Override
        public void write(Kryo kryo, Output output, byte[] bytes) {
            output.writeVarInt(bytes.length, true);
            output.writeBytes(bytes);
        }

        @Override
        public byte[] read(Kryo kryo, Input input, Class<? extends byte[]> type) {
            return input.readBytes(length(input, 1));
        }
    }

    private static final class Elements extends Serializer<List<?>> {
        @Override
        public void write(Kryo kryo, Output output, List<?> list) {
            output.writeVarInt(list.size(), true);
            for (Object element : list) {
                kryo.writeClassAndObject(output, element);
            }
        }

        @Override
        public List<?> read(Kryo kryo, Input input, Class<? extends List<?>> type) {
            int size = length(input, 1);
            List<Object> list = new ArrayList<>(size);
            for (int i = 0; i < size; i++) {
                list.add(kryo.readClassAndObject(input));
            }
            return Collections.unmodifiableList(list);
        }
    }

    private static final class Entries extends Serializer<Map<?, ?>> {
        @Override
        public void write(Kryo kryo, Output output, Map<?, ?> map) {
            output.writeVarInt(map.size(), true);
            map.forEach((key, value) -> {
                kryo.writeClassAndObject(output, key);
                kryo.writeClassAndObject(output, value);
            });
        }

        @Override
        public Map<?, ?> read(Kryo kryo, Input input, Class<? extends Map<?, ?>> type) {
            int size = length(input, 2);
            Map<Object, Object> map = new LinkedHashMap<>();
            for (int i = 0; i < size; i++) {
                map.put(kryo.readClassAndObject(input), kryo.readClassAndObject(input));
            }
            return Collections.unmodifiableMap(map);
        }
    }

    private static final class ByText<T> extends Serializer<T> {
        private final TextForm<T> form;

        ByText(TextForm<T> form) {
            this.form = form;
        }

        @Override
        public void write(Kryo kryo, Output output, T object) {
            kryo.writeObject(output, form.write().apply(object));
        }

        @Override
        public T read(Kryo kryo, Input input, Class<? extends T> type) {
            return form.read().apply(kryo.readObject(input, String.class));
        }
    }
}
