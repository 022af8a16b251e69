package io.shardsim.scenarios.importing;

import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A file that says what another kind does under names of its own: its table says which. */
class RenamedConfig implements Importer {
    private static final long MOST = Integer.MAX_VALUE;

    private final String table;
    private final @Nullable Importer like;

    /** @param like whose words the table's rows are in; null where they are keys of a scenario */
    RenamedConfig(String table, @Nullable Importer like) {
        this.table = table;
        this.like = like;
    }

    @Override
    public final String table() {
        return table;
    }

    @Override
    public final Mapping unwrap(Mapping root) {
        Mapping followed = Interpolation.in(root);
        if (!Importers.table(this).paths("a-b").contains("a_b")) {
            return followed;
        }
        // Such keys may have dashes.
        return new Mapping(
                root.position(),
                followed.entries().stream()
                        .map(entry -> new Entry(entry.key().replace('-', '_'), entry.keyPosition(), entry.value()))
                        .toList());
    }

    @Override
    public void contribute(ForeignFile file, Draft draft) {
        boolean described = file.has("num-layers");
        file.table().defaults().forEach((name, text) -> {
            if (described || !name.startsWith("model.")) {
                draft.byDefault(
                        name, value(text), "the default of a " + file.table().title());
            }
        });
        file.table().reads().forEach(row -> give(row, file, draft));
        if (file.table().mesh().stream().findFirst().filter(file::has).isPresent()) {
            draft.giveMesh(file, file.table().mesh());
        }
        if (like != null) {
            like.contribute(file, draft);
        }
        draft.afterwards(whole -> {
            if (!whole.has("model")
                    && !whole.has(Draft.HUB_NAME)
                    && whole.block("model").isEmpty()) {
                file.refuse(
                        "",
                        "describes no model, " + file.table().modelIn()
                                + "; give --model NAME, or its config.json too");
            }
        });
    }

    private static Object value(String text) {
        boolean flag = text.equals("true") || text.equals("false");
        return text.matches("\\d+") ? Long.valueOf(text) : flag ? Boolean.valueOf(text) : text;
    }

    private static void give(Block row, ForeignFile file, Draft draft) {
        String name = row.text("as", "");
        Object value = switch (row.text("type", "")) {
            case "whole" -> draft.isSettled(file, name, name) ? null : file.whole(name, 1, MOST);
            case "decimal" -> file.decimal(name, 0, MOST);
            case "flag" -> file.flag(name);
            case "text" -> file.text(name);
            case "names" ->
                row.<String>map("to").entrySet().stream()
                        .filter(each -> file.flag(each.getKey(), false))
                        .flatMap(each -> Stream.of(each.getValue().split(" ")))
                        .toList();
            default -> null;
        };
        draft.give(name, List.of().equals(value) ? null : value, file.key(name));
    }
}
