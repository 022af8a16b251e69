package io.shardsim.reports.writing.html;

import io.shardsim.simulator.catalog.FigureType;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ListType;
import io.shardsim.simulator.schema.MapType;
import io.shardsim.simulator.schema.ShippedFile;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The terms of a report; every term on the page links here. */
public final class Glossary {
    /**
     * @param id anchor of the entry
     */
    public record Term(String id, String name, String meaning) {}

    private static final BlockType ENTRY = BlockType.of(
            Key.required("name", FigureType.LINE, "the word"),
            Key.required("meaning", FigureType.LINE, "a sentence or more"),
            Key.optional("heads", new ListType(FigureType.LINE, "head"), "heads of tables that say it otherwise"));

    private static final List<Term> TERMS = new ArrayList<>();

    /** IDs by table headers that word a term differently. */
    private static final Map<String, String> HEADS = new HashMap<>();

    static {
        Map<String, Block> entries =
                ShippedFile.read(Glossary.class, "glossary.yaml", new MapType(FigureType.LINE, ENTRY));
        entries.forEach((id, entry) -> {
            TERMS.add(new Term(id, entry.text("name", ""), entry.text("meaning", "")));
            entry.<String>list("heads").forEach(head -> HEADS.put(head, id));
        });
    }

    private Glossary() {}

    /** Returns the entry with an ID. */
    public static Term term(String id) {
        return first(term -> term.id().equals(id))
                .orElseThrow(() -> new IllegalArgumentException("the glossary has no " + id));
    }

    private static Optional<Term> first(Predicate<Term> wanted) {
        return TERMS.stream().filter(wanted).findFirst();
    }

    /** Returns the term of a column header, ignoring its unit in brackets; null if it is not a term. */
    public static @Nullable Term behind(String head) {
        String words = head.replaceAll(" \\[.*", "");
        String id = HEADS.get(words);
        return first(term -> id == null ? term.name().equals(words) : term.id().equals(id))
                .orElse(null);
    }

    public static List<Term> terms() {
        return Collections.unmodifiableList(TERMS);
    }
}
