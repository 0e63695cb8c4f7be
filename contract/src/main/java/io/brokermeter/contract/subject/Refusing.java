package io.brokermeter.contract.subject;

import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.plain;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ServerSocket;
import java.time.Duration;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.FaultProxy;
import io.brokermeter.contract.Fixture;
import io.brokermeter.contract.FreePorts;
import io.brokermeter.contract.Retry;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.Subject;
import io.brokermeter.contract.needs.Needs;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.Test;

/** Tests of invalid settings, and of brokers that refuse. */
public interface Refusing extends Subject {

    @Test
    @Needs(fixtures = Fixture.UNKNOWN_SETTING)
    default void refusesAnUnknownSettingBeforeItConnects() {
        var settings = underTest().unknownSetting().orElseThrow();
        assertThatThrownBy(() -> driver().check(settings))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("noSuchSetting");
        driver().check(settings());
    }

    @Test
    @Needs(fixtures = Fixture.NETWORK)
    default void carriesAClientIdOrRefusesIt() throws Exception {
        var proxy = proxy();
        carriesOrRefuses(settings(proxy.host(), proxy.port()).withClientId("contract-client-7"), "contract-client-7", "client id", proxy);
    }

    @Test
    @Needs(fixtures = Fixture.SOURCE)
    default void connectsFromTheAddressThatItIsTold() throws Exception {
        var proxy = proxy();
        var queue = queue();
        declare(queue);
        var connection = connect(settings(proxy.host(), proxy.port()).withSource("127.0.0.77"));
        connection.consumer(queue, auto(), new Deliveries());
        connection.producer(queue, plain(), new Sends());
        assertThat(proxy.clients()).containsExactly("127.0.0.77");
    }

    @Test
    @Needs(fixtures = Fixture.NETWORK)
    default void carriesALoginOrRefusesIt() throws Exception {
        var proxy = proxy();
        var near = settings(proxy.host(), proxy.port());
        carriesOrRefuses(new ConnectionSettings(near.url(), "contract-user-7", Secret.of("contract-password"), null,
            near.connectTimeout(), near.properties()), "contract-user-7", "user", proxy);
    }

    /** Asserts that a setting either reaches the broker or is refused by the driver's check: it must not be ignored silently. */
    private void carriesOrRefuses(ConnectionSettings settings, String text, String what, FaultProxy proxy) throws Exception {
        try {
            driver().check(settings);
        } catch (IllegalArgumentException e) {
            assertThat(e).as("the sentence by which check refuses a " + what + " that the protocol cannot carry")
                .hasMessageContaining(what);
            return;
        }
        var queue = queue();
        declare(queue);
        try {
            var connection = connect(settings);
            connection.producer(queue, plain(), new Sends());
            connection.consumer(queue, auto(), new Deliveries());
        } catch (Exception e) {
            // the broker does not know this user, or refuses this client id
        }
        assertThat(Await.holdsWithin(patience(), () -> proxy.carried(text)))
            .as("check accepts the " + what + " " + text + ", so it must reach the broker; what a protocol cannot carry is refused")
            .isTrue();
    }

    @Test
    default void showsNoPasswordOfTheUrl() {
        var settings = settings();
        assertThat(driver().effectiveUrl(settings)).isNotBlank();
        var password = settings.password();
        if (password != null) {
            assertThat(driver().effectiveUrl(settings)).doesNotContain(password.reveal());
        }
    }

    @Test
    @Needs(fixtures = Fixture.WRONG_PASSWORD)
    default void saysThatThePasswordIsWrong() throws Exception {
        var settings = underTest().wrongPassword().orElseThrow().call();
        assertThatThrownBy(() -> connect(settings)).isInstanceOf(Exception.class)
            .message().containsIgnoringCase("password").doesNotContain(settings.password() == null
                ? "\0" : settings.password().reveal());
    }

    @Test
    @Needs(fixtures = Fixture.REFUSED_TLS)
    default void saysThatTlsWasRefused() throws Exception {
        var settings = underTest().refusedTls().orElseThrow().call();
        assertEndsSoon(settings, "TLS");
    }

    @Test
    @Needs(fixtures = Fixture.OTHER_ADDRESS)
    default void saysThatNobodyListens() throws Exception {
        var settings = underTest().elsewhere("127.0.0.1", FreePorts.one()).orElseThrow();
        assertEndsSoon(settings, "nobody listens");
    }

    @Test
    @Needs(fixtures = Fixture.OTHER_ADDRESS)
    default void saysThatTheHostIsUnknown() throws Exception {
        var settings = underTest().elsewhere("no-such-host.invalid", 61616).orElseThrow();
        assertEndsSoon(settings, "unknown host");
    }

    @Test
    @Needs(fixtures = Fixture.OTHER_ADDRESS)
    default void givesUpAPeerThatNeverAnswers() throws Exception {
        try (var silent = new ServerSocket(0)) {
            var settings = underTest().elsewhere("127.0.0.1", silent.getLocalPort()).orElseThrow();
            var hasty = new ConnectionSettings(settings.url(), settings.user(), settings.password(),
                settings.clientId(), Duration.ofSeconds(2), settings.properties());
            assertEndsSoon(hasty, "did not answer");
        }
    }

    /** Asserts that a connection is refused in time with a word, which a stall beyond the connect timeout may keep from being said. */
    private void assertEndsSoon(ConnectionSettings settings, String word) throws Exception {
        Retry.upToThree(() -> assertThat(timeToRefuse(settings, word)).isLessThan(bound()));
    }

    private Duration timeToRefuse(ConnectionSettings settings, String word) {
        long start = System.nanoTime();
        assertThatThrownBy(() -> connect(settings)).isInstanceOf(Exception.class)
            .message().containsIgnoringCase(word);
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Test
    @Needs(fixtures = Fixture.FORBIDDEN_DESTINATION)
    default void saysThatTheBrokerForbidsAnAddress() throws Exception {
        var destination = underTest().forbidden().orElseThrow();
        var connection = connect();
        assertThatThrownBy(() -> {
            connection.declare(destination);
            connection.producer(destination, plain(), new Sends());
        }).isInstanceOf(Exception.class).message().isNotBlank();
        assertThatThrownBy(() -> {
            connection.declare(destination);
            connection.consumer(destination, auto(), new Deliveries());
        }).isInstanceOf(Exception.class).message().isNotBlank();
    }
}
