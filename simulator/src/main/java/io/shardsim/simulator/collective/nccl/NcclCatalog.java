package io.shardsim.simulator.collective.nccl;

import io.shardsim.simulator.catalog.FigureFolder;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.schema.KeyFile;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ValueType;
import java.util.Map;

/** The files of NCCL's constants: GPU architectures, networks, and what network plugins prefer. */
public final class NcclCatalog {
    /** The keys of these files, and of those of other libraries. */
    public static final KeyFile KEYS = KeyFile.named("collective-keys");

    /** A file for each GPU architecture. */
    public static final FigureFolder GPUS = folder("gpus", "NCCL constants of the architecture", "gpu");

    /** A file for each network, which instances name. */
    public static final FigureFolder NETWORKS = folder("networks", "NCCL constants of the network", "network");

    /** A file for each network plugin that prefers something. */
    public static final FigureFolder TUNERS = folder("tuners", "preferences of a network plugin", "tuner");

    private NcclCatalog() {}

    private static FigureFolder folder(String name, String kind, String keys) {
        Map<String, ValueType> types = Map.of(
                "name", ScalarTypes.text("[a-z0-9][a-z0-9.-]*", "the name of a file"),
                "protocol", ScalarTypes.choice(Protocol.values(), Protocol::id),
                "collective", ScalarTypes.choice(CollectiveKind.values(), CollectiveKind::id),
                "corner", ScalarTypes.text("\\d+(\\.\\d+)? B x \\d+(\\.\\d+)?", "bytes and ranks such as 4096 B x 16"));
        return new FigureFolder("catalog/nccl/" + name, kind, FigureFolder.figures(KEYS.keys(keys, types)));
    }
}
