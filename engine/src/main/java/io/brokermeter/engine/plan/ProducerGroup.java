package io.brokermeter.engine.plan;

import java.util.List;

import io.brokermeter.engine.envelope.Envelope;
import io.brokermeter.engine.envelope.MessageStock;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.ProducerSettings;
import org.jspecify.annotations.Nullable;

/**
 * A group of producers that will run.
 *
 * @param index number of the group among all groups of the run
 * @param spec the requested settings
 * @param driver driver of the group's protocol
 * @param producers producers of the group, in the order of their stripes
 * @param threads number of sending threads of the group
 * @param connections number of connections of the group
 * @param variants variants of the messages, which contain everything but the bodies
 * @param stock data from which the messages are made
 * @param counts the consumers whose counts the group publishes, or null for a group of the scenario
 */
public record ProducerGroup(
        int index, ProducerGroupSpec spec, Driver driver, List<ProducerPlan> producers, int threads, int connections,
        List<MessageVariant> variants, MessageStock stock, @Nullable ConsumerGroup counts) implements Group {

    /** Creates a group of the scenario, with the variants and the stock that follow from the requested settings. */
    ProducerGroup(int index, ProducerGroupSpec spec, Driver driver, List<ProducerPlan> producers, int threads, int connections) {
        this(index, spec, driver, List.copyOf(producers), threads, connections, Variants.of(spec.messages()),
            MessageStock.of(spec.messages(), producers.size()), null);
    }

    /** Returns this group as one that publishes the counts of {@code consumers}. */
    ProducerGroup counting(ConsumerGroup consumers) {
        return new ProducerGroup(index, spec, driver, producers, threads, connections, variants, stock, consumers);
    }

    /** Returns null: producers have no client id, since durable subscriptions belong to those of consumers. */
    @Override
    public @Nullable String clientId(int connection) {
        return null;
    }

    /** Returns how each producer of the group sends. */
    public ProducerSettings settings() {
        return spec.settings(Envelope.isBeside(spec.messages()), variants);
    }

    /** Returns whether the broker confirms the group's messages; if not, a send counts as completed when it was written. */
    public boolean confirms() {
        return driver.capabilities(spec.endpoint().settings()).contains(Capability.CONFIRMATIONS);
    }
}
