package io.shardsim.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.kernel.LogicalProcess;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.units.Bandwidth;
import java.util.List;
import java.util.Map;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A run whose heap fills up while it starts ends, and releases its dispatchers. */
class FullHeapTest {
    @AutoClose
    private final SimulationEngine engine = new SimulationEngine(2);

    private static final class Full implements SimulationEngine.Parts {
        private final boolean whileSpawning;

        Full(boolean whileSpawning) {
            this.whileSpawning = whileSpawning;
        }

        @Override
        public int processes() {
            return 2;
        }

        @Override
        public void spawn(int process, ActorContext<LogicalProcess.Command> context) {
            if (whileSpawning) {
                throw new OutOfMemoryError("Java heap space");
            }
        }

        @Override
        public List<LogicalProcess.Command> commands() {
            throw new OutOfMemoryError("Java heap space");
        }
    }

    @Test
    void aRunThatCannotCreateItsDevicesEnds() throws Exception {
        for (int round = 0; round < 3; round++) {
            assertThatThrownBy(() -> engine.execute(new Full(true)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasCauseInstanceOf(OutOfMemoryError.class);
        }
        runs();
    }

    @Test
    void aRunThatCannotTellItsDevicesHowToRunEnds() throws Exception {
        for (int round = 0; round < 3; round++) {
            assertThatThrownBy(() -> engine.execute(new Full(false))).isInstanceOf(OutOfMemoryError.class);
        }
        runs();
    }

    private void runs() throws Exception {
        Cluster cluster = Clusters.cluster(1, 8, new Bandwidth(100 * Clusters.GB), 1, new Bandwidth(Clusters.GB));
        SimulationSetup setup = new SimulationSetup(
                cluster,
                SimulationTest.bare(CollectiveKind.ALL_GATHER, "ring", 8L * 1_024, cluster),
                SimulationTest.kernels(8),
                SimulationTest.transport(UniformTransport.ideal(1)),
                Map.of(),
                Shortcut.allIf(false));
        assertThat(engine.run(setup).endPs()).isPositive();
    }
}
