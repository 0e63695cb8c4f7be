package io.brokermeter.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Settlement;

/** A consumer whose close ends before its delivery does, so that a message which has been counted is not acknowledged. */
public final class SlowDelivery {

    private final List<Throwable> reports = new ArrayList<>();

    private SlowDelivery() {}

    /** Closes a consumer of a connection with limits of a second while its listener has the second of three messages. */
    public static SlowDelivery of(Subject subject, boolean polling) throws Exception {
        return of(subject, polling, Duration.ofSeconds(1));
    }

    /** Closes a consumer of a connection with such limits, as far as its driver goes by them, while it has the second of three messages. */
    public static SlowDelivery of(Subject subject, boolean polling, Duration limit) throws Exception {
        var result = new SlowDelivery();
        var queue = subject.queue();
        subject.declare(queue);
        subject.fill(queue, 3);
        var underWay = new CountDownLatch(1);
        var over = new CountDownLatch(1);
        var deliveries = new Deliveries(delivery -> {
            if (delivery.text().equals("m1")) {
                underWay.countDown();
                Await.until(() -> over.getCount() == 0, () -> "the consumer did not close");
            }
            return Settlement.ACCEPT;
        });
        var usual = subject.settings();
        Consumer consumer = subject.connect(new ConnectionSettings(usual.url(), usual.user(), usual.password(), usual.clientId(),
            limit, usual.properties())).consumer(queue, ConsumerSettings.of(its -> {
                its.mayBlock = true;
                its.polling = polling;
            }), deliveries);
        try (var polls = new ConsumerPoller(consumer); AutoCloseable _ = over::countDown) {
            Await.until(() -> underWay.getCount() == 0, () -> "m1 did not come");
            try {
                consumer.close();
            } catch (Exception e) {
                result.reports.add(e);
            }
            result.reports.addAll(deliveries.failures());
        }
        return result;
    }

    /** Checks that the close said so once. */
    public void isReported() {
        assertThat(reports).singleElement().satisfies(report -> assertThat(report.getMessage())
            .startsWith("The last delivery from ").contains(" did not end within ", " acknowledged."));
    }
}
