package io.shardsim.scenarios.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Breaks a text or bytes a little, so that much of it is still as it should be. */
public final class Damage {
    private static final String[] PIECES = {
        "",
        "{",
        "}",
        "[",
        "]",
        "\"",
        "'",
        ":",
        ": ",
        ",",
        "\n",
        "\t",
        " ",
        "#",
        "- ",
        "null",
        "true",
        "-1",
        "0",
        "1e400",
        "1e-5",
        "NaN",
        ".inf",
        "99999999999999999999",
        "9223372036854775807",
        "2147483648",
        "0.0000001",
        "\"auto\"",
        "\\",
        "\u0000",
        "\u00e9",
        "\ud83d\ude00",
        "\ufeff",
        "$X",
        "${",
        "$((",
        "`",
        "--",
        "=(",
        "<<E",
        "|",
        "&a ",
        "*a",
        "!!x ",
        "<script>",
        "__import__('os')",
        "\\u12",
        "%",
        "{{",
        "[[",
        "---\n",
        "? ",
        "1 GiB",
        "300 GB/s",
        "~"
    };
    private static final String[] NUMBERS = {
        "0",
        "1",
        "2",
        "3",
        "7",
        "8",
        "64",
        "65537",
        "1000000",
        "5e8",
        "-3",
        "1.5",
        "1e18",
        "1e-18",
        "4294967296",
        "9223372036854775808"
    };

    private final SplittableRandom random;
    private final String[] pieces;

    /** @param further pieces that texts of one kind may be broken by, beside those of all */
    public Damage(SplittableRandom random, String... further) {
        this.random = random;
        pieces = Stream.concat(Arrays.stream(PIECES), Arrays.stream(further)).toArray(String[]::new);
    }

    /** The text with one to four changes. */
    public String text(String text) {
        StringBuilder damaged = new StringBuilder(text);
        for (int changes = random.nextInt(1, 5); changes > 0 && !damaged.isEmpty(); changes--) {
            int at = random.nextInt(damaged.length());
            int end = Math.min(damaged.length(), at + 1 + random.nextInt(12));
            switch (random.nextInt(9)) {
                case 0 -> damaged.delete(at, end);
                case 1 -> damaged.insert(at, pieces[random.nextInt(pieces.length)]);
                case 2 -> damaged.replace(at, end, pieces[random.nextInt(pieces.length)]);
                case 3 -> damaged.insert(at, damaged.substring(at, end));
                case 4 -> damaged.setLength(random.nextInt(4) == 0 ? at : damaged.length());
                case 5 -> line(damaged, at);
                default -> number(damaged, at);
            }
        }
        return damaged.toString();
    }

    /** A line is doubled, removed, or moved to the end. */
    private void line(StringBuilder text, int at) {
        int start = text.lastIndexOf("\n", at) + 1;
        int next = text.indexOf("\n", at);
        int end = next < 0 ? text.length() : next + 1;
        String line = text.substring(Math.min(start, end), end);
        switch (random.nextInt(3)) {
            case 0 -> text.insert(end, line);
            case 1 -> text.delete(Math.min(start, end), end);
            default -> {
                text.delete(Math.min(start, end), end);
                text.append(line);
            }
        }
    }

    /** The next number becomes another one, so that many damaged texts are still of their kind. */
    private void number(StringBuilder text, int from) {
        int at = from;
        while (at < text.length() && !Character.isDigit(text.charAt(at))) {
            at++;
        }
        int end = at;
        while (end < text.length() && Character.isDigit(text.charAt(end))) {
            end++;
        }
        text.replace(at, end, NUMBERS[random.nextInt(NUMBERS.length)]);
    }

    /** Bytes from an offset on with one to eight changes; now and then some are missing or there are more. */
    public byte[] bytes(byte[] bytes, int from) {
        int length = switch (random.nextInt(6)) {
            case 0 -> from + random.nextInt(Math.max(1, bytes.length - from + 1));
            case 1 -> bytes.length + random.nextInt(16);
            default -> bytes.length;
        };
        byte[] damaged = Arrays.copyOf(bytes, length);
        for (int changes = random.nextInt(1, 9); changes > 0 && length > from; changes--) {
            int at = random.nextInt(from, length);
            switch (random.nextInt(4)) {
                case 0 -> damaged[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> damaged[at] = (byte) -1;
                case 2 -> {
                    int other = random.nextInt(from, length);
                    int count = Math.min(random.nextInt(1, 9), length - Math.max(at, other));
                    System.arraycopy(damaged, other, damaged, at, count);
                }
                default -> damaged[at] = (byte) random.nextInt(256);
            }
        }
        return damaged;
    }

    /** A text with changes, as bytes; now and then some of these are changed as well. */
    public byte[] encoded(String text) {
        byte[] bytes = text(text).getBytes(StandardCharsets.UTF_8);
        return random.nextInt(20) == 0 ? bytes(bytes, 0) : bytes;
    }
}
