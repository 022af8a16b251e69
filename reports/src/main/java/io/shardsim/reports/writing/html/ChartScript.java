package io.shardsim.reports.writing.html;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

/**
 * The page's scripts: a short loader and, compressed, Apache ECharts with {@code report.js}. The page's policy contains both digests, so that a
 * browser runs nothing else.
 */
final class ChartScript {
    private static final String LIBRARY = "/META-INF/resources/webjars/echarts/5.3.1/dist/echarts.min.js";
    private static final ChartScript INSTANCE = new ChartScript();

    private final String boot;
    private final String packed;
    private final String policy;

    private ChartScript() {
        boot = text("boot.js");
        String charts = text(LIBRARY) + "\n" + text("report.js");
        packed = pack(charts);
        policy = digest(boot) + " " + digest(charts);
    }

    static ChartScript instance() {
        return INSTANCE;
    }

    /** Returns the loader's source. */
    String boot() {
        return boot;
    }

    /** Returns the library and {@code report.js}, compressed. */
    String packed() {
        return packed;
    }

    /** Returns the sources allowed by {@code script-src}. */
    String policy() {
        return policy;
    }

    /** Deflates text and encodes it as Base64. */
    static String pack(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DeflaterOutputStream out = new DeflaterOutputStream(bytes, new Deflater(Deflater.BEST_COMPRESSION))) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    private static String digest(String script) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(script.getBytes(StandardCharsets.UTF_8));
            return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Reads a file next to this class, or from the class path. */
    static String text(String name) {
        try (InputStream in = ChartScript.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is missing on the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
