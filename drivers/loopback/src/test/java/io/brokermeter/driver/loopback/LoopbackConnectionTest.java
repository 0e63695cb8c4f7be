package io.brokermeter.driver.loopback;

import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.payload;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.transacted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Settlement;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoopbackConnectionTest {

    private static final Destination QUEUE = new Destination(Destination.Kind.QUEUE, "q");

    @Test
    void twoConnectionsMeetWhileOthersComeAndGo() throws Exception {
        var url = "loopback://coming-and-going";
        var over = new AtomicBoolean();
        var others = CompletableFuture.runAsync(() -> {
            while (!over.get()) {
                connect(url).close();
            }
        });
        try {
            for (int i = 0; i < 50_000; i++) {
                var deliveries = new Deliveries();
                try (Connection one = connect(url); Connection other = connect(url)) {
                    other.consumer(QUEUE, auto(), deliveries);
                    one.producer(QUEUE, plain(), new Sends()).send(payload("m"), 0);
                    assertThat(deliveries.count()).as("deliveries in round " + i).isEqualTo(1);
                }
            }
        } finally {
            over.set(true);
        }
        others.get(60, TimeUnit.SECONDS);
    }

    @Test
    void whatIsLeftInAQueueIsServedToThoseWhoComeLater() throws Exception {
        var url = "loopback://left";
        try (Connection first = connect(url)) {
            first.producer(QUEUE, plain(), new Sends()).send(payload("m"), 0);
        }
        var deliveries = new Deliveries(its -> its.redelivered() ? Settlement.ACCEPT : Settlement.REQUEUE);
        try (Connection second = connect(url)) {
            second.consumer(QUEUE, auto(), deliveries);
            deliveries.await(2);
        }
        assertThat(deliveries.texts()).containsExactly("m", "m");
    }

    /** Guards against messages that are confirmed, by the commit or by the close, but never delivered. */
    @ParameterizedTest
    @CsvSource({"true, ", "false, ", "true, &die-for=1ms", "false, &die-for=1ms"})
    void aTransactionFailsThatTheBrokerDoesNotLiveToSee(boolean commits, @Nullable String revival) throws Exception {
        var url = "loopback://dying-" + commits + (revival == null ? "" : "-again") + "?die-at=1ms" + (revival == null ? "" : revival);
        var log = new ConnectionLog();
        var deliveries = new Deliveries();
        var sends = new Sends();
        try (Connection connection = connect(url, log)) {
            connection.consumer(QUEUE, auto(), deliveries);
            var producer = connection.producer(QUEUE, transacted(), sends);
            for (int i = 0; i < 3; i++) {
                producer.send(payload("m"), i);
            }
            connection.producer(QUEUE, plain(), new Sends()).send(payload("first"), 0);
            Await.until(() -> !log.losses().isEmpty(), () -> "the broker lives");
            if (commits) {
                assertThatThrownBy(producer::commit).hasMessageContaining("dead");
            }
            producer.close();
            sends.closed();
        }
        assertThat(sends.failures()).containsOnlyKeys(0L, 1L, 2L);
        assertThat(sends.confirmed()).isZero();
        assertThat(deliveries.texts()).doesNotContain("m");
    }

    private static Connection connect(String url) {
        return connect(url, new ConnectionLog());
    }

    private static Connection connect(String url, ConnectionLog log) {
        try {
            return new LoopbackDriver().connect(new ConnectionSettings(url, null, null, null, Duration.ofSeconds(5)), log);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
