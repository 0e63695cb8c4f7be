package io.brokermeter.driver.loopback;

import static io.brokermeter.contract.Messages.auto;
import static io.brokermeter.contract.Messages.payload;
import static io.brokermeter.contract.Messages.plain;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Settlement;
import org.junit.jupiter.api.Test;

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

    private static Connection connect(String url) {
        try {
            return new LoopbackDriver().connect(new ConnectionSettings(url, null, null, null, Duration.ofSeconds(5)), new ConnectionLog());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
