package io.shardsim.scenarios.profiling;

import io.shardsim.simulator.compute.Kernel;
import io.shardsim.simulator.yaml.InputException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads traces of the PyTorch profiler (Kineto), event by event, gzipped or not.
 *
 * <p>Steps are those of {@code ProfilerStep}. On the GPU, a step lasts from its first kernel to the first kernel of the next step. Of several steps
 * the median one is read; with three or more, the first and the last are left out. Without steps, the whole trace counts as one.
 */
public final class ProfileReader {
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final int HEAD = 1 << 16;
    static final String STEP = "ProfilerStep#";
    private static final Set<String> ON_GPU = Set.of("kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset");
    private static final Set<String> LAUNCHES = Set.of("cuda_runtime", "cuda_driver", "runtime");
    private static final int EVENTS_MAX = 4_000_000;
    private static final double NS_PER_SECOND = 1e9;
    /** Marks a GEMM that overlapped with a collective: the sum stays negative whatever its other kernels add [ns]. */
    private static final long BESIDE = Long.MIN_VALUE / 4;
    /** Maximum number of digits of a time [ns]. */
    private static final int DIGITS_MAX = 19;

    private final String name;
    private final List<Seen> seen = new ArrayList<>();
    private final Map<Long, Long> launchesNs = new HashMap<>();
    private final Map<String, KernelNames.KernelClass> classes = new HashMap<>();
    private final Map<Profile.Label, Profile.Label> labels = new HashMap<>();
    /** Steps by their start on the host. */
    private final TreeMap<Long, Step> steps = new TreeMap<>();

    private int rank;

    /** GEMM shapes, by operator. */
    private final Map<Long, Kernel.Matmul> shapes = new HashMap<>();

    private record Seen(Profile.Kernel kernel, long correlation, long operation) {}

    private record Step(String name, long endNs) {}

    private ProfileReader(String name) {
        this.name = name;
    }

    /** Whether a file looks like a profile, or any other event trace. */
    public static boolean isMeant(String file) {
        return isOfNsys(file) || isJson(file);
    }

    private static boolean isOfNsys(String file) {
        return NsysTable.isMeant(file) || NsysTable.isReport(file);
    }

    private static boolean isJson(String file) {
        if (!file.endsWith(".json") && !file.endsWith(".json.gz")) {
            return false;
        }
        try (InputStream in = open(Path.of(file))) {
            String head = new String(in.readNBytes(HEAD), StandardCharsets.UTF_8);
            return head.contains("\"traceEvents\"") || head.startsWith("[") && head.contains("\"ph\"");
        } catch (IOException | InvalidPathException unreadable) {
            return false;
        }
    }

    /** @throws InputException with the file's problems */
    static Profile read(String file) throws InputException {
        return read(file, null);
    }

    /**
     * Reads a given step.
     *
     * @param step name of a step in another profile; null for the median step
     */
    static Profile read(String file, @Nullable String step) throws InputException {
        return isOfNsys(file) ? NsysTable.read(file) : opened(file).profile(step);
    }

    private static ProfileReader opened(String file) throws InputException {
        try (InputStream in = open(Path.of(file));
                JsonParser parser = MAPPER.createParser(in)) {
            ProfileReader reader = new ProfileReader(file);
            reader.readAll(parser);
            return reader;
        } catch (IOException | JacksonException | ArithmeticException broken) {
            throw new InputException(file, "cannot be read as a profile: " + firstLine(broken.getMessage()));
        }
    }

    private static String firstLine(@Nullable String message) {
        return String.valueOf(message).lines().findFirst().orElse("");
    }

    private static InputStream open(Path file) throws IOException {
        InputStream in = new BufferedInputStream(Files.newInputStream(file), HEAD);
        in.mark(2);
        boolean zipped = in.read() == 0x1f && in.read() == 0x8b;
        in.reset();
        return zipped ? new BufferedInputStream(new GZIPInputStream(in, HEAD), HEAD) : in;
    }

    private void readAll(JsonParser parser) throws InputException {
        boolean array = parser.nextToken() == JsonToken.START_ARRAY;
        if (array) {
            readEvents(parser);
            return;
        }
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String key = parser.currentName();
            JsonToken value = parser.nextToken();
            if (key.equals("traceEvents") && value == JsonToken.START_ARRAY) {
                readEvents(parser);
            } else if (key.equals("distributedInfo") && value == JsonToken.START_OBJECT) {
                rank = parser.<JsonNode>readValueAsTree().path("rank").asInt(0);
            } else {
                parser.skipChildren();
            }
        }
    }

    private void readEvents(JsonParser parser) throws InputException {
        while (parser.nextToken() == JsonToken.START_OBJECT) {
            readEvent(new ProfileEvent(parser));
            if (seen.size() > EVENTS_MAX) {
                throw new InputException(name, "has more than " + EVENTS_MAX + " kernels; profile fewer steps");
            }
        }
    }

    private void readEvent(ProfileEvent event) {
        String category = event.category().toLowerCase(Locale.ROOT);
        if (event.startNs() == null || event.durationNs() == null || event.durationNs() < 0) {
            return;
        }
        long startNs = event.startNs();
        long endNs = Math.addExact(startNs, event.durationNs());
        if (ON_GPU.contains(category)) {
            seen.add(new Seen(
                    new Profile.Kernel(label(event), startNs, endNs, event.bytes()),
                    event.correlation(),
                    event.operation()));
        } else if (LAUNCHES.contains(category) && event.correlation() > 0) {
            launchesNs.put(event.correlation(), startNs);
        } else if (event.gemm() != null) {
            shapes.put(event.operation(), Objects.requireNonNull(event.gemm()));
        } else if (event.name().startsWith(STEP) && category.equals("user_annotation")) {
            steps.put(startNs, new Step(event.name(), endNs));
        }
    }

    /** Returns one shared instance per label. */
    private Profile.Label label(ProfileEvent event) {
        return labels.computeIfAbsent(
                new Profile.Label(
                        classes.computeIfAbsent(event.name(), KernelNames::of),
                        event.name(),
                        event.stream(),
                        event.group()),
                same -> same);
    }

    /**
     * Median time of each BF16 or FP16 GEMM shape, over all kernels of the operator [s]. GEMMs that overlapped with a collective are left out.
     *
     * @throws InputException with the profile's problems, or if it has no shapes
     */
    public static Map<Kernel.Matmul, Double> gemms(String file) throws InputException {
        if (isOfNsys(file)) {
            throw new InputException(file, "is of nsys, which records no shapes; profile with torch.profiler");
        }
        ProfileReader reader = opened(file);
        reader.seen.sort(Comparator.comparingLong(one -> one.kernel().startNs()));
        Map<Long, Long> times = new LinkedHashMap<>();
        long collectivesNs = Long.MIN_VALUE;
        Seen gemm = null;
        for (Seen one : reader.seen) {
            Profile.Kernel kernel = one.kernel();
            if (kernel.of().kind() == KernelNames.Kind.COLLECTIVES) {
                collectivesNs = Math.max(collectivesNs, kernel.endNs());
                if (gemm != null && gemm.kernel().endNs() > kernel.startNs()) {
                    times.put(gemm.operation(), BESIDE);
                }
            } else if (reader.shapes.containsKey(one.operation())) {
                boolean alone = kernel.startNs() >= collectivesNs;
                times.merge(one.operation(), alone ? kernel.endNs() - kernel.startNs() : BESIDE, Long::sum);
                gemm = one;
            }
        }
        times.values().removeIf(ns -> ns < 0);
        Map<Kernel.Matmul, List<Long>> ofShape = times.keySet().stream()
                .sorted(Comparator.comparing(times::get))
                .collect(Collectors.groupingBy(
                        reader.shapes::get, LinkedHashMap::new, Collectors.mapping(times::get, Collectors.toList())));
        Map<Kernel.Matmul, Double> seconds = new LinkedHashMap<>();
        ofShape.forEach((shape, all) -> seconds.put(shape, all.get(all.size() / 2) / NS_PER_SECOND));
        if (seconds.isEmpty()) {
            throw new InputException(
                    file,
                    "has no BF16 or FP16 GEMM with a shape that runs without overlapping collectives; profile "
                            + "with record_shapes=True");
        }
        return seconds;
    }

    private Profile profile(@Nullable String wanted) throws InputException {
        if (seen.stream().allMatch(one -> one.kernel().of().kind() == KernelNames.Kind.COPIES)) {
            throw new InputException(
                    name,
                    "has no GPU kernels; pass a torch.profiler trace with ProfilerActivity.CUDA, or a rankN.json "
                            + "from run --trace");
        }
        seen.sort(Comparator.comparingLong(one -> one.kernel().startNs()));
        TreeMap<Long, Step> onGpu = new TreeMap<>();
        steps.forEach((startNs, step) -> seen.stream()
                .filter(one -> isOf(one, startNs, step))
                .findFirst()
                .ifPresent(first -> onGpu.put(first.kernel().startNs(), step)));
        if (onGpu.isEmpty()) {
            return profile(Profile.WHOLE, first(), last());
        }
        if (onGpu.size() == 1) {
            Map.Entry<Long, Step> only = steps.firstEntry();
            return profile(
                    only.getValue().name(),
                    Math.min(only.getKey(), first()),
                    Math.max(only.getValue().endNs(), last()));
        }
        List<Long> starts = new ArrayList<>(onGpu.keySet());
        int chosen = wanted == null ? usual(starts) : place(new ArrayList<>(onGpu.values()), wanted);
        return profile(
                Objects.requireNonNull(onGpu.get(starts.get(chosen))).name(),
                starts.get(chosen),
                starts.get(chosen + 1));
    }

    /** Returns which step has the median length, without the last one, and the first of three or more. */
    static int usual(List<Long> starts) {
        List<Integer> whole = new ArrayList<>();
        for (int i = starts.size() > 2 ? 1 : 0; i < starts.size() - 1; i++) {
            whole.add(i);
        }
        long usual = Layers.median(
                whole.stream().map(i -> starts.get(i + 1) - starts.get(i)).toList());
        return whole.stream()
                .filter(i -> starts.get(i + 1) - starts.get(i) == usual)
                .findFirst()
                .orElseThrow();
    }

    private int place(List<Step> known, String wanted) throws InputException {
        for (int i = 0; i < known.size() - 1; i++) {
            if (known.get(i).name().equals(wanted)) {
                return i;
            }
        }
        throw new InputException(
                name,
                "has no whole " + wanted + ", which the first profile shows, but "
                        + known.get(0).name() + " to "
                        + known.get(known.size() - 1).name()
                        + "; profile the same steps on every rank");
    }

    /** Whether a kernel was launched within a step; without launch events, whether it started there. */
    private boolean isOf(Seen one, long startNs, Step step) {
        Long ns = launchesNs.isEmpty() ? Long.valueOf(one.kernel().startNs()) : launchesNs.get(one.correlation());
        return ns != null && startNs <= ns && ns < step.endNs();
    }

    private long first() {
        return seen.get(0).kernel().startNs();
    }

    private long last() {
        return seen.stream().mapToLong(one -> one.kernel().endNs()).max().orElseThrow();
    }

    private Profile profile(String step, long startNs, long endNs) {
        return new Profile(
                        rank,
                        step,
                        startNs,
                        endNs,
                        seen.stream().map(Seen::kernel).toList())
                .between(step, startNs, endNs);
    }

    /** Parses microseconds, the unit of profiles, to whole nanoseconds. */
    static long ns(JsonParser parser) {
        if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT) {
            return Math.multiplyExact(1000L, parser.getLongValue());
        }
        BigDecimal ns = parser.getDecimalValue().movePointRight(3);
        if (ns.precision() - ns.scale() > DIGITS_MAX) {
            throw new ArithmeticException("a time of " + ns.round(new MathContext(3)) + " ns");
        }
        return ns.setScale(0, RoundingMode.DOWN).longValueExact();
    }
}
