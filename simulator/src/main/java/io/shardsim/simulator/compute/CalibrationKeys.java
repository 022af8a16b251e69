package io.shardsim.simulator.compute;

import static io.shardsim.simulator.schema.Key.optional;

import io.shardsim.simulator.catalog.FigureFolder;
import io.shardsim.simulator.catalog.FigureType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.KeyFile;
import io.shardsim.simulator.schema.ListType;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ValueType;
import io.shardsim.topology.units.UnitTable;
import java.util.List;
import java.util.Map;

/** Keys of a file of {@link GpuCalibration#FAMILIES}. */
final class CalibrationKeys {
    /** Keys of all files of this package. */
    static final KeyFile FILE = KeyFile.named("compute-keys");

    private static final ValueType TILE = ScalarTypes.text("\\d{1,4}x\\d{1,4}", "rows and columns such as 128x256");
    private static final ValueType RANGE = ScalarTypes.text("\\d{1,9}\\.\\.\\d{1,9}", "a range such as 512..65536");

    static final List<Key> ALL = FigureFolder.figures(
            FILE.keys(
                    "calibration",
                    Map.of(
                            "positive_time",
                            ScalarTypes.positiveQuantity(UnitTable.TIME),
                            "positive_rate",
                            ScalarTypes.positiveQuantity(UnitTable.RATE),
                            "range",
                            RANGE,
                            "tiles",
                            new ListType(TILE, "tile"),
                            "splits",
                            new ListType(ScalarTypes.whole(1, 1024), "split"))),
            optional("remark", FigureType.LINE, "what a reader must know before trusting the figures"));

    private CalibrationKeys() {}
}
