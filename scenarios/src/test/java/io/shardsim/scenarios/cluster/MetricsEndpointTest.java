package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class MetricsEndpointTest {
    @Test
    void metersAreThereWhileSlowClientsAsk() throws Exception {
        ClusterSettings settings = ClusterFile.settings(
                new ClusterFile.Flags(null, null, null, 0, List.of(), null), Map.of(), ClusterSettings.DEFAULT_PORT);
        ClusterNode node = ClusterNode.start(settings, List.of(ClusterNode.WORKER));
        List<Socket> slow = new ArrayList<>();
        try (node;
                MetricsEndpoint endpoint = MetricsEndpoint.open(
                        new HostPort("127.0.0.1", 0),
                        node.system(),
                        new ClusterMeters(node.system()),
                        node.coordinator())) {
            HostPort place = endpoint.address();
            for (int i = 0; i < 30; i++) {
                Socket socket = new Socket(place.host(), place.port());
                slow.add(socket);
                socket.getOutputStream().write("GET /metrics HT".getBytes(StandardCharsets.US_ASCII));
            }

            assertThat(get(place, "/metrics").body()).contains("shardsim_cluster_points_total 0");
            assertThat(get(place, "/members").body()).startsWith("{\"members\":[");
            assertThat(get(place, "/ready").statusCode()).isEqualTo(503);
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    private static HttpResponse<String> get(HostPort place, String path) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://" + place + path))
                                .timeout(Duration.ofSeconds(9))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }
}
