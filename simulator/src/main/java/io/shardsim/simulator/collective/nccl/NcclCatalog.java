package io.shardsim.simulator.collective.nccl;

import io.shardsim.simulator.catalog.FigureFolder;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.schema.KeyFile;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ValueType;
import java.util.Map;

/** Files of NCCL's constants: GPU architectures, networks, and tuners of network plugins. */
public final class NcclCatalog {
    /** Keys of these files, and of the files of other libraries. */
    public static final KeyFile KEYS = KeyFile.named("collective-keys");

    /** One file per GPU architecture. */
    public static final FigureFolder GPUS = folder("gpus", "NCCL constants of the architecture", "gpu");

    /** One file per network; instances name theirs. */
    public static final FigureFolder NETWORKS = folder("networks", "NCCL constants of the network", "network");

    /** One file per network plugin with a tuner. */
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
