package io.shardsim.simulator.strategy;

import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.catalog.CatalogException;
import io.shardsim.simulator.catalog.Descriptor;
import io.shardsim.simulator.catalog.DescriptorFolder;
import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ListType;
import io.shardsim.simulator.schema.NamedType;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.strategy.settings.ParameterForm;
import io.shardsim.simulator.strategy.settings.Setting;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problems;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/** Strategies on the class path: every file {@code strategies/<kind>.yaml}. There is no other list. */
public final class StrategyCatalog {
    private static final String PARAMETERS = "parameters";
    private static final String SOFTWARE = "software";
    private static final String SEARCHED = "searched";
    private static final DescriptorFolder FILES = new DescriptorFolder(
            "strategies",
            Key.required("title", Setting.LINE, "one line for readers"),
            Key.optional(SOFTWARE, Software.NAME, "software in which it runs; omitted: code of its own"),
            Key.optional(SEARCHED, ScalarTypes.flag(), "whether plan tries it unasked; omitted: true"),
            Key.optional("version", Setting.LINE, "product and version that it is modelled on"),
            Key.optional(
                    "colours",
                    new ListType(ScalarTypes.text("#[0-9a-f]{6}", "a colour such as '#6a2c91'"), "colour"),
                    "its colour on light and on dark paper; none of those of work, gathers and reductions"),
            Key.optional("family", Setting.LINE, "what kinds that shard in the same way have in common"),
            Key.required(PARAMETERS, new NamedType(Setting.TYPE), "what a scenario may set"));

    private static final String PROFILE = "framework_profile";

    /** Settings that every strategy must have, with examples. */
    private static final List<String> ASKED =
            List.of("runtime_memory: 1.2 GB", "fragmentation: 15 %", PROFILE + ": eager");

    private final Map<String, Descriptor> byKind = new LinkedHashMap<>();

    private StrategyCatalog(List<Descriptor> descriptors) {
        for (Descriptor descriptor : descriptors) {
            byKind.put(descriptor.id(), descriptor);
        }
    }

    /**
     * Reads all descriptors, and makes each strategy once.
     *
     * @throws CatalogException with all that is wrong with a file, or with the class that it names
     */
    public static StrategyCatalog load() {
        StrategyCatalog catalog = new StrategyCatalog(FILES.all());
        catalog.byKind.forEach((kind, file) -> {
            checkParameters(file);
            catalog.create(kind, Map.of());
        });
        return catalog;
    }

    private static void checkParameters(Descriptor file) {
        Problems problems = new Problems(file.path());
        Block own = file.own().block(PARAMETERS);
        for (String asked : ASKED) {
            String name = asked.substring(0, asked.indexOf(':'));
            String example = asked.substring(name.length() + 2);
            Block parameter =
                    Objects.requireNonNull(file.block().block(PARAMETERS)).block(name);
            String written = parameter == null ? "" : parameter.text("value", "");
            String wrong = "";
            if (parameter == null) {
                wrong = " is missing, which every strategy needs; add it, with value: " + example;
            } else if (ParameterForm.of(written) != ParameterForm.of(example)) {
                wrong = " " + written + " is not written as this parameter is; write for example " + example;
            } else if (name.equals(PROFILE) && !FrameworkProfile.names().contains(written)) {
                wrong = " " + written + " is not known; " + Nearest.remedy(written, FrameworkProfile.names());
            }
            if (!wrong.isEmpty()) {
                Block mine = own == null ? null : own.block(name);
                problems.add(mine == null ? file.own().at(PARAMETERS) : mine.at("value"), name + wrong);
            }
        }
        try {
            problems.throwIfAny();
        } catch (InputException broken) {
            throw new CatalogException(broken);
        }
    }

    /** Returns the names of the strategies, as written after {@code kind} in scenario files. */
    public List<String> kinds() {
        return List.copyOf(byKind.keySet());
    }

    /** Returns the kinds that plan tries if a file names none. */
    public List<String> searchedKinds() {
        return byKind.values().stream()
                .filter(file -> file.block().flag(SEARCHED, true))
                .map(Descriptor::id)
                .toList();
    }

    /** Returns the kinds that satisfy a condition. */
    List<String> kindsThat(Predicate<ShardingStrategy> is) {
        return kinds().stream().filter(kind -> is.test(create(kind, Map.of()))).toList();
    }

    /** Returns the descriptor of a kind, if there is one. */
    public Optional<Descriptor> descriptor(String kind) {
        return Optional.ofNullable(byKind.get(kind));
    }

    /** Returns the software required to run a kind; custom code, named like the kind, if its file names none. */
    public Software software(String kind) {
        return Software.named(
                descriptor(kind).map(file -> file.block().text(SOFTWARE, kind)).orElse(kind));
    }

    /** Returns the settings declared by the file of a kind, including the files that it extends. */
    public static List<Setting> settings(Descriptor descriptor) {
        return Setting.of(descriptor.block().block(PARAMETERS));
    }

    /**
     * Creates a strategy with the given settings; invalid ones are among its {@link ShardingStrategy#problems}.
     *
     * @param given settings as written in the scenario, without {@code kind}
     */
    public ShardingStrategy create(String kind, Map<String, ?> given) {
        Descriptor descriptor = byKind.get(kind);
        if (descriptor == null) {
            throw new CatalogException("no strategy " + kind + "; " + Nearest.remedy(kind, byKind.keySet()));
        }
        return descriptor.instantiate(ShardingStrategy.class, new StrategyParameters(settings(descriptor), given));
    }
}
