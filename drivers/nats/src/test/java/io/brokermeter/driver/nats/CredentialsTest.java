package io.brokermeter.driver.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** NKeys: the seed and key of the manual of NATS, the signatures of RFC 8032, and a server that knows the key. */
class CredentialsTest {

    private static final String SEED = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
    private static final String KEY = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";
    private static final String OTHER = "SUAMLK2ZNL35WSMW37E7UD4VZ7ELPKW7DHC3BWBSD2GCZ7IUQQXZIORRBU";

    @TempDir
    private Path directory;

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("user.creds"), text);
    }

    @Test
    void derivesTheKeyOfASeed() {
        assertThat(Credentials.of(SEED, null).publicKey()).isEqualTo(KEY);
    }

    @Test
    void answersANonceWithTheKeyOrTheJwtAndTheSignature() {
        var credentials = Credentials.of(SEED, null);
        String signature = Base64.getUrlEncoder().withoutPadding().encodeToString(credentials.sign("abc".getBytes()));
        assertThat(signature).hasSize(86);
        assertThat(credentials.answer("abc")).isEqualTo("\"nkey\":\"" + KEY + "\",\"sig\":\"" + signature + "\",");
        assertThat(Credentials.of(SEED, "a.b.c").answer("abc")).isEqualTo("\"jwt\":\"a.b.c\",\"sig\":\"" + signature + "\",");
    }

    @Test
    void findsJwtAndSeedInAFile() throws IOException {
        var read = Credentials.read("credentials",
            file("-----BEGIN NATS USER JWT-----\neyJ0.eyJq-_.sig-_9\n------END NATS USER JWT------\n\n"
                + "*** IMPORTANT ***\nNKEY Seed printed below can be used to sign and prove identity.\n\n-----BEGIN USER NKEY SEED-----\r\n"
                + SEED + "\r\n------END USER NKEY SEED------\n"));
        assertThat(read.publicKey()).isEqualTo(KEY);
        assertThat(read.answer("n")).startsWith("\"jwt\":\"eyJ0.eyJq-_.sig-_9\",");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nothing", "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VA"})
    void refusesAFileWithoutAValidSeed(String text) throws IOException {
        Path file = file(text);
        assertThatThrownBy(() -> new NatsDriver().check(to("nats://h", file))).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("credentials").hasMessageContaining(file.toString()).hasMessageNotContaining("SUACSS").message()
            .endsWith(".");
    }

    @Test
    void refusesAPasswordBesideIt() throws IOException {
        var both = new ConnectionSettings("nats://h", "me", Secret.of("p"), null, Duration.ofSeconds(1),
            Map.of("credentials", file(SEED).toString()));
        assertThatThrownBy(() -> new NatsDriver().check(both)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("takes the place of user and password");
    }

    private static ConnectionSettings to(String url, Path file) {
        return new ConnectionSettings(url, null, null, null, Duration.ofSeconds(60), Map.of("credentials", file.toString()));
    }

    /** The signature is one that the server's own library verifies. */
    @Test
    @Tag("slow")
    void theServerTakesTheKeyThatItKnowsAndNoOther() throws Exception {
        try (Broker broker = Broker.start(BrokerName.parse("nats"), BrokerOptions.defaults().withProperty("authorization",
            "{users: [{nkey: " + KEY + "}], timeout: 60}"))) {
            try (var connection = new NatsDriver().connect(to(broker.url(), file(SEED + "\n")), new ConnectionLog())) {
                assertThat(connection.broker()).startsWith("NATS ");
            }
            assertThatThrownBy(() -> new NatsDriver().connect(to(broker.url(), file(OTHER)), new ConnectionLog()))
                .isInstanceOf(DriverException.class).hasMessage("The broker refused the key in credentials; check that file.");
        }
    }
}
