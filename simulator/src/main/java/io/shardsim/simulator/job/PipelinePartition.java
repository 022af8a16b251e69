package io.shardsim.simulator.job;

import io.shardsim.simulator.workload.ModelShape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Layers of each model chunk of a pipeline. The embedding comes before the first layer, the head after the last.
 * Multi-token prediction modules are in the last chunk.
 *
 * <p>A balanced cut minimizes the cost of the costliest stage, since a pipeline is as fast as its slowest stage. Cost is GEMM flops of forward,
 * recomputation and backward, so the head with its logits counts as several layers. Among the optimal cuts, the one with the most even stages is
 * chosen. Traffic does not depend on the cut: the hidden state crosses it, and has the same size after every layer.
 *
 * <p>Leaves out memory: the first stages of 1f1b keep more micro-batches, and a cut by memory would give them less.
 *
 * @param firstLayers first layer of each model chunk in model order; then the number of layers
 * @param layerCosts cost of each layer, relative to the first; empty if there is one model chunk
 * @param headCost cost of the head [layers]
 */
public record PipelinePartition(TrainingJob job, List<Integer> firstLayers, List<Double> layerCosts, double headCost) {
    /** Tolerance within which costs count as equal, as a share of a layer. */
    private static final double EQUAL = 1e-9;

    public static PipelinePartition of(TrainingJob job) {
        int pieces = job.parallel().virtualStages();
        double headCost = headCost(job);
        List<Double> layerCosts = pieces == 1 ? List.of() : layerCosts(job);
        return new PipelinePartition(
                job,
                pieces > 1 && job.parallel().balanced()
                        ? balanced(job, pieces, layerCosts, headCost)
                        : uniform(job, pieces),
                layerCosts,
                headCost);
    }

    /** Cuts into equally many layers each, or as listed. */
    private static List<Integer> uniform(TrainingJob job, int pieces) {
        List<Integer> firsts = new ArrayList<>();
        List<Integer> listed = job.parallel().pipeline().listed();
        int spread = job.model().layers() - job.model().form().mtpLayers();
        int first = 0;
        for (int piece = 0; piece < pieces; piece++) {
            firsts.add(listed.isEmpty() ? Math.toIntExact((long) piece * spread / pieces) : first);
            first += listed.isEmpty() ? 0 : listed.get(piece);
        }
        firsts.add(job.model().layers());
        return List.copyOf(firsts);
    }

    /** Finds how many layers the last model chunk gives up for its head, by exhaustive search; the other model chunks share the rest evenly. */
    private static List<Integer> balanced(TrainingJob job, int pieces, List<Double> layerCosts, double headCost) {
        int layers = job.model().layers();
        int bestLast = 0;
        double leastCost = Double.POSITIVE_INFINITY;
        double leastUnevenness = Double.POSITIVE_INFINITY;
        for (int last = Math.max(1, job.model().form().mtpLayers()); last <= layers - (pieces - 1); last++) {
            PipelinePartition cut = new PipelinePartition(job, withLast(layers, pieces, last), layerCosts, headCost);
            double cost = cut.costliest();
            double unevenness = cut.unevenness();
            boolean cheaper = cost < leastCost - EQUAL;
            if (cheaper || cost < leastCost + EQUAL && unevenness < leastUnevenness - EQUAL) {
                bestLast = last;
                leastCost = cost;
                leastUnevenness = unevenness;
            }
        }
        return withLast(layers, pieces, bestLast);
    }

    /** Spreads layers evenly over all model chunks but the last; model chunks in the middle get the remainder first. */
    private static List<Integer> withLast(int layers, int pieces, int last) {
        List<Integer> firsts = new ArrayList<>();
        int others = layers - last;
        for (int piece = 0; piece < pieces; piece++) {
            firsts.add(pieces == 1 ? 0 : Math.toIntExact((long) piece * others / (pieces - 1)));
        }
        firsts.add(layers);
        return List.copyOf(firsts);
    }

    public int pieces() {
        return firstLayers.size() - 1;
    }

    public int firstLayer(int piece) {
        return firstLayers.get(piece);
    }

    public int layers(int piece) {
        return firstLayers.get(piece + 1) - firstLayers.get(piece);
    }

    public boolean holdsEmbedding(int piece) {
        return piece == 0;
    }

    public boolean holdsHead(int piece) {
        return piece == pieces() - 1;
    }

    /** Returns the cost of a stage in layers. */
    private double stageCost(int stage) {
        double cost = 0;
        for (int piece = stage; piece < pieces(); piece += job.parallel().stages()) {
            cost += layersCost(piece) + (holdsHead(piece) ? headCost : 0);
        }
        return cost;
    }

    /** Returns the cost of a model chunk's layers. */
    private double layersCost(int piece) {
        double cost = 0;
        for (int layer = firstLayer(piece); layer < firstLayers.get(piece + 1); layer++) {
            cost += layerCosts.get(layer);
        }
        return cost;
    }

    /** Returns the flops of each layer relative to the first. */
    private static List<Double> layerCosts(TrainingJob job) {
        double first = job.model().layerForwardFlops(0, 1, job.sequenceLength());
        Map<Integer, Double> ofKinds = new HashMap<>();
        return IntStream.range(0, job.model().layers())
                .mapToObj(layer -> ofKinds.computeIfAbsent(
                        job.model().kindOf(layer),
                        kind -> job.model().layerForwardFlops(layer, 1, job.sequenceLength()) / first))
                .toList();
    }

    /** Returns the head's flops relative to the first layer; the head is not recomputed. */
    private static double headCost(TrainingJob job) {
        ModelShape model = job.model();
        double layer = model.layerForwardFlops(0, 1, job.sequenceLength());
        double passes = 3 + job.recomputedProducts();
        return 3 * model.logitsForwardFlops(1, job.sequenceLength()) / (passes * layer);
    }

    private double costliest() {
        double most = 0;
        for (int stage = 0; stage < job.parallel().stages(); stage++) {
            most = Math.max(most, stageCost(stage));
        }
        return most;
    }

    private double unevenness() {
        double squares = 0;
        for (int stage = 0; stage < job.parallel().stages(); stage++) {
            squares += stageCost(stage) * stageCost(stage);
        }
        return squares;
    }

    /** Describes the cut: which layers each model chunk has, how even it is, and what crosses it. */
    public List<String> explanation() {
        int stages = job.parallel().stages();
        if (stages == 1) {
            return List.of();
        }
        double mean = 0;
        for (int stage = 0; stage < stages; stage++) {
            mean += stageCost(stage) / stages;
        }
        long cutBytes =
                job.microBatchTokens() * job.model().hidden() * job.precision().bytes();
        return List.of(String.format(
                Locale.ROOT,
                "pipeline cut (partition %s): layers %s; the head costs %.1f layers, so the slowest stage has "
                        + "%.1f %% more work than the mean; each cut sends %.1f MB forward and back per "
                        + "micro-batch",
                job.parallel().pipeline().partition(),
                layersOfPieces(),
                headCost,
                100 * (costliest() / mean - 1),
                cutBytes * 1e-6));
    }

    private String layersOfPieces() {
        StringBuilder words = new StringBuilder();
        int piece = 0;
        while (piece < pieces()) {
            int same = piece + 1;
            while (same < pieces() && layers(same) == layers(piece)) {
                same++;
            }
            words.append(words.length() == 0 ? "" : ", ")
                    .append(same - piece == 1 ? "" : same - piece + " x ")
                    .append(layers(piece));
            piece = same;
        }
        return words.toString();
    }
}
