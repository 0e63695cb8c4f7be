package io.brokermeter.driver.amqp091;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.brokermeter.driver.amqp091.model.Options;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class Amqp091OptionsTest {

    private final Amqp091Driver driver = new Amqp091Driver();

    private static ConnectionSettings of(String url) {
        return new ConnectionSettings(url, "u", Secret.of("p"), null, Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "amqp091://localhost", "amqp091://a:1,b:2/vhost?queue-type=quorum", "rabbitmq://[::1]:5672/%2F?confirms=false",
        "amqp://localhost?exchange=e&exchange-type=topic&routing-key=a.b&binding-key=a.%23", "amqps://h?ssl.verify.hostname=false",
        "amqp091://h?arg.x-dead-letter-exchange=dlx&binding-arg.x-match=any", "amqp091://h?client.properties.team=a",
        "amqp091://h?automatic-recovery&recovery-interval=10", "amqp091://h?lazy&max-priority=9&priority=0&message-ttl=1000",
        "amqp091://h?queue-type=stream&stream-offset=1h&heartbeat=0&frame-max=4096&channel-max=1"})
    void takesWhatIsDocumented(String url) {
        assertThatCode(() -> driver.check(of(url))).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "tcp://h | amqp091",
        "amqp091://u:p@h | user name",
        "amqp091://h?confirm=false | did you mean confirms",
        "amqp091://h?queue-type=mirrored | classic, quorum, stream",
        "amqp091://h?mandatory=true&confirms=false | confirms=true",
        "amqp091://h?use.nio=true&confirms=false | use.nio",
        "amqp091://h?requeue-share=0.1 | requeue",
        "amqp091://h?queue-type=stream&auto-ack=true | auto-ack",
        "amqp091://h?durable=false&queue-type=quorum | queue-type=quorum",
        "amqp091://h?stream-offset=first | queue-type=stream",
        "amqp091://h?recovery-interval=5 | automatic-recovery=true",
        "amqp091://h?transport=own&automatic-recovery=true | transport=own",
        "amqps://h?transport=lean&use.nio=true | use.nio",
        "amqp091://h?transport=netty | must be own or client",
        "amqp091://h?frame-max=10 | frame-max",
        "amqp091://h?priority=256 | priority",
        "amqp091://h?max-length=few | max-length",
        "amqp091://h?max-length-bytes=-1 | a whole number from 0 up",
        "amqp091://h?max-length-bytes=10000000000000000000 | a whole number from 0 to 9223372036854775807",
        "amqp091://h?automatic-recovery=true&recovery-interval=3000000000 | a whole number from 1 to 2147483647",
        "amqp091://h?arg.=1 | arg.",
        "amqp091://h?heartbeat=x | heartbeat",
        "amqp091://h?sasl.mechanism=SCRAM | PLAIN, EXTERNAL",
        "amqp091://h?sasl.mechanism=EXTERNAL | begins with amqp091s:// and key-store",
        "amqp091s://h?sasl.mechanism=EXTERNAL | begins with amqp091s:// and key-store",
        "amqp091s://h?sasl.mechanism=EXTERNAL&key-store=/dev/null | leave out user name and password"})
    void refusesWhatWouldBeIgnoredOrWrong(String url, String word) {
        assertThatThrownBy(() -> driver.check(of(url))).isInstanceOf(IllegalArgumentException.class).message().contains(word)
            .matches("(?s).*[.?]").doesNotContain(":p@");
    }

    /** The broker accepts 64-bit limits, for example 10 GiB. */
    @Test
    void takesLimitsOfQueuesBeyond32Bits() {
        var options = new Options(driver, of("amqp091://h?max-length-bytes=10737418240&max-length=3000000000&message-ttl=4000000000"));
        assertThat(options.queueArguments).containsEntry("x-max-length-bytes", 10_737_418_240L)
            .containsEntry("x-max-length", 3_000_000_000L).containsEntry("x-message-ttl", 4_000_000_000L);
    }

    /** Each message would be received more than once and count as a duplicate. */
    @Test
    void refusesConsumersThatReadAStreamTwice() {
        var stream = of("amqp091://h?queue-type=stream");
        var queue = new Destination(Destination.Kind.QUEUE, "S");
        var topic = new Destination(Destination.Kind.TOPIC, "S");
        var competing = ConsumerSettings.of(its -> its.competing = true);
        for (var settings : List.of(ConsumerSettings.DEFAULT, competing, ConsumerSettings.DEFAULT.resumed())) {
            assertThatCode(() -> driver.check(of("amqp091://h"), queue, settings)).doesNotThrowAnyException();
        }
        assertThatCode(() -> driver.check(stream, queue, ConsumerSettings.DEFAULT)).doesNotThrowAnyException();
        assertThatThrownBy(() -> driver.check(stream, queue, competing))
            .hasMessageContaining("let one consumer read it (key 'consumers.count'), or name it as a topic");
        for (var destination : List.of(queue, topic)) {
            assertThatThrownBy(() -> driver.check(stream, destination, ConsumerSettings.DEFAULT.resumed()))
                .hasMessageContaining("restore its connection (key 'reconnect')");
            assertThatThrownBy(() -> driver.check(of("amqp091://h?queue-type=stream&automatic-recovery"), destination,
                ConsumerSettings.DEFAULT)).hasMessageContaining("automatic-recovery");
        }
    }

    /** No binding would be created, so the run would differ from what the user intended. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "amqp091://h?binding-key=orders.%23 | queue://orders | binding-key", "amqp091://h?exchange-type=topic | queue://Q | exchange-type",
        "amqp091://h?binding-arg.x-match=any | queue://Q | binding-arg.x-match",
        "amqp091://h?queue-type=stream&binding-key=a | topic://S | binding-key"})
    void refusesParametersOfABindingThatADestinationHasNot(String url, String name, String parameter) {
        var destination = Destination.parse(name);
        String sentence = parameter + " needs exchange for " + name + ", which is bound to none without it.";
        assertThatThrownBy(() -> driver.check(of(url), destination, ConsumerSettings.DEFAULT))
            .isInstanceOf(IllegalArgumentException.class).hasMessage(sentence);
        assertThatThrownBy(() -> driver.check(of(url), destination, ProducerSettings.DEFAULT)).hasMessage(sentence);
        driver.check(of(url + "&exchange=e"), destination, ConsumerSettings.DEFAULT);
    }

    /** The queue for replies is checked with the parameters of the topic of the requests, although it has no binding. */
    @Test
    void takesParametersOfABindingForADestinationThatHasOne() {
        var topic = of("amqp091://h?exchange-type=topic&binding-key=a&binding-arg.x-match=any");
        driver.check(topic, Destination.parse("topic://T"), ConsumerSettings.DEFAULT);
        driver.check(topic, Destination.parse("topic://T"), ProducerSettings.DEFAULT);
        driver.check(topic, Destination.parse("queue://T.replies.0"));
    }

    @Test
    void refusesALoginOrAClientIdThatTheProtocolCannotCarry() {
        String url = "amqp091://h";
        for (var settings : List.of(
            new ConnectionSettings(url, "a\0b", Secret.of("p"), null, Duration.ofSeconds(1)),
            new ConnectionSettings(url, "a", Secret.of("p\0"), null, Duration.ofSeconds(1)),
            new ConnectionSettings(url, "a".repeat(3000), null, null, Duration.ofSeconds(1)),
            new ConnectionSettings(url, "a", Secret.of("p".repeat(3000)), null, Duration.ofSeconds(1)),
            new ConnectionSettings(url, null, null, "c".repeat(256), Duration.ofSeconds(1)),
            new ConnectionSettings(url + "?routing-key=" + "k".repeat(256), null, null, null, Duration.ofSeconds(1)))) {
            assertThatThrownBy(() -> driver.check(settings)).isInstanceOf(IllegalArgumentException.class)
                .message().endsWith(".").contains("AMQP 0-9-1").doesNotContain("ppp");
        }
    }

    @Test
    void takesTheOldNameOfItsOwnPath() {
        assertThatCode(() -> driver.check(of("amqp091://h?transport=lean"))).doesNotThrowAnyException();
        assertThatCode(() -> driver.check(of("amqps://h?transport=lean"))).doesNotThrowAnyException();
    }

    @Test
    void refusesAParameterThatIsGivenTwice() {
        var settings = new ConnectionSettings("amqp091://h?confirms=true", null, null, null, Duration.ofSeconds(1),
            Map.of("confirms", "false"));
        assertThatThrownBy(() -> driver.check(settings)).message().contains("confirms is given twice");
    }

    @Test
    void lacksWhatItsParametersTakeAway() {
        assertThat(driver.capabilities()).doesNotContain(Capability.MESSAGE_GROUPS, Capability.SELECTORS);
        assertThat(driver.capabilities(of("amqp091://h?max-priority=9"))).isEqualTo(driver.capabilities());
        assertThat(driver.capabilities(of("amqp091://h"))).doesNotContain(Capability.PRIORITY).contains(Capability.REJECT);
        assertThat(driver.capabilities(of("amqp091://h?auto-ack=true"))).doesNotContain(Capability.REQUEUE, Capability.REJECT);
        assertThat(driver.capabilities(of("amqp091://h?queue-type=stream")))
            .doesNotContain(Capability.DURABLE_SUBSCRIPTIONS, Capability.TRANSACTED_RECEIVE, Capability.ROLLBACK, Capability.POLLING);
    }

    @Test
    void showsTheServersWithoutParameters() {
        assertThat(driver.effectiveUrl(of("amqp091://a:1,b/v?client.properties.password=x&confirms=false")))
            .isEqualTo("amqp091://a:1,b:5672/v");
        assertThat(driver.effectiveUrl(of("amqps://a"))).isEqualTo("amqps://a:5671");
    }

    @Test
    void describesEveryParameter() {
        assertThat(driver.parameters()).allSatisfy(parameter -> {
            assertThat(parameter.name()).matches("[a-z.-]+(\\.NAME)?");
            assertThat(parameter.description()).endsWith(".");
        }).extracting(io.brokermeter.spi.parameter.Parameter::name).doesNotHaveDuplicates();
    }
}
