package io.shardsim.reports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.reports.Surroundings.Checkpoint;
import io.shardsim.reports.Surroundings.Input;
import io.shardsim.reports.Surroundings.State;
import io.shardsim.reports.Surroundings.Storage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A run of 30 billion parameters on 4 nodes in one shard group of 32, with a step time in seconds. */
class AroundTheStepTest {
    private static final Storage SHARED = new Storage("shared", 1e9, 2e9);
    private static final Storage GROWING = new Storage("growing", 1e9, Double.POSITIVE_INFINITY);
    private static final double STATE = 29.97e9 * 14;
    /** 24 GB/s per PCIe switch, of which there are four. */
    private static final double PCIE = 4 * 24e9;

    private static RunResult run(@Nullable Surroundings around) {
        return SampleRuns.around(SampleRuns.training("s", "mics", "MiCS", 4, 32), around);
    }

    private static AroundTheStep of(Input input, Checkpoint checkpoint) {
        AroundTheStep around = AroundTheStep.of(run(new Surroundings(input, checkpoint, null)));
        assertThat(around).isNotNull();
        return around;
    }

    private static double stepSeconds() {
        return run(null).step().stepSeconds();
    }

    @Test
    void nothingIsSaidWhereTheScenarioSaysNothing() {
        assertThat(AroundTheStep.of(run(null))).isNull();
    }

    /** 30 billion parameters of 4 bytes on each of 8 ranks per node; two GPUs share a PCIe switch's 24 GB/s. */
    @Test
    void aModelIsBuiltByEveryRankOrOnceItIsSplit() {
        double parameters = 29.97e9;
        AroundTheStep.StartUp onHosts = startUp(false);
        assertThat(onHosts.hostBytes()).isEqualTo(8 * 4 * 29_970_000_000L);
        assertThat(onHosts.seconds()).isCloseTo(parameters * 44e-9 + 2 * 4 * parameters / 24e9, within(1e-6));
        assertThat(onHosts.fits()).isTrue();
        AroundTheStep.StartUp onGpus = startUp(true);
        assertThat(onGpus.seconds()).isCloseTo(2 * 4 * parameters / 1555e9, within(1e-6));
        assertThat(onGpus.hostSeconds()).isEqualTo(onHosts.seconds());
    }

    private static AroundTheStep.StartUp startUp(boolean delayed) {
        AroundTheStep around =
                AroundTheStep.of(run(new Surroundings(null, null, new Surroundings.StartUp(delayed, 44e-9))));
        assertThat(around).isNotNull();
        assertThat(around.startUp()).isNotNull();
        assertThat(around.sentences()).singleElement().asString().startsWith("Start-up: ");
        return around.startUp();
    }

    @Test
    void inputThatKeepsUpCostsNothing() {
        AroundTheStep around = of(new Input(GROWING, 1000), null);
        assertThat(around.input().stallSeconds()).isZero();
        assertThat(around.samplesPerSecond()).isCloseTo(1536 / stepSeconds(), within(1e-9));
    }

    /** 1536 samples of 1 GB at 2 GB/s, shared by four nodes. */
    @Test
    void inputThatDoesNotKeepUpSetsThePace() {
        AroundTheStep around = of(new Input(SHARED, 1_000_000_000), null);
        assertThat(around.input().seconds()).isCloseTo(768.0, within(1e-6));
        assertThat(around.input().stallSeconds()).isCloseTo(768.0 - stepSeconds(), within(1e-6));
        assertThat(around.samplesPerSecond()).isCloseTo(1536 / 768.0, within(1e-9));
        assertThat(around.sentences().get(0)).contains("every step waits");
    }

    @Test
    void shardsAreWrittenByAllNodesOfAGroupAtOnce() {
        AroundTheStep.Checkpoint written =
                of(null, new Checkpoint(GROWING, 100, State.SHARDED, false, 14)).checkpoint();
        assertThat(written.bytes()).isEqualTo(29_970_000_000L * 14);
        assertThat(written.writeSeconds()).isCloseTo(STATE / 4e9, within(1e-6));
        assertThat(written.pauseSeconds()).isCloseTo(STATE / 4e9 + STATE / (4 * PCIE), within(1e-6));
        assertThat(written.assembleSeconds()).isCloseTo(2 * STATE / 1e9, within(1e-6));
        assertThat(written.share())
                .isCloseTo(written.pauseSeconds() / (100 * stepSeconds() + written.pauseSeconds()), within(1e-12));
    }

    @Test
    void aFullStateGoesToOneNodeAndIsWrittenByIt() {
        AroundTheStep.Checkpoint written =
                of(null, new Checkpoint(GROWING, 100, State.FULL, false, 14)).checkpoint();
        double gather = STATE * 3 / 4 / (4 * 10.625e9);
        assertThat(written.writeSeconds()).isCloseTo(STATE / 1e9, within(1e-6));
        assertThat(written.pauseSeconds()).isCloseTo(STATE / 1e9 + gather + STATE / PCIE, within(1e-6));
        assertThat(written.assembleSeconds()).isZero();
    }

    @Test
    void anAsynchronousCheckpointPausesForTheCopyToTheHostOnly() {
        AroundTheStep.Checkpoint written =
                of(null, new Checkpoint(GROWING, 1000, State.SHARDED, true, 14)).checkpoint();
        assertThat(written.pauseSeconds()).isCloseTo(STATE / (4 * PCIE), within(1e-6));
    }

    @Test
    void writingThatIsNotDoneByTheNextCheckpointHoldsItUp() {
        AroundTheStep.Checkpoint written =
                of(null, new Checkpoint(SHARED, 1, State.SHARDED, true, 14)).checkpoint();
        assertThat(written.writeSeconds()).isCloseTo(STATE / 2e9, within(1e-6));
        assertThat(written.pauseSeconds()).isCloseTo(STATE / (4 * PCIE) + STATE / 2e9 - stepSeconds(), within(1e-6));
    }

    @Test
    void daysAndDollarsAreForTheTokensThatWereAskedFor() {
        RunResult run = run(new Surroundings(null, new Checkpoint(GROWING, 100, State.SHARDED, false, 14), null));
        assertThat(AroundTheStep.of(run).sentences()).last().asString().endsWith(" for 500 billion tokens.");
        AroundTheStep asked = AroundTheStep.of(run.withTokens(1e12));
        assertThat(asked.sentences())
                .last()
                .asString()
                .endsWith(Quantities.significant(asked.cost().days()) + " days and "
                        + Quantities.usd(asked.cost().usd()) + " for 1 trillion tokens.");
    }

    /** Tables, limits and the fastest run use these figures, so a checkpoint that is never written does not look best. */
    @Test
    void daysDollarsAndSpeedCountTheFailuresThatAreExpected() {
        Checkpoint rare = new Checkpoint(GROWING, 10_000, State.SHARDED, false, 14);
        Surroundings around = new Surroundings(null, rare, null, new Surroundings.Failures(6300 * 3600, 600, 600));
        RunResult run = run(around);
        Goodput goodput = AroundTheStep.of(run).goodput();
        assertThat(run.cost()).isEqualTo(goodput.cost());
        assertThat(run.cost().days()).isGreaterThan(run.step().cost().days() / 0.99);
        assertThat(run.tokensPerSecond() * run.cost().days() * 86_400).isCloseTo(5e11, within(1e3));
    }

    /** AWS's figure for 500 billion tokens, with the dollars of all nodes. */
    @Test
    void comparisonsSayWhatIsSaved() {
        ScenarioResult sweep = SampleRuns.sweep("s");
        StrategyComparison first = StrategyComparison.of(sweep).get(0);
        RunResult fast = null;
        RunResult slow = null;
        for (RunResult run : sweep.runs()) {
            if (run.gpus() == 256 && run.facts().sharding().kind().equals("mics")) {
                fast = run;
            }
            if (run.gpus() == 256 && run.facts().sharding().kind().equals("zero3")) {
                slow = run;
            }
        }
        double hours = 500e9
                / 2048
                / 3600
                * (1 / slow.step().samplesPerSecond() - 1 / fast.step().samplesPerSecond());
        assertThat(first.sentence())
                .contains("That saves " + Quantities.count(Math.round(hours)) + " hours and "
                        + Quantities.usd(hours * 32.77 * 32) + " for all 32 nodes ("
                        + Quantities.usd(hours * 32.77) + " per node) over 500 billion tokens.");
    }
}
