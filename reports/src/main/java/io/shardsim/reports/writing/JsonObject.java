package io.shardsim.reports.writing;

import io.shardsim.reports.Names;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.util.DefaultIndenter;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** A JSON object. Keys keep their insertion order, and methods return the object for chaining. */
public final class JsonObject extends LinkedHashMap<String, @Nullable Object> {
    private static final long serialVersionUID = 1;

    /** Precise enough for any comparison; fewer digits than a double's 15.95, to hide the last bit of a sum. */
    private static final MathContext SIGNIFICANT = new MathContext(12, RoundingMode.HALF_EVEN);

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
            .build();
    private static final ObjectWriter BY_LINES = MAPPER.writer()
            .with(new DefaultPrettyPrinter()
                    .withObjectIndenter(new DefaultIndenter("  ", "\n"))
                    .withArrayIndenter(new DefaultIndenter("  ", "\n")));

    /** Puts a value unchanged; an enum constant by its {@link Names#id}. */
    public JsonObject with(String key, @Nullable Object value) {
        put(key, value instanceof Enum<?> constant ? Names.id(constant) : value);
        return this;
    }

    /** Puts a number with twelve significant digits in plain notation; null if it does not exist. */
    public JsonObject figure(String key, @Nullable Double value) {
        return with(key, value == null ? null : decimal(value));
    }

    /** Puts picoseconds as unrounded seconds, so that parts of a step sum to it in the document as well. */
    public JsonObject seconds(String key, @Nullable Long picoseconds) {
        return with(key, picoseconds == null ? null : plain(BigDecimal.valueOf(picoseconds, 12)));
    }

    /** Puts an object of {@link #seconds}; enum constants are keys by their ID. */
    public JsonObject seconds(String key, Map<?, Long> picoseconds) {
        JsonObject inner = new JsonObject();
        picoseconds.forEach((name, ps) ->
                inner.seconds(name instanceof Enum<?> constant ? Names.id(constant) : String.valueOf(name), ps));
        return with(key, inner);
    }

    /** Puts a list of formatted elements. */
    public <T> JsonObject list(
            String key, Collection<T> elements, Function<? super T, ? extends @Nullable Object> written) {
        return with(key, elements.stream().<@Nullable Object>map(written::apply).toList());
    }

    /** Puts an object, or null if there is none. */
    public <T> JsonObject object(String key, @Nullable T value, Function<T, JsonObject> written) {
        return with(key, value == null ? null : written.apply(value));
    }

    static @Nullable BigDecimal decimal(double value) {
        return Double.isFinite(value) ? plain(new BigDecimal(value).round(SIGNIFICANT)) : null;
    }

    private static BigDecimal plain(BigDecimal value) {
        BigDecimal stripped = value.stripTrailingZeros();
        return stripped.scale() < 0 ? stripped.setScale(0) : stripped;
    }

    /** Returns the document with short lists on one line. */
    public String text() {
        return MAPPER.writeValueAsString(this) + "\n";
    }

    /** Returns the document with one list element per line; byte-identical on every operating system. */
    String byLines() {
        return BY_LINES.writeValueAsString(this) + "\n";
    }
}
