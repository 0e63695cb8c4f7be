package io.brokermeter.trials.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.experiment.Workload;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.Endpoints;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkerOrderTest {

    @TempDir
    Path directory;

    private Workload read(String text) {
        return ScenarioFile.read(text, "test", directory, Changes.NONE).trials().getFirst().workload();
    }

    /** The scenario file of a worker has no passwords. Guards against a client that opens its trust store with {@code ***}. */
    @Test
    void aWorkerGetsSecretParametersAsItGetsPasswords() {
        Workload workload = read("""
            name: t
            protocol: LOOPBACK
            url: loopback://me:first@b?a=1
            properties: {trust-store: trust.p12, trust-store-password: second}
            destinations: queue://Q
            producers: 1
            load: {messages: 1}
            """);
        String file = workload.yaml("t", null, UnaryOperator.identity());
        assertThat(file).doesNotContain("first", "second");
        WorkerOrder order = WorkerOrder.of(its -> {
            its.directory = directory.toString();
            its.id = "id";
            its.scenario = file;
            its.endpoints = new Endpoints(Drivers.load(), null, Map.of(), null).specs(workload, UnaryOperator.identity());
        });
        assertThat(order.toString()).doesNotContain("first", "second");

        WorkerOrder got = WorkerOrder.read(order.line());

        assertThat(got).isEqualTo(order);
        Workload.Group group = read(file).groups().getFirst();
        ConnectionSettings settings = WorkerTask.endpoint(Objects.requireNonNull(got.endpoints().get(group.key())), group).settings();
        assertThat(settings.url()).isEqualTo("loopback://b?a=1");
        assertThat(settings.user()).isEqualTo("me");
        assertThat(settings.password()).isEqualTo(Secret.of("first"));
        assertThat(settings.properties())
            .isEqualTo(Map.of("trust-store", "trust.p12", "trust-store-password", "second"));
    }
}
