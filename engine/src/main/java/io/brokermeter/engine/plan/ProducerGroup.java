package io.brokermeter.engine.plan;

import java.util.List;

import io.brokermeter.engine.envelope.Envelope;
import io.brokermeter.engine.envelope.MessageStock;
import io.brokermeter.engine.scenario.Messages;
import io.brokermeter.engine.scenario.ProducerSide;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.ProducerSettings;
import org.jspecify.annotations.Nullable;

/**
 * A group of producers that will run.
 *
 * @param index its number among all groups of the run
 * @param side what was asked for
 * @param driver its protocol
 * @param producers its producers, in the order of their stripes
 * @param threads number of its sending threads
 * @param connections number of its connections
 * @param variants what its messages are like apart from their bodies
 * @param stock what its messages are made from
 * @param counts the consumers whose counts it publishes, or null when it is a group of the scenario
 */
public record ProducerGroup(
        int index, ProducerSide side, Driver driver, List<ProducerPlan> producers, int threads, int connections,
        List<MessageVariant> variants, MessageStock stock, @Nullable ConsumerGroup counts) implements Group {

    /** A group of the scenario; what its messages are like follows from what was asked for. */
    ProducerGroup(int index, ProducerSide side, Driver driver, List<ProducerPlan> producers, int threads, int connections) {
        this(index, side, driver, List.copyOf(producers), threads, connections, Variants.of(side.messages()),
            MessageStock.of(side.messages(), producers.size()), null);
    }

    /** One that publishes the counts of consumers. */
    ProducerGroup counting(ConsumerGroup consumers) {
        return new ProducerGroup(index, side, driver, producers, threads, connections, variants, stock, consumers);
    }

    /** Producers have none: a durable subscription belongs to a consumer's. */
    @Override
    public @Nullable String clientId(int connection) {
        return null;
    }

    /** How each of its producers sends. */
    public ProducerSettings settings() {
        Messages messages = side.messages();
        return ProducerSettings.of(its -> {
            its.persistent = messages.persistent();
            its.ttlMillis = messages.ttlMillis();
            its.delayMillis = messages.deliveryDelay().toMillis();
            its.messageIds = messages.messageIds();
            its.timestamps = messages.timestamps();
            its.transacted = side.commitInterval() > 0;
            its.maxPending = side.maxPending();
            its.envelopeProperty = Envelope.isBeside(messages);
            its.variants = variants;
        });
    }

    /** Whether the broker confirms its messages; if not, a send counts as completed when it was written. */
    public boolean confirms() {
        return driver.capabilities(side.endpoint().settings()).contains(Capability.CONFIRMATIONS);
    }
}
