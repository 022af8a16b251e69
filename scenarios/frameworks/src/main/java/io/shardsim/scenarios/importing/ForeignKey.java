package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import org.jspecify.annotations.Nullable;

/** One key of a foreign file with its value, and the verdict on it so far: the table's, until the importer knows better. */
final class ForeignKey {
    private final ForeignFile file;
    private final String path;
    private final YamlNode value;
    private final Position position;
    /** The key itself, where this is what it says in other words. */
    private final @Nullable ForeignKey original;

    private Verdict verdict = Verdict.NOT_MODELLED;
    private String note = "";

    ForeignKey(ForeignFile file, String path, YamlNode value, Position position) {
        this(file, path, value, position, null);
    }

    private ForeignKey(
            ForeignFile file, String path, YamlNode value, Position position, @Nullable ForeignKey original) {
        this.original = original;
        this.file = file;
        this.path = path;
        this.value = value;
        this.position = position;
    }

    /** The same key with its value in other words. */
    ForeignKey as(String word) {
        return new ForeignKey(file, path, new Scalar(value.position(), word, true), position, this);
    }

    ForeignFile file() {
        return file;
    }

    /** Dotted, items of lists as in {@code layer_specs[0]}. */
    String path() {
        return path;
    }

    YamlNode value() {
        return value;
    }

    /** Place of the value. */
    Position position() {
        return value.position();
    }

    /** Whether there is a value; {@code null} is none. */
    boolean isSet() {
        return !(value instanceof Scalar scalar && scalar.isNull());
    }

    /** The value as written, where it is a string, number or flag; else empty. */
    String text() {
        return value instanceof Scalar scalar ? scalar.text() : "";
    }

    /** Which default of a script's arguments the value is; null for any other. */
    @Nullable
    String assumed() {
        String flags = file.origins().assumed(value);
        return flags == null ? null : "the default of " + flags;
    }

    /** Adds a problem at its place. */
    void refuse(String message) {
        file.problems().add(position(), message);
    }

    void judge(Verdict judged, String why) {
        if (original != null) {
            original.judge(judged, why);
        }
        verdict = judged;
        note = why;
    }

    /** Adds to the note of the verdict so far. */
    void remark(String more) {
        if (original != null) {
            original.remark(more);
        }
        note = note.isEmpty() ? more : note + "; " + more;
    }

    /** File, place and name, for messages about another key. */
    String reference() {
        return file.name() + ":" + value.position() + " " + path;
    }

    KeyVerdict verdict() {
        return new KeyVerdict(file.name(), file.prefix() + path, value, position, verdict, note);
    }
}
