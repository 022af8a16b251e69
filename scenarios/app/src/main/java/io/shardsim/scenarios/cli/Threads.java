package io.shardsim.scenarios.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses the value of {@code --threads}. */
final class Threads implements ITypeConverter<Integer> {
    private static final int MAX = 1024;

    @Override
    public Integer convert(String written) {
        if (!written.matches("[0-9]{1,4}") || Integer.parseInt(written) < 1 || Integer.parseInt(written) > MAX) {
            throw new TypeConversionException(
                    "'" + written + "' is not between 1 and " + MAX + "; leave it out for one per core");
        }
        return Integer.valueOf(written);
    }
}
