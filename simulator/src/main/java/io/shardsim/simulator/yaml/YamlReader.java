package io.shardsim.simulator.yaml;

import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import io.shardsim.simulator.yaml.YamlNode.Sequence;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Reads one YAML 1.2 document into a tree with positions, within bounds: {@value #BYTES_MAX} bytes of text, {@value #DEPTH_MAX} levels,
 * {@value #VALUES_MAX} values after alias expansion. A larger file is refused before it is read.
 *
 * <p>Built on the parser's events, not on its constructed objects, so that no text can exceed these bounds and no position is lost. Duplicate keys,
 * keys that are not strings, tags, merge keys and further documents are problems with a position, and reading continues.
 */
public final class YamlReader {
    /** Control, format and surrogate characters, and the two line separators. */
    private static final Pattern STEERING = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\u2028\\u2029]");

    /** Maximum size, far beyond any scenario; a sweep of ten thousand values fits. */
    public static final int BYTES_MAX = 1 << 20;

    /** Extra buffer beyond the text, so that it is read at once. */
    private static final int BUFFER_MORE = 1024;
    /** Maximum depth; a scenario needs five. */
    public static final int DEPTH_MAX = 32;
    /** Maximum values, which bounds the expansion of aliases. */
    public static final int VALUES_MAX = 100_000;

    /** Expected beginning of an empty scenario. */
    private static final String SCENARIO_BEGINS = "a scenario begins with \"scenario: NAME\"";

    private final Problems problems;
    /** Expected beginning of an empty file. */
    private final String beginning;

    private final Map<Anchor, Built> anchors = new HashMap<>();
    private final Deque<Open> open = new ArrayDeque<>();
    private @Nullable YamlNode root;

    private YamlReader(Problems problems, String beginning) {
        this.problems = problems;
        this.beginning = beginning;
    }

    /** Finished node and its number of values after alias expansion. */
    private record Built(YamlNode node, int values) {}

    /** Block or list whose end has not been read. */
    private static final class Open {
        final Position position;
        final boolean mapping;
        final @Nullable Anchor anchor;
        final List<YamlNode> items = new ArrayList<>();
        final List<Entry> entries = new ArrayList<>();
        final Map<String, Position> keys = new HashMap<>();
        int values = 1;
        /** Key whose value comes next; valid if {@link #keyRead}. */
        String key = "";

        Position keyPosition = Position.START;
        boolean keyRead;
        /** Whether to drop the value of a refused key. */
        boolean dropValue;

        Open(Position position, boolean mapping, @Nullable Anchor anchor) {
            this.position = position;
            this.mapping = mapping;
            this.anchor = anchor;
        }
    }

    /** Stops parsing: the rest could not be understood or would cost too much. */
    private static final class Stop extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Stop() {
            super(null, null, false, false);
        }
    }

    /**
     * Reads a file given by the user.
     *
     * @return the root value, or null if a problem makes it useless; problems are added either way
     */
    public static @Nullable YamlNode read(String file, Problems problems) {
        String text = text(file, problems);
        return text == null ? null : readText(text, problems);
    }

    /** Reads a stream, up to {@value #BYTES_MAX} bytes. */
    public static @Nullable YamlNode read(InputStream in, Problems problems) throws IOException {
        return read(in, SCENARIO_BEGINS, problems);
    }

    /**
     * Reads a stream that is not a scenario.
     *
     * @param beginning expected beginning if it is empty
     */
    public static @Nullable YamlNode read(InputStream in, String beginning, Problems problems) throws IOException {
        String text = text(in, problems);
        return text == null ? null : readText(text, beginning, problems);
    }

    /** Returns the text of a file given by the user, in any format; null after a problem. */
    public static @Nullable String text(String file, Problems problems) {
        try {
            Path path = Path.of(file);
            if (Files.isDirectory(path)) {
                return problems.refuse(Position.START, "is a directory; name a YAML file");
            }
            if (Files.isRegularFile(path) && Files.size(path) > BYTES_MAX) {
                tooLarge(problems);
                return null;
            }
            try (InputStream in = Files.newInputStream(path)) {
                return text(in, problems);
            }
        } catch (NoSuchFileException missing) {
            problems.add(
                    Position.START,
                    file.indexOf('\ufffd') < 0
                            ? "no such file; check the path"
                            : "its name is not UTF-8; rename it, or read it from standard input: - < FILE");
        } catch (AccessDeniedException denied) {
            problems.add(Position.START, "may not be read; check its permissions");
        } catch (IOException | InvalidPathException failure) {
            problems.add(Position.START, "cannot be read (" + oneLine(String.valueOf(failure.getMessage())) + ")");
        }
        return null;
    }

    private static @Nullable String text(InputStream in, Problems problems) throws IOException {
        byte[] bytes = in.readNBytes(BYTES_MAX + 1);
        if (bytes.length > BYTES_MAX) {
            tooLarge(problems);
            return null;
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException notText) {
            return problems.refuse(Position.START, "is not UTF-8 text; save it as UTF-8");
        }
    }

    /** Reads a text. */
    public static @Nullable YamlNode readText(String text, Problems problems) {
        return readText(text, SCENARIO_BEGINS, problems);
    }

    private static @Nullable YamlNode readText(String text, String beginning, Problems problems) {
        String withoutMark = text.startsWith("\ufeff") ? text.substring(1) : text;
        // An unpaired surrogate is not a character.
        return new YamlReader(problems, beginning).parse(withoutMark.replaceAll("\\p{Cs}", "\ufffd"));
    }

    private static void tooLarge(Problems problems) {
        problems.add(Position.START, "is larger than " + BYTES_MAX + " bytes, the limit; split it into several files");
    }

    private @Nullable YamlNode parse(String text) {
        LoadSettings settings = LoadSettings.builder()
                .setLabel(problems.file())
                .setCodePointLimit(BYTES_MAX)
                .setUseMarks(true)
                // The parser fails on a surrogate pair that spans its buffer boundary.
                .setBufferSize(text.length() + BUFFER_MORE)
                .build();
        try {
            int documents = 0;
            for (Event event : new Parse(settings).parseString(text)) {
                if (event.getEventId() == Event.ID.DocumentStart && ++documents > 1) {
                    return problems.refuse(place(event), "a second document begins; write one document per file");
                }
                accept(event);
            }
            return finished();
        } catch (Stop stop) {
            return null;
        } catch (MarkedYamlEngineException broken) {
            Position position = broken.getProblemMark().map(YamlReader::place).orElse(Position.START);
            String context = broken.getContext() == null ? "" : oneLine(broken.getContext()) + ", ";
            return problems.refuse(position, "is not YAML: " + context + oneLine(broken.getProblem()));
        } catch (ReaderException broken) {
            String character = String.format("U+%04X", broken.getCodePoint());
            return problems.refuse(
                    place(text, broken.getPosition()), "character " + character + " is not allowed in YAML; remove it");
        } catch (YamlEngineException broken) {
            return problems.refuse(Position.START, "is not YAML: " + oneLine(String.valueOf(broken.getMessage())));
        }
    }

    private @Nullable YamlNode finished() {
        if (root == null || root instanceof Scalar scalar && scalar.isNull()) {
            return problems.refuse(Position.START, "is empty; " + beginning);
        }
        return root;
    }

    private void accept(Event event) {
        if (event instanceof AliasEvent alias) {
            acceptAlias(alias);
        } else if (event instanceof ScalarEvent scalar) {
            refuseTag(scalar, scalar.getTag());
            Scalar node = new Scalar(place(event), scalar.getValue(), scalar.isPlain());
            acceptNode(new Built(node, 1), scalar.getAnchor());
        } else if (event instanceof CollectionStartEvent start) {
            refuseTag(start, start.getTag());
            if (open.size() >= DEPTH_MAX) {
                problems.add(place(event), "is nested deeper than " + DEPTH_MAX + " levels; a scenario needs five");
                throw new Stop();
            }
            boolean mapping = event.getEventId() == Event.ID.MappingStart;
            open.push(new Open(place(event), mapping, start.getAnchor().orElse(null)));
        } else if (event.getEventId() == Event.ID.MappingEnd || event.getEventId() == Event.ID.SequenceEnd) {
            Open closed = open.pop();
            YamlNode node = closed.mapping
                    ? new Mapping(closed.position, closed.entries)
                    : new Sequence(closed.position, closed.items);
            acceptNode(new Built(node, closed.values), Optional.ofNullable(closed.anchor));
        }
    }

    private void acceptAlias(AliasEvent alias) {
        Built target = anchors.get(alias.getAlias());
        if (target == null) {
            problems.add(
                    place(alias),
                    "alias *" + alias.getAlias() + " names no earlier anchor; write &" + alias.getAlias()
                            + " before the value it names");
            target = new Built(new Scalar(place(alias), "", true), 1);
        }
        acceptNode(target, Optional.empty());
    }

    private void acceptNode(Built built, Optional<Anchor> anchor) {
        anchor.ifPresent(name -> anchors.put(name, built));
        Open parent = open.peek();
        if (parent == null) {
            root = built.node;
            return;
        }
        parent.values += built.values;
        if (parent.values > VALUES_MAX) {
            problems.add(
                    parent.position,
                    "makes more than " + VALUES_MAX + " values after expanding its aliases; write fewer of them");
            throw new Stop();
        }
        if (!parent.mapping) {
            parent.items.add(built.node);
        } else if (!parent.keyRead) {
            acceptKey(parent, built.node);
        } else {
            if (!parent.dropValue) {
                parent.entries.add(new Entry(parent.key, parent.keyPosition, built.node));
            }
            parent.keyRead = false;
        }
    }

    private void acceptKey(Open parent, YamlNode node) {
        parent.keyRead = true;
        parent.keyPosition = node.position();
        parent.dropValue = true;
        if (!(node instanceof Scalar scalar)) {
            problems.add(node.position(), "a key is " + node.kind() + "; write a name");
        } else if (scalar.plain() && scalar.text().equals("<<")) {
            problems.add(node.position(), "merge key << is not YAML 1.2; repeat the keys");
        } else if (parent.keys.containsKey(scalar.text())) {
            problems.add(
                    node.position(),
                    "key " + printable(scalar.text()) + " is given twice, first in line "
                            + parent.keys.get(scalar.text()).line() + "; keep one");
        } else {
            parent.key = scalar.text();
            parent.keys.put(parent.key, node.position());
            parent.dropValue = false;
        }
    }

    private void refuseTag(NodeEvent event, Optional<String> tag) {
        if (tag.isPresent() && !tag.get().equals("!")) {
            problems.add(place(event), "tag " + printable(tag.get()) + " is not supported here; remove it");
        }
    }

    private static Position place(Event event) {
        return event.getStartMark().map(YamlReader::place).orElse(Position.START);
    }

    private static Position place(Mark mark) {
        return new Position(mark.getLine() + 1, mark.getColumn() + 1);
    }

    private static Position place(String text, int codePoints) {
        int line = 1;
        int column = 1;
        int[] points = text.codePoints().limit(codePoints).toArray();
        for (int point : points) {
            line += point == '\n' ? 1 : 0;
            column = point == '\n' ? 1 : column + 1;
        }
        return new Position(line, column);
    }

    /** Returns the text as shown in a message: one line, no control characters or unpaired surrogates, shortened. */
    public static String printable(String text) {
        return printable(text, 80);
    }

    private static String printable(String text, int lengthMax) {
        String clean = oneLineOf(text);
        if (clean.length() <= lengthMax) {
            return clean;
        }
        boolean cutsPair = Character.isHighSurrogate(clean.charAt(lengthMax - 1));
        return clean.substring(0, cutsPair ? lengthMax - 1 : lengthMax) + "...";
    }

    /**
     * Replaces each control or format character, and each unpaired surrogate, with a question mark, so that a message can safely repeat user input.
     */
    public static String oneLineOf(String text) {
        return STEERING.matcher(text).replaceAll("?");
    }

    private static String oneLine(String text) {
        return printable(text.replaceAll("\\s*\\R\\s*", " "), 300);
    }
}
