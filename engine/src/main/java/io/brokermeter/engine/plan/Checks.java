package io.brokermeter.engine.plan;

import java.util.Locale;
import java.util.Set;

import io.brokermeter.engine.envelope.Envelope;
import io.brokermeter.engine.scenario.ConsumerSide;
import io.brokermeter.engine.scenario.Messages;
import io.brokermeter.engine.scenario.ProducerSide;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;

/** What cannot be meant, and what a protocol cannot do. Each refusal is one sentence that names the option. */
final class Checks {

    private static final int MOST_THREADS = 1_000;

    private Checks() {}

    static void scenario(Scenario scenario) {
        if (!scenario.phases().isEmpty()) {
            if (!scenario.limits().duration().isZero()) {
                throw new UsageException("A scenario with phases takes as long as they do, so it cannot have a duration besides.");
            }
            if (!scenario.sends()) {
                throw new UsageException("Phases need producers.");
            }
            if (scenario.producers().stream().anyMatch(side -> side.messageCount() > 0)) {
                throw new UsageException("A scenario with phases ends with the last of them, so producers cannot have a number of "
                        + "messages besides.");
            }
        }
        boolean waiting = scenario.consumers().stream().anyMatch(side -> side.start().afterProducers());
        if (waiting && !scenario.sends()) {
            throw new UsageException("Consumers that start after the producers need producers.");
        }
        if (waiting && scenario.phases().isEmpty() && scenario.limits().duration().isZero()
                && scenario.producers().stream().anyMatch(side -> side.messageCount() == 0)) {
            throw new UsageException("Consumers that start after the producers need an end of these: --duration or --message-count.");
        }
    }

    static void producers(ProducerSide side, Driver driver) {
        positive(side.perDestination(), "--producers");
        positive(side.threads(), "--threads");
        if (side.threads() > MOST_THREADS) {
            throw new UsageException("--threads " + side.threads() + " are more than " + String.format(Locale.ROOT, "%,d", MOST_THREADS)
                    + " sending threads; this machine has " + Runtime.getRuntime().availableProcessors() + " processors.");
        }
        positive(side.batch(), "--batch");
        notNegative(side.maxPending(), "--max-pending");
        notNegative(side.commitInterval(), "--commit-interval");
        notNegative(side.messageCount(), "--message-count");
        share(side.rollbackShare(), "--rollback");
        messages(side.messages());
        long producers = (long) side.perDestination() * side.destinations().size();
        if (producers > 100_000) {
            throw new UsageException(producers + " producers (--producers times --num-destinations) are more than 100,000.");
        }
        if (side.start().afterProducers()) {
            throw new UsageException("Producers cannot wait for producers; give them a start delay.");
        }
        if (side.rollbackShare() > 0 && side.commitInterval() == 0) {
            throw new UsageException("--rollback needs --commit-interval: only a transaction can be rolled back.");
        }
        if (side.request() != null) {
            if (side.messages().bare()) {
                throw new UsageException("Requests need the envelope, which tells a reply's request; leave out --bare.");
            }
            if (side.commitInterval() > 0) {
                throw new UsageException("Requests cannot be sent in transactions: leave out --commit-interval.");
            }
            if (side.maxPending() < 1) {
                throw new UsageException("Requests need --max-pending of at least 1, the requests without a reply.");
            }
        }
        Set<Capability> can = driver.capabilities(side.endpoint().settings());
        Messages messages = side.messages();
        require(driver, can, Capability.TOPICS, side.destinations().stream().anyMatch(Destination::isTopic));
        require(driver, can, Capability.PERSISTENCE, messages.persistent());
        require(driver, can, Capability.TIME_TO_LIVE, messages.ttlMillis() > 0);
        require(driver, can, Capability.MESSAGE_GROUPS, messages.keys() != null);
        require(driver, can, Capability.PRIORITY, !messages.priorities().isEmpty());
        require(driver, can, Capability.DELAYED_DELIVERY, !messages.deliveryDelay().isZero());
        require(driver, can, Capability.TRANSACTED_SEND, side.commitInterval() > 0);
        require(driver, can, Capability.ROLLBACK, side.rollbackShare() > 0);
        require(driver, can, Capability.MESSAGE_IDS, messages.messageIds());
        require(driver, can, Capability.TIMESTAMPS, messages.timestamps());
        require(driver, can, Capability.HEADERS, !messages.headers().isEmpty());
        if (!messages.bare() && Envelope.isTooSmall(messages) && !can.contains(Capability.ENVELOPE_PROPERTY)) {
            throw new UsageException("--message-size " + messages.sizes().smallest() + " is smaller than the " + Envelope.SIZE
                    + " bytes of the envelope, which protocol " + driver.protocol() + " cannot carry beside the body; use at least "
                    + Envelope.SIZE + ", or --bare for no transfer time and no ledger.");
        }
        require(driver, can, Capability.ENVELOPE_PROPERTY, Envelope.isBeside(messages));
        require(driver, can, Capability.VARIANTS, Variants.count(messages) > 1);
    }

    private static void messages(Messages messages) {
        if (!messages.deliveryDelay().isZero() && messages.deliveryDelay().toMillis() < 1) {
            throw new UsageException("--delivery-delay must be 0 or at least 1ms.");
        }
        if (messages.sizes().smallest() < 0) {
            throw new UsageException("--message-size must not be negative.");
        }
    }

    static void consumers(ConsumerSide side, Driver driver, boolean sends) {
        positive(side.perDestination(), "--consumers");
        positive(side.batch(), "--multi-ack-every");
        notNegative(side.sharedSubscriptions(), "--shared");
        notNegative(side.connections(), "--consumer-connections");
        notNegative(side.messageCount(), "--message-count");
        share(side.requeueShare(), "--requeue");
        share(side.rejectShare(), "--reject");
        if (side.requeueShare() + side.rejectShare() > 1 || side.requeueShare() == 1) {
            throw new UsageException("--requeue and --reject together are more than all messages, or nothing is ever accepted.");
        }
        if (side.settles() && side.ackMode() != AckMode.AUTO) {
            throw new UsageException("--requeue and --reject settle each message by itself, which goes together with neither "
                    + (side.ackMode() == AckMode.TRANSACTED ? "transactions; leave out --tx."
                        : "acknowledgements of many; leave out --multi-ack-every."));
        }
        boolean queue = side.destinations().stream().anyMatch(d -> !d.isTopic());
        if (side.sharedSubscriptions() > 0 && queue) {
            throw new UsageException("--shared needs topics; " + firstQueue(side) + " is a queue.");
        }
        if (side.durable() && queue) {
            throw new UsageException("--durable needs topics; " + firstQueue(side) + " is a queue.");
        }
        if (side.durable() && side.sharedSubscriptions() == 0 && side.endpoint().settings().clientId() == null) {
            throw new UsageException("--durable needs --clientID: an unshared durable subscription belongs to a client id.");
        }
        if (side.replies() && !sends) {
            throw new UsageException("Consumers that reply need producers that send requests.");
        }
        if (side.start().afterProducers() && side.destinations().stream().anyMatch(Destination::isTopic) && !side.durable()) {
            throw new UsageException("Consumers that start after the producers need queues or durable subscriptions; a topic "
                    + "keeps nothing for those who come later.");
        }
        Set<Capability> can = driver.capabilities(side.endpoint().settings());
        require(driver, can, Capability.TOPICS, side.destinations().stream().anyMatch(Destination::isTopic));
        require(driver, can, Capability.SELECTORS, side.selector() != null);
        require(driver, can, Capability.DURABLE_SUBSCRIPTIONS, side.durable());
        require(driver, can, Capability.SHARED_SUBSCRIPTIONS, side.sharedSubscriptions() > 0);
        require(driver, can, Capability.TRANSACTED_RECEIVE, side.ackMode() == AckMode.TRANSACTED);
        require(driver, can, Capability.BATCH_ACKNOWLEDGEMENT, side.ackMode() == AckMode.BATCH);
        require(driver, can, Capability.PREFETCH, side.prefetch() >= 0);
        require(driver, can, Capability.REQUEUE, side.requeueShare() > 0);
        require(driver, can, Capability.REJECT, side.rejectShare() > 0);
        require(driver, can, Capability.POLLING, side.polling());
    }

    private static void require(Driver driver, Set<Capability> can, Capability capability, boolean needed) {
        if (needed && !can.contains(capability)) {
            throw new UsageException("Protocol " + driver.protocol() + " cannot do " + capability.option() + " ("
                    + capability.name().toLowerCase(Locale.ROOT).replace('_', ' ') + ")"
                    + (driver.capabilities().contains(capability) ? " with the parameters given." : "."));
        }
    }

    private static void positive(long value, String option) {
        if (value < 1) {
            throw new UsageException(option + " must be at least 1, not " + value + ".");
        }
    }

    private static void notNegative(long value, String option) {
        if (value < 0) {
            throw new UsageException(option + " must not be negative, not " + value + ".");
        }
    }

    private static void share(double value, String option) {
        if (!(value >= 0 && value <= 1)) {
            throw new UsageException(option + " must be a share from 0% to 100%.");
        }
    }

    private static Destination firstQueue(ConsumerSide side) {
        return side.destinations().stream().filter(d -> !d.isTopic()).findFirst().orElseThrow();
    }
}
