package io.shardsim.scenarios.scenario;

import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.CatalogEntry;
import io.shardsim.scenarios.catalog.ModelKeys;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.NearestNumbers;
import io.shardsim.simulator.catalog.Figure;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.yaml.Problems;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The {@code model} block: a name of the catalog, or a shape. */
final class ModelResolver {
    private final Block file;
    private final List<Figure> figures;
    private final Problems problems;

    ModelResolver(Block file, List<Figure> figures, Problems problems) {
        this.file = file;
        this.figures = figures;
        this.problems = problems;
    }

    /** The model, or null after a problem. */
    @Nullable
    ModelShape resolve(int sequenceLength) {
        Object value = file.value("model");
        if (value instanceof Block inline) {
            return inlineModel(inline, sequenceLength);
        }
        if (!(value instanceof String name)) {
            return null;
        }
        CatalogEntry<ModelShape> entry = Catalog.model(name);
        if (entry == null) {
            return problems.refuse(
                    file.at("model"),
                    "model " + name + " is not in the catalog; " + Nearest.remedy(name, Catalog.modelNames()));
        }
        ScenarioReader.addFigures(entry, figures);
        return entry.spec();
    }

    private @Nullable ModelShape inlineModel(Block inline, int sequenceLength) {
        Long hidden = inline.whole("hidden");
        Long heads = inline.whole("heads");
        boolean read = inline.entries().keySet().stream().allMatch(key -> inline.value(key) != null);
        if (hidden == null
                || heads == null
                || inline.whole("layers") == null
                || inline.whole("vocab") == null
                || !read) {
            return null;
        }
        long kvHeads = inline.whole("kv_heads", heads);
        boolean divides = true;
        if (inline.value("head_dim") == null && hidden % heads != 0) {
            divides = false;
            problems.add(
                    inline.at("heads"),
                    "heads " + heads + " does not divide hidden " + hidden + "; give head_dim, or "
                            + NearestNumbers.divisors(hidden, heads));
        }
        if (heads % kvHeads != 0) {
            divides = false;
            problems.add(
                    inline.at("kv_heads"),
                    "kv_heads " + kvHeads + " does not divide heads " + heads + "; "
                            + NearestNumbers.divisors(heads, kvHeads));
        }
        int before = problems.size();
        boolean gated = inline.flag("gated_ffn", false);
        if (!gated && inline.flag("qk_norm", false)) {
            problems.add(inline.at("qk_norm"), "qk_norm true needs gated_ffn true; set it, or remove qk_norm");
        }
        Long experts = inline.whole("experts");
        if (!gated && experts != null) {
            problems.add(
                    inline.at("experts"), "experts " + experts + " needs gated_ffn true; set it, or remove experts");
        }
        long perToken = inline.whole("experts_per_token", 2);
        if (experts != null && perToken > experts) {
            problems.add(
                    inline.at("experts_per_token"),
                    "experts_per_token " + perToken + " is more than experts " + experts + "; set at most " + experts);
        }
        for (String key : ModelKeys.OF_EXPERTS) {
            if (experts == null && inline.value(key) != null) {
                problems.add(inline.at(key), key + " needs experts; give their number, or remove " + key);
            }
        }
        return divides && problems.size() == before ? ModelKeys.shape(inline, sequenceLength) : null;
    }
}
