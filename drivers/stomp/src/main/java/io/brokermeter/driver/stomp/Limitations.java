package io.brokermeter.driver.stomp;

import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Setting;

/** Refuses what a broker, or the version of the protocol, does not offer over STOMP, before anything is asked of it. */
final class Limitations {

    private Limitations() {}

    static void check(ProducerSettings wanted, Dialect dialect) throws DriverException {
        if (wanted.variants().stream().anyMatch(variant -> variant.group() != null) && !dialect.hasGroups()) {
            throw without(dialect, "%s has no message groups over STOMP; leave out %s.", Setting.MESSAGE_KEYS);
        }
        if (wanted.variants().stream().anyMatch(variant -> variant.priority() >= 0) && !dialect.hasPriorities()) {
            throw without(dialect, "%s does not deliver by priority as it comes; leave out %s, or send the header priority to a queue"
                + " that was made for it.", Setting.MESSAGE_PRIORITY);
        }
        if (wanted.delayMillis() > 0 && !dialect.hasDelays()) {
            throw without(dialect, "%s does not keep back messages of STOMP as it comes; leave out %s.", Setting.MESSAGE_DELIVERY_DELAY);
        }
    }

    static void check(ConsumerSettings wanted, Dialect dialect) throws DriverException {
        if (wanted.selector() != null && !dialect.hasSelectors()) {
            throw without(dialect, "%s has no selectors; leave out %s.", Setting.SELECTOR);
        }
        if (wanted.shared() && !dialect.hasSharedSubscriptions()) {
            throw without(dialect, "%s has no shared subscriptions over STOMP; leave out %s.", Setting.SHARED);
        }
        try {
            checkPrefetch(wanted);
            dialect.checkPrefetch(wanted.prefetch());
        } catch (Refusal e) {
            throw new DriverException(e);
        }
    }

    /** Checks how a consumer acknowledges. */
    static void checkAcknowledgements(ConsumerSettings settings, StompSettings.Ack ack, StompVersion version,
            Dialect dialect) throws DriverException {
        if (ack == StompSettings.Ack.AUTO && settings.ackMode() != AckMode.AUTO) {
            throw new DriverException(
                "With ack=auto the broker asks for no acknowledgements, so there are no batches and no transactions of them; leave it out.",
                null);
        }
        if (settings.ackMode() == AckMode.TRANSACTED && !dialect.hasTransactedAcknowledgements()) {
            throw new DriverException(new Refusal("%s takes acknowledgements of STOMP out of their transaction; leave out %s.",
                dialect.title(), Setting.CONSUMER_ACK_MODE));
        }
        if (settings.settles() && (ack != StompSettings.Ack.INDIVIDUAL || version == StompVersion.V1_0)) {
            throw new DriverException("Giving messages back and refusing them needs acknowledgements one by one and STOMP 1.1 or 1.2; "
                + "leave out the parameter ack or version.", null);
        }
        if (settings.settles() && !dialect.rejects()) {
            throw new DriverException(new Refusal("%s may do anything with what NACK refuses; leave out %s and %s, or say with the "
                + "parameter broker which one it is.", dialect.title(), Setting.REQUEUE, Setting.REJECT));
        }
    }

    /** @throws IllegalArgumentException with one sentence, for a prefetch that is smaller than a batch of acknowledgements */
    static void checkPrefetch(ConsumerSettings settings) {
        int prefetch = Math.max(1, settings.prefetch());
        if (settings.ackMode() != AckMode.AUTO && settings.prefetch() >= 0 && prefetch < settings.batch()) {
            throw new Refusal("A prefetch of %d is smaller than the %d messages of an acknowledgement or transaction, for which the broker"
                + " would wait for ever; raise %s or lower %s.", prefetch, settings.batch(), Setting.PREFETCH, Setting.CONSUMER_BATCH);
        }
    }

    private static DriverException without(Dialect dialect, String format, Setting setting) {
        return new DriverException(new Refusal(format, dialect.title(), setting));
    }
}
