package io.shardsim.scenarios.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address of a member.
 *
 * @param host name or IPv4 address
 */
public record HostPort(String host, int port) {
    private static final Pattern FORM = Pattern.compile("([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?):(\\d{1,5})");
    private static final Pattern RANGE = Pattern.compile("([^{}]*)\\{(\\d{1,4})\\.\\.(\\d{1,4})}([^{}]*)");
    private static final int PORT_MAX = 65_535;
    private static final int RANGE_MAX = 1000;

    /**
     * Parses {@code host:port}.
     *
     * @throws IllegalArgumentException if it has another form
     */
    public static HostPort parse(String text) {
        Matcher matcher = FORM.matcher(text);
        int port = matcher.matches() ? Integer.parseInt(matcher.group(3)) : 0;
        if (port < 1 || port > PORT_MAX) {
            throw new IllegalArgumentException("\"" + text + "\" is not HOST:PORT with a port from 1 to " + PORT_MAX
                    + "; write for example 127.0.0.1:17355");
        }
        return new HostPort(matcher.group(1), port);
    }

    /**
     * Parses several addresses, separated by commas or spaces. {@code shardsim-{0..2}.shardsim:17355} means three: the pods of a StatefulSet.
     *
     * @throws IllegalArgumentException if one of them is wrong
     */
    public static List<HostPort> parseAll(String text) {
        List<HostPort> all = new ArrayList<>();
        for (String part : text.strip().split("[,\\s]+")) {
            if (part.isEmpty()) {
                continue;
            }
            Matcher range = RANGE.matcher(part);
            if (!range.matches()) {
                all.add(parse(part));
                continue;
            }
            int first = Integer.parseInt(range.group(2));
            int last = Integer.parseInt(range.group(3));
            if (first > last || last - first >= RANGE_MAX) {
                throw new IllegalArgumentException("\"" + part + "\" counts from " + first + " to " + last
                        + "; write for example shardsim-{0..2}.shardsim:17355");
            }
            for (int i = first; i <= last; i++) {
                all.add(parse(range.group(1) + i + range.group(4)));
            }
        }
        return List.copyOf(all);
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
