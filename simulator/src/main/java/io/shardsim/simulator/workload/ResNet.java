package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.BatchNorm.Then;
import io.shardsim.simulator.workload.Convolution.Input;
import java.util.ArrayList;
import java.util.List;

/**
 * Operators of a residual network of bottleneck blocks [1] in forward order; the stride is in the 3x3 convolution ("v1.5", [2]).
 *
 * <p>{@code hidden} and {@code ffn} are the widths of the last stage's blocks, outside and inside. Each stage before it has half of both and twice the
 * side. The stem is a layer of its own.
 *
 * <p>Leaves out the gradient's zero padding, and images whose side is not a multiple of the whole stride.
 *
 * <p>[1] He et al., arXiv:1512.03385, table 1. [2] NVIDIA/DeepLearningExamples, PyTorch/Classification/ConvNets/resnet50v1.5; torchvision's resnet50
 * is the same.
 */
final class ResNet {
    private static final int STEM_KERNEL = 7;
    /** Channels of the first stage's result per channel of the stem's. */
    private static final int EXPANSION = 4;

    private final ModelShape shape;

    private ResNet(ModelShape shape) {
        this.shape = shape;
    }

    static Transformer of(ModelShape shape) {
        ResNet net = new ResNet(shape);
        List<Stretch> stretches = new ArrayList<>();
        int stem = net.outside(0) / EXPANSION;
        int side = shape.image().size() / 2;
        stretches.add(new Stretch(stem(stem, side), 1));
        side /= 2;
        int channels = stem;
        for (int stage = 0; stage < shape.image().stages().size(); stage++) {
            int stride = stage == 0 ? 1 : 2;
            stretches.add(new Stretch(net.block(stage, channels, side, stride), 1));
            side /= stride;
            channels = net.outside(stage);
            if (shape.image().stages().get(stage) > 1) {
                stretches.add(new Stretch(
                        net.block(stage, channels, side, 1),
                        shape.image().stages().get(stage) - 1));
            }
        }
        return new Transformer(
                List.of(),
                stretches,
                List.of(
                        new Block(Span.FIRST, List.of(new Pool(channels, side * side, false))),
                        new Block(Span.FIRST, List.of(new Loss(channels, false, shape.vocab(), true)))));
    }

    private static LayerKind stem(int channels, int side) {
        return new LayerKind(List.of(
                new Block(
                        positions(side),
                        List.of(
                                new Convolution("stem", Image.CHANNELS, channels, STEM_KERNEL, 2, Input.IMAGE),
                                new BatchNorm("stem.norm", channels, Then.RELU))),
                new Block(positions(side / 2), List.of(new Pool(channels, 4, true)))));
    }

    /**
     * Returns a bottleneck block. The first one of a stage has a convolution in its shortcut, which changes width and side.
     *
     * @param side side of its input
     */
    private LayerKind block(int stage, int channels, int side, int stride) {
        int inside = halved(shape.ffn(), stage);
        int outside = outside(stage);
        boolean projects = channels != outside || stride > 1;
        List<Operator> rest = new ArrayList<>(List.of(
                new Convolution("convolution2", inside, inside, 3, stride, Input.SAVED),
                new BatchNorm("norm2", inside, Then.RELU),
                new Convolution("convolution3", inside, outside, 1, 1, Input.SAVED),
                new BatchNorm("norm3", outside, projects ? Then.NOTHING : Then.SHORTCUT_RELU)));
        if (projects) {
            rest.add(new Convolution("shortcut", channels, outside, 1, stride, Input.SHARED));
            rest.add(new BatchNorm("shortcut.norm", outside, Then.SHORTCUT_RELU));
        }
        return new LayerKind(List.of(
                new Block(
                        positions(side),
                        List.of(
                                new Convolution("convolution1", channels, inside, 1, 1, Input.SAVED),
                                new BatchNorm("norm1", inside, Then.RELU))),
                new Block(positions(side / stride), rest)));
    }

    private static Span positions(int side) {
        return Span.number(side * side);
    }

    private int outside(int stage) {
        return halved(shape.hidden(), stage);
    }

    private int halved(int width, int stage) {
        return width >> shape.image().stages().size() - 1 - stage;
    }
}
