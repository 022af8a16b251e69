package io.shardsim.scenarios.logs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.scenarios.explaining.KnownFault;
import io.shardsim.scenarios.explaining.Measured;
import java.io.StringReader;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Logs of trainers and of NCCL. */
class TrainingLogTest {
    private static TrainingLog read(String text) throws Exception {
        return TrainingLog.read("a.log", new StringReader(text));
    }

    private static TrainingLog.Speed speed(String text) throws Exception {
        return Objects.requireNonNull(read(text).speed(), text);
    }

    @ParameterizedTest
    @CsvSource(delimiterString = "=>", textBlock = """
                    [titan] step: 20  loss:  7.1  memory: 40.4GiB(51%)  tps: 5,762  mfu: 34.9% => torchtitan => 5762 => tokens/s/GPU
                    step: 10  loss: 10.2  memory: 40.4GiB(51%)  wps: 5,762  mfu: 34.9% => torchtitan => 5762 => tokens/s/GPU
                    Step 1 | loss:1.5 lr:2e-5 tokens_per_second_per_gpu:1234.5 => torchtune or axolotl => 1234.5 => tokens/s/GPU
                    {"loss": 1.1, 'tokens/train_per_sec_per_gpu': 812.25} => axolotl => 812.25 => tokens/s/GPU
                    iteration 3/ 10 | elapsed time per iteration (ms): 1273.6 | learning rate: 1E-4 | => Megatron-LM => 1.2736 => s
                    RunningAvgSamplesPerSec=24.14, CurrSamplesPerSec=25.5, MemAllocated=1GB => DeepSpeed => 25.5 => samples/s
                    timer.py:154:stop] 0/20, SamplesPerSec=24.5 => DeepSpeed => 24.5 => samples/s
                    Train throughput/device/tokens_per_sec: 5,134.2 => LLM Foundry or OLMo => 5134.2 => tokens/s/GPU
                    current token per gpu per sec: 7500.5 => fms-fsdp => 7500.5 => tokens/s/GPU
                    tgs (tokens/gpu/second)=2105.33, lr=1e-4 => InternLM => 2105.33 => tokens/s/GPU
                    tokens_per_sec: 123K | tokens_per_sec_per_gpu: 1.5K | => nanotron => 1500 => tokens/s/GPU
                    {'train_runtime': 9.1, 'train_samples_per_second': 12.3, 'train_steps_per_second': 0.77} => Hugging Face Trainer => 12.3 => samples/s
                    12%|## | 12/100 [00:30<03:40, 2.50s/it] => a progress bar => 2.5 => s
                    12%|## | 12/100 [00:30<03:40, 4.00it/s] => a progress bar => 0.25 => s
                    steps_per_second=0.5 => a log of steps per second => 2 => s
                    step 7 12,345 tokens/s => a log of tokens/s => 12345 => tokens/s
                    step 7 999 tokens/sec/GPU => a log of tokens/s/GPU => 999 => tokens/s/GPU
                    tokens/sec: 4,000 => a log of tokens/s => 4000 => tokens/s
                    samples/sec: 8.5 => a log of samples/s => 8.5 => samples/s
                    step 100 tokens/s: 42000 loss 3.1 => a log of tokens/s => 42000 => tokens/s
                    step 100 42000 tokens/s loss: 3.1 => a log of tokens/s => 42000 => tokens/s
                    step=10 loss=3.1 tokens/sec=42,000 tokens/sec/gpu=5,250 => a log of tokens/s/GPU => 5250 => tokens/s/GPU
                    epoch 1.0 samples/s 5.2 loss 1 => a log of samples/s => 5.2 => samples/s
                    iter 10: 5.2 samples/s => a log of samples/s => 5.2 => samples/s
                    step 1 | 42.0k tokens/s => a log of tokens/s => 42000 => tokens/s
                    step 3 | 1.2M tok/s => a log of tokens/s => 1200000 => tokens/s
                    'tokens_per_second': 5276.1, 'epoch': 1.0 => a log of tokens/s => 5276.1 => tokens/s
                    iter 110: loss 2.3, time 1890.21ms, mfu 28.11% => nanoGPT => 1.89021 => s
                    Epoch 0:  10%|#  | 100/1000 [10:00<1:30:00,  0.25it/s, v_num=3, train_loss=2.3] => a progress bar => 4 => s
                    [32mloss: 12.2  [34mtps: 3,301  [36mtflops: 191.11 => torchtitan => 3301 => tokens/s/GPU
                    """)
    void everyFormatIsRead(String line, String of, double figure, String unit) throws Exception {
        TrainingLog.Speed speed = speed(line);
        assertThat(speed.of()).isEqualTo(of);
        assertThat(speed.median()).isCloseTo(figure, within(1e-9 * figure));
        assertThat(speed.unit()).isEqualTo(unit);
        Measured.parse("1 " + unit);
    }

    @Test
    void theFirstTenthIsNotSteadyAndTheScatterIsTold() throws Exception {
        StringBuilder log = new StringBuilder();
        for (int step = 1; step <= 100; step++) {
            log.append("step: ")
                    .append(step)
                    .append(" tps: ")
                    .append(step <= 10 ? 1 : 1000 + step)
                    .append('\n');
        }
        TrainingLog.Speed speed = speed(log.toString());
        assertThat(speed.steps()).isEqualTo(90);
        assertThat(speed.median()).isEqualTo(1055.5);
        assertThat(speed.low()).isBetween(1015.0, 1025.0);
        assertThat(speed.high()).isBetween(1085.0, 1095.0);
    }

    @Test
    void aProgressBarWritesOverItselfInOneLine() throws Exception {
        TrainingLog log = read(
                "100%|##| 3/3 [00:01<00:00, 9.0s/it]\r 33%|# | 1/3 [00:01<00:01, 7.0s/it]\nNCCL INFO Using network Socket\n");
        assertThat(Objects.requireNonNull(log.speed()).median()).isEqualTo(8);
        assertThat(log.findings().get("tcp-over-ethernet").line()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    NCCL INFO NET/IB : No device found.~NCCL INFO NET/Socket : Using [0]eth0:10.0.0.1<0> | tcp-over-ethernet | true
                    NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/Socket/0 | tcp-over-ethernet | true
                    NCCL INFO Channel 01 : 4[40] -> 0[40] [receive] via NET/FastSocket/0 | tcp-over-ethernet | true
                    a3ultra-vm-0:606:642 [6] NCCL INFO Using network gIB | tcp-over-ethernet | false
                    NCCL INFO NET/FasTrak v1.0.15 | tcp-over-ethernet | false
                    NCCL INFO NET/OFI Selected Provider is efa | tcp-over-ethernet | false
                    NCCL INFO NET/Socket : Using [0]ib0:1<0>~NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB ; OOB ib0 | tcp-over-ethernet | false
                    NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA | no-gpudirect | false
                    NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0 | no-gpudirect | true
                    NCCL INFO GPU Direct RDMA Disabled for HCA 0 'mlx5_0' | no-gpudirect | true
                    NCCL INFO Channel 00 : 0[0] -> 1[0] via SHM/direct/direct | no-nvlink | true
                    NCCL INFO NCCL_P2P_DISABLE set by environment to 1 | no-nvlink | true
                    NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0 | one-nic | true
                    """)
    void linesOfNcclShowFaultsOrRuleThemOut(String lines, String fault, boolean shown) throws Exception {
        assertThat(read(lines.replace('~', '\n')).findings().get(fault).shown()).isEqualTo(shown);
    }

    @Test
    void evidenceIsOfKnownFaults() {
        assertThat(KnownFault.names()).containsAll(TrainingLog.faults());
    }

    @Test
    void whatCountsStepsOrIsNoNumberIsNoSpeed() throws Exception {
        for (String line : List.of(
                "step 1 tokens/s: nan",
                "step 2 tokens/s: 0",
                "step 2 tokens/s: inf",
                "step 100 tokens/s",
                "iter: 100 samples/s",
                "12,5 samples/s",
                "samples/s: 12,5")) {
            assertThat(read(line).speed()).as(line).isNull();
        }
    }

    @Test
    void aBarThatTurnsFromSecondsToStepsIsOneSeries() throws Exception {
        String slow = " 1%|# | 1/100 [00:01<00:01,  8.00s/it]\n";
        String fast = " 1%|# | 1/100 [00:01<00:01,  2.00it/s]\n";
        TrainingLog.Speed speed = speed(slow.repeat(6) + fast.repeat(54));
        assertThat(speed.steps()).isEqualTo(54);
        assertThat(speed.median()).isEqualTo(0.5);
        assertThat(speed.high()).isEqualTo(0.5);
        assertThat(speed("100%|##| 5/5 [00:01<00:00, 9.00it/s]\n" + slow + "100%|##| 5/5 [00:01<00:00, 9.00it/s]\n")
                        .median())
                .as("the bar of an evaluation is shorter")
                .isEqualTo(8);
    }

    @Test
    void coloursOfATerminalAreNoText() throws Exception {
        TrainingLog log = read("\u001b[31mstep: 1\u001b[0m  \u001b[34mtps: 1,012 \u001b[39m\n");
        assertThat(Objects.requireNonNull(log.speed()).median()).isEqualTo(1012);
    }

    @Test
    void everyUnitHasNames() {
        assertThat(WrittenSpeed.units().stream()
                        .map(unit -> Measured.parse("1 " + unit).unit()))
                .containsExactlyInAnyOrder(Measured.Unit.values());
    }

    @Test
    void whatIsNoLogTellsNothing() throws Exception {
        assertThat(read("").isKnown()).isFalse();
        assertThat(read("x".repeat(1 << 20) + "\0\1\2").isKnown()).isFalse();
        assertThat(read("eval_steps_per_second: 3\n").isKnown()).isFalse();
    }
}
