package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Creates key stores as in docs/cluster.md. */
public final class Keytool {
    private Keytool() {}

    /** Creates a store with one self-signed certificate with given dates. */
    public static void keys(Path folder, String store, String... dates) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of("-genkeypair", "-alias", "shardsim", "-keyalg", "EC", "-dname", "CN=shardsim"));
        command.addAll(List.of("-ext", "san=ip:127.0.0.1,dns:localhost", "-storetype", "PKCS12"));
        command.addAll(List.of("-keystore", store, "-storepass", "change-it"));
        command.addAll(List.of(dates));
        Process keytool = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(said).isZero();
    }
}
