package io.shardsim.reports;

import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.topology.LinkClass;
import java.util.Locale;

/** Names of other modules' enum values, so that tables, charts and documents agree. */
public final class Names {
    private Names() {}

    /** Returns the form used in documents: {@code LAYER_FORWARD} is {@code layer_forward}. */
    public static String id(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    public static String of(Stream stream) {
        return words(stream);
    }

    public static String of(MemoryOwner owner) {
        return words(owner);
    }

    public static String of(LinkClass linkClass) {
        return switch (linkClass) {
            case NVLINK -> "NVLink";
            case PCIE -> "PCIe";
            case NIC -> "NIC";
            case SPINE -> "spine";
        };
    }

    private static String words(Enum<?> value) {
        return id(value).replace('_', ' ');
    }
}
