package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import org.jspecify.annotations.Nullable;

/** A key of a foreign file, its value, and the current verdict: the table's, until the importer decides otherwise. */
final class ForeignKey {
    private final ForeignFile file;
    private final String path;
    private final YamlNode value;
    private final Position position;
    /** The key as written, if this one is a translation of it. */
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

    /** The same key with a translated value. */
    ForeignKey as(String word) {
        return new ForeignKey(file, path, new Scalar(value.position(), word, true), position, this);
    }

    ForeignFile file() {
        return file;
    }

    /** Dotted path; list items as in {@code layer_specs[0]}. */
    String path() {
        return path;
    }

    YamlNode value() {
        return value;
    }

    /** Position of the value. */
    Position position() {
        return value.position();
    }

    /** Whether there is a value other than {@code null}. */
    boolean isSet() {
        return !(value instanceof Scalar scalar && scalar.isNull());
    }

    /** A string, number or flag as written; empty for other values. */
    String text() {
        return value instanceof Scalar scalar ? scalar.text() : "";
    }

    /** The script argument whose default is this value; null if it is not a default. */
    @Nullable
    String assumed() {
        String flags = file.origins().assumed(value);
        return flags == null ? null : "the default of " + flags;
    }

    /** Adds a problem at the key's position. */
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

    /** Appends to the current verdict's note. */
    void remark(String more) {
        if (original != null) {
            original.remark(more);
        }
        note = note.isEmpty() ? more : note + "; " + more;
    }

    /** File, position and name, for messages about another key. */
    String reference() {
        return file.name() + ":" + value.position() + " " + path;
    }

    KeyVerdict verdict() {
        return new KeyVerdict(file.name(), file.prefix() + path, value, position, verdict, note);
    }
}
