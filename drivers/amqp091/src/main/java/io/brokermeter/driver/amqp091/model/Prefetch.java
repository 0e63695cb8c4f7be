package io.brokermeter.driver.amqp091.model;

import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Setting;

/** The prefetch count: the number of messages that the broker may send ahead of their acknowledgement. */
public final class Prefetch {

    /** The prefetch count unless the user sets one or messages are large, in messages. */
    public static final int DEFAULT = 1000;
    private static final int MOST = 65_535;

    private Prefetch() {}

    /**
     * Returns the prefetch count of a consumer.
     *
     * @throws DriverException for a count that the protocol cannot express, or that is smaller than a batch of acknowledgements
     */
    public static int of(ConsumerSettings settings) throws DriverException {
        if (settings.polling() && settings.prefetch() >= 0) {
            throw new DriverException(new Refusal("A consumer that polls asks for one message at a time; leave out %s.", Setting.PREFETCH));
        }
        int batch = settings.ackMode() == AckMode.AUTO ? 1 : settings.batch();
        int prefetch = settings.prefetch() < 0 ? Math.max(settings.fit(DEFAULT), batch) : settings.prefetch();
        if (prefetch > MOST) {
            throw new DriverException("AMQP 0-9-1 allows a prefetch of " + MOST + ", not " + prefetch
                + "; use a smaller one, or 0 for no limit.", null);
        }
        if (prefetch > 0 && prefetch < batch) {
            throw new DriverException(new Refusal("A prefetch of %d is smaller than the %d messages of an acknowledgement or transaction, "
                + "so the broker would wait for it for ever; raise %s.", prefetch, batch, Setting.PREFETCH));
        }
        return prefetch;
    }
}
