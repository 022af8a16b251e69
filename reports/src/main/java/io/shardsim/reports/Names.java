package io.shardsim.reports;

import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.topology.LinkClass;
import java.util.Locale;

/** One set of words for what the other modules enumerate, so that tables, charts and documents agree. */
public final class Names {
    private Names() {}

    /** As documents write it: {@code LAYER_FORWARD} is {@code layer_forward}. */
    public static String id(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** What compute waits for when it waits for this stream. */
    public static String waitingFor(Stream stream) {
        return switch (stream) {
            case GATHER -> "waiting for parameters";
            case REDUCE -> "waiting for gradients";
            case COPY -> "waiting for host copies";
            case HOST -> "waiting for the host";
            case TENSOR -> "waiting for tensor parallelism";
            case CONTEXT -> "waiting for keys and values";
            case PIPELINE_FORWARD, PIPELINE_FORWARD_ODD -> "waiting for activations of the stage before";
            case PIPELINE_BACKWARD, PIPELINE_BACKWARD_ODD -> "waiting for gradients of the stage after";
            case COMPUTE -> "idle";
        };
    }

    /** What compute waits for, to follow "waits for". */
    static String waitedFor(Stream stream) {
        return switch (stream) {
            case GATHER -> "parameter gathers";
            case REDUCE -> "gradient reductions";
            case COPY -> "host copies";
            case HOST -> "the host";
            case TENSOR -> "its tensor-parallel group";
            case CONTEXT -> "keys and values of its context-parallel group";
            case PIPELINE_FORWARD, PIPELINE_FORWARD_ODD -> "activations of the stage before";
            case PIPELINE_BACKWARD, PIPELINE_BACKWARD_ODD -> "gradients of the stage after";
            case COMPUTE -> "nothing";
        };
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
