package io.brokermeter.driver.amqp091.model;

import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DriverException;
import io.brokermeter.spi.Refusal;
import io.brokermeter.spi.Setting;

/** How many messages the broker may send ahead of their acknowledgement. */
public final class Prefetch {

    /** Unless the user says otherwise. */
    public static final int DEFAULT = 1000;
    private static final int MOST = 65_535;

    private Prefetch() {}

    /**
     * The prefetch count of a consumer.
     *
     * @throws DriverException for one that the protocol cannot say, or that a batch of acknowledgements would never reach
     */
    public static int of(ConsumerSettings settings) throws DriverException {
        if (settings.polling() && settings.prefetch() >= 0) {
            throw new DriverException(new Refusal("A consumer that polls asks for one message at a time; leave out %s.", Setting.PREFETCH));
        }
        int batch = settings.ackMode() == AckMode.AUTO ? 1 : settings.batch();
        int prefetch = settings.prefetch() < 0 ? Math.max(DEFAULT, batch) : settings.prefetch();
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
