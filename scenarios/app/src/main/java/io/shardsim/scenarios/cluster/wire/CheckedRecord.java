package io.shardsim.scenarios.cluster.wire;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.serializers.RecordSerializer;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a record and checks its components against their declarations: elements of lists and maps have their types, and only nullable components are
 * null. Kryo checks only the outer type, and an actor that received a wrong inner type would stop.
 */
final class CheckedRecord<T> extends RecordSerializer<T> {
    private final Class<T> type;
    private final List<Component> components = new ArrayList<>();

    private record Component(String name, Method accessor, AnnotatedType declared) {}

    CheckedRecord(Class<T> type) {
        super(type);
        this.type = type;
        for (RecordComponent component : type.getRecordComponents()) {
            if (!component.getType().isPrimitive()) {
                Method accessor = component.getAccessor();
                accessor.setAccessible(true);
                components.add(new Component(component.getName(), accessor, component.getAnnotatedType()));
            }
        }
    }

    @Override
    public T read(Kryo kryo, Input input, Class<? extends T> read) {
        T made = super.read(kryo, input, read);
        for (Component component : components) {
            if (!fits(value(component, made), component.declared())) {
                throw new KryoException(
                        type.getSimpleName() + " with another " + component.name() + " than it may have");
            }
        }
        return made;
    }

    private @Nullable Object value(Component component, T of) {
        try {
            return component.accessor().invoke(of);
        } catch (ReflectiveOperationException unreadable) {
            throw new KryoException(type.getSimpleName() + "." + component.name() + " cannot be read", unreadable);
        }
    }

    private static boolean fits(@Nullable Object value, AnnotatedType declared) {
        if (declared instanceof AnnotatedWildcardType any) {
            return fits(value, any.getAnnotatedUpperBounds()[0]);
        }
        if (value == null) {
            return declared.isAnnotationPresent(Nullable.class);
        }
        if (!(declared instanceof AnnotatedParameterizedType of)) {
            return !(declared.getType() instanceof Class<?> plain) || plain.isInstance(value);
        }
        Type raw = ((ParameterizedType) of.getType()).getRawType();
        AnnotatedType[] arguments = of.getAnnotatedActualTypeArguments();
        if (value instanceof List<?> list) {
            return raw == List.class && list.stream().allMatch(each -> fits(each, arguments[0]));
        }
        if (value instanceof Map<?, ?> map) {
            return raw == Map.class
                    && map.entrySet().stream()
                            .allMatch(each -> fits(each.getKey(), arguments[0]) && fits(each.getValue(), arguments[1]));
        }
        return ((Class<?>) raw).isInstance(value);
    }
}
