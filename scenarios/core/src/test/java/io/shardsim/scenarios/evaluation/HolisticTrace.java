package io.shardsim.scenarios.evaluation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Profile of one rank as read by Holistic Trace Analysis, without its rounding to microseconds (HTA_DISABLE_NS_ROUNDING): hta/common/trace_file.py,
 * trace_parser.py and types.py, hta/analyzers/breakdown_analysis.py and communication_analysis.py.
 */
record HolisticTrace(int rank, JsonNode document, List<Kernel> kernels) {
    private static final Pattern RANK = Pattern.compile("\"rank\":\\s+(\\d+)");
    private static final Pattern COMMUNICATION = Pattern.compile("(^nccl.*)|(^hip)|(^hccl)|(.*ncclKernel.*)");
    private static final Pattern MEMORY = Pattern.compile("(^(hip)?Memcpy)|(^(hip)?Memset)|(^dma)");
    private static final Pattern NO_COMPUTATION = Pattern.compile(
            "(^nccl)|(.*Memcpy)|(.*Memset)|(.*dma)|(^.*Sync)|(^Stream Wait Event)|(cuda.*LaunchKernel)|(^hip)|(^hccl)");
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    enum Type {
        COMMUNICATION,
        MEMORY,
        COMPUTATION,
        OTHER
    }

    /** Activity of a GPU [ns]. */
    record Kernel(String name, int stream, long correlation, long startNs, long endNs) {
        Type type() {
            if (COMMUNICATION.matcher(name).lookingAt()) {
                return Type.COMMUNICATION;
            }
            if (MEMORY.matcher(name).lookingAt()) {
                return Type.MEMORY;
            }
            return NO_COMPUTATION.matcher(name).lookingAt() ? Type.OTHER : Type.COMPUTATION;
        }
    }

    /** {@code get_temporal_breakdown} [ns]. */
    record Breakdown(long idleNs, long computeNs, long nonComputeNs, long kernelNs) {}

    /** Returns the profiles of a folder, by rank. */
    static TreeMap<Integer, HolisticTrace> readAll(Path folder) throws IOException {
        TreeMap<Integer, HolisticTrace> traces = new TreeMap<>();
        try (var files = Files.list(folder)) {
            for (Path file : files.toList()) {
                HolisticTrace trace = read(file);
                traces.put(trace.rank, trace);
            }
        }
        return traces;
    }

    private static HolisticTrace read(Path file) {
        try {
            String text = Files.readString(file);
            Matcher rank = RANK.matcher(text);
            if (!rank.find()) {
                throw new IllegalStateException(file + " says no rank");
            }
            JsonNode document = MAPPER.readTree(text);
            List<Kernel> kernels = new ArrayList<>();
            for (JsonNode event : document.get("traceEvents")) {
                if (event.has("dur") && event.has("args") && event.get("args").has("stream")) {
                    long startNs = ns(event, "ts");
                    kernels.add(new Kernel(
                            event.get("name").asString(),
                            event.get("args").get("stream").intValue(),
                            event.get("args").get("correlation").longValue(),
                            startNs,
                            startNs + ns(event, "dur")));
                }
            }
            return new HolisticTrace(Integer.parseInt(rank.group(1)), document, kernels);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static long ns(JsonNode event, String property) {
        BigDecimal microseconds = event.get(property).decimalValue();
        return microseconds.movePointRight(3).longValueExact();
    }

    /** Returns {@code merge_kernel_intervals} of some types, each interval as start and end; of all types if none is named. */
    List<long[]> merged(Type... types) {
        List<Type> wanted = List.of(types);
        List<long[]> merged = new ArrayList<>();
        kernels.stream()
                .filter(kernel -> wanted.isEmpty() || wanted.contains(kernel.type()))
                .sorted(Comparator.comparingLong(Kernel::startNs))
                .forEach(kernel -> {
                    long[] last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
                    if (last == null || kernel.startNs > last[1]) {
                        merged.add(new long[] {kernel.startNs, kernel.endNs});
                    } else {
                        last[1] = Math.max(last[1], kernel.endNs);
                    }
                });
        return merged;
    }

    static long sum(List<long[]> intervals) {
        return intervals.stream()
                .mapToLong(interval -> interval[1] - interval[0])
                .sum();
    }

    Breakdown breakdown() {
        List<long[]> all = merged();
        long kernelNs = all.get(all.size() - 1)[1] - all.get(0)[0];
        long idleNs = kernelNs - sum(all);
        long computeNs = sum(merged(Type.COMPUTATION));
        return new Breakdown(idleNs, computeNs, kernelNs - computeNs - idleNs, kernelNs);
    }

    /** Returns the time with kernels of both kinds running, the dividend of {@code get_comm_comp_overlap} [ns]. */
    long overlapNs() {
        long overlapNs = 0;
        for (long[] computing : merged(Type.COMPUTATION)) {
            for (long[] communicating : merged(Type.COMMUNICATION)) {
                overlapNs += Math.max(
                        0, Math.min(computing[1], communicating[1]) - Math.max(computing[0], communicating[0]));
            }
        }
        return overlapNs;
    }
}
