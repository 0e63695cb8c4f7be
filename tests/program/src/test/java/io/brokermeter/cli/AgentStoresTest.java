package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import io.brokermeter.cli.Tool.Finished;
import io.brokermeter.contract.tls.CertificateAuthority;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Agents that connect to a broker over TLS, with certificate stores on the machine of their coordinator. */
@Order(1)
class AgentStoresTest {

    private static CertificateAuthority authority;
    private static TestBroker broker;

    @RegisterExtension
    static final OneProcess PROGRAM = new OneProcess();

    @TempDir
    static Path stores;

    @TempDir
    Path directory;

    @BeforeAll
    static void start() throws Exception {
        authority = CertificateAuthority.of("agents");
        Path keys = authority.server("localhost", "127.0.0.1").keyStore(stores.resolve("server.p12"));
        broker = TestBroker.start(options -> options.withTls(keys, Secret.of(CertificateAuthority.PASSWORD)));
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private Finished client(String url, String... more) throws Exception {
        // Both sides of the first handshake run cold code, and share two cores with other tests.
        return PROGRAM.run(Stream.concat(
            Stream.of("client", "--agents", "1", "--connect-timeout", "90s", "--url", url, "--producers", "2", "--consumers", "2",
                "--message-count", "201", "--out",
                directory.resolve("run").toString(), "queue://stores-" + System.nanoTime()),
            Stream.of(more)).toArray(String[]::new));
    }

    @Test
    void storesGoToTheAgentsAndTheirPasswordsNowhereElse() throws Exception {
        Path trusted = authority.trustStore(stores.resolve("trusted.p12"));
        Finished run = client(broker.url().replaceFirst("\\?.*", ""), "--property", "sslEnabled=true", "--property",
            "trustStorePath=" + trusted, "--property", "trustStorePassword=" + CertificateAuthority.PASSWORD).exits(0);
        assertThat(run.total("total sent")).isEqualTo(201);
        assertThat(run.total("total received")).isEqualTo(201);
        assertThat(run.out() + run.err()).doesNotContain(CertificateAuthority.PASSWORD);
        run.leavesNothing();
        try (Stream<Path> files = Files.walk(directory.resolve("run"))) {
            assertThat(files.filter(Files::isRegularFile)).isNotEmpty()
                .noneMatch(file -> file.toString().contains("enclosed"))
                .allSatisfy(file -> assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
                    .doesNotContain(CertificateAuthority.PASSWORD));
        }
    }

    /** The driver of this protocol reports which file it could not open. */
    @Test
    void whatIsWrongWithAStoreIsSaidWithTheNameThatTheUserKnows() throws Exception {
        Path stranger = CertificateAuthority.of("a stranger").trustStore(stores.resolve("stranger.p12"));
        Finished unopened = client("stomp+ssl://" + broker.url().replaceFirst(".*://", "").replaceFirst("\\?.*", "") + "?trust-store="
            + stranger + "&trust-store-password=not-the-one").exits(1);
        assertThat(unopened.err()).contains("Agent agent1: ").contains(stranger.toString())
            .doesNotContain("brokermeter-agent-", "enclosed/", "not-the-one");
        Path missing = stores.resolve("missing.p12");
        client(broker.url().replaceFirst("\\?.*", "") + "?sslEnabled=true&trustStorePath=" + missing + "&trustStorePassword="
            + CertificateAuthority.PASSWORD).exits(2).saysOnly("trustStorePath", missing.toString());
    }
}
