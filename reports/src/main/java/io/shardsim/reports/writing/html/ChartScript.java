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
 * The scripts of the page: a short one that unpacks, and, packed, Apache ECharts with {@code report.js}. The page names the digest of both in its policy, so
 * that a browser runs nothing else.
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

    /** The script that unpacks, as text. */
    String boot() {
        return boot;
    }

    /** The library and {@code report.js}, packed. */
    String packed() {
        return packed;
    }

    /** What {@code script-src} allows. */
    String policy() {
        return policy;
    }

    /** Deflated, as base64. */
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

    /** A file beside this class, or of the class path. */
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
