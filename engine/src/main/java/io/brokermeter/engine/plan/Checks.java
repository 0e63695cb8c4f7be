package io.brokermeter.engine.plan;

import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

import io.brokermeter.engine.envelope.Envelope;
import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.GroupSpec;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Units;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Setting;

/** Refuses settings that contradict each other or that a protocol does not support, with one sentence that names the setting. */
final class Checks {

    private static final int MOST_THREADS = 1_000;

    private Checks() {}

    static void scenario(Scenario scenario) {
        if (!scenario.phases().isEmpty()) {
            if (!scenario.sends()) {
                throw new UsageException("Phases need producers.");
            }
            if (scenario.producers().stream().anyMatch(spec -> spec.messageCount() > 0)) {
                throw new UsageException("A scenario with phases ends with the last of them, so producers cannot have a number of "
                    + "messages besides.");
            }
        }
        scenario.producers().forEach(spec -> startDelay(spec, scenario.length(), Setting.PRODUCER_START, false));
        scenario.consumers().forEach(spec -> startDelay(spec, scenario.length(), Setting.CONSUMER_START, scenario.sends()));
        if (!scenario.tick().isZero() && !scenario.scheduled()) {
            throw new UsageException("%s tick=%s needs %s or another load with moments: within a tick only what is due at one can wait for "
                + "its end.", Setting.PACING, Units.text(scenario.tick()), Setting.RATE);
        }
        if (scenario.connecting().rate() != null && Stream.<GroupSpec>concat(scenario.producers().stream(), scenario.consumers().stream())
            .anyMatch(spec -> !spec.start().ramp().isZero())) {
            throw new UsageException("%s and a ramp of a group both say when connections are made; leave one out.", Setting.CONNECT_RATE);
        }
        boolean waiting = scenario.consumesAfterProducers();
        if (scenario.limits().recovery() != null && scenario.producers().stream().anyMatch(spec -> spec.request() != null)) {
            throw new UsageException("Requests and replies do not survive the loss of a connection; leave out %s.", Setting.RECONNECT);
        }
        if (waiting && !scenario.sends()) {
            throw new UsageException("Consumers that start after the producers need producers.");
        }
        if (waiting && scenario.length().isZero() && !scenario.limitsSends()) {
            throw new UsageException("Consumers that start after the producers need an end of these: %s or %s.",
                Setting.DURATION, Setting.PRODUCER_MESSAGES);
        }
    }

    /**
     * Refuses a group that would start when the load is over.
     *
     * @param length length of the load, zero for no limit
     * @param setting setting of the group's start
     * @param mayFollow whether the group may start after the producers instead
     */
    private static void startDelay(GroupSpec spec, Duration length, Setting setting, boolean mayFollow) {
        Duration delay = spec.start().delay();
        if (!spec.start().afterProducers() && !length.isZero() && delay.compareTo(length) >= 0) {
            Duration behind = delay.minus(length);
            throw new UsageException("Group '%s' would start %s after the start of the run, whose load takes %s; shorten %s%s.",
                spec.name(),
                Units.text(delay), Units.text(length), setting, mayFollow
                    ? ", or give after-producers" + (behind.isZero() ? "" : ":" + Units.text(behind)) + " for it, to consume a backlog"
                    : "");
        }
    }

    static void producers(ProducerGroupSpec spec, Driver driver) {
        if (spec.threads() > MOST_THREADS) {
            throw new UsageException("%s %d are more than %,d sending threads; this machine has %d processors.", Setting.THREADS,
                spec.threads(), MOST_THREADS, Runtime.getRuntime().availableProcessors());
        }
        messages(spec.messages());
        if (spec.size() > 100_000) {
            throw new UsageException("%d producers (%s times %s) are more than 100,000.", spec.size(), Setting.PRODUCERS,
                Setting.DESTINATIONS);
        }
        if (spec.start().afterProducers()) {
            throw new UsageException("Producers cannot wait for producers; give them a start delay.");
        }
        if (spec.rollbackShare() > 0 && spec.commitInterval() == 0) {
            throw new UsageException("%s needs %s: only a transaction can be rolled back.", Setting.ROLLBACK, Setting.COMMIT_INTERVAL);
        }
        if (spec.request() != null) {
            if (spec.messages().bare()) {
                throw new UsageException("Requests need the envelope, by which a reply finds its request; leave out %s.",
                    Setting.MESSAGE_BARE);
            }
            if (spec.commitInterval() > 0) {
                throw new UsageException("Requests cannot be sent in transactions: leave out %s.", Setting.COMMIT_INTERVAL);
            }
            if (spec.maxPending() < 1) {
                throw new UsageException("Requests need %s of at least 1, the requests without a reply.", Setting.MAX_PENDING);
            }
        }
        Set<Capability> can = driver.capabilities(spec.endpoint().settings());
        require(driver, can, spec);
        Messages messages = spec.messages();
        if (!messages.bare() && Envelope.isTooSmall(messages) && !can.contains(Capability.ENVELOPE_PROPERTY)) {
            throw new UsageException(
                "%s %d is smaller than the %d bytes of the envelope, which protocol %s cannot carry beside the body; use "
                    + "at least %3$d, or %5$s for no transfer time and no ledger.",
                Setting.MESSAGE_SIZE, messages.sizes().smallest(),
                Envelope.SIZE, driver.protocol(), Setting.MESSAGE_BARE);
        }
        require(driver, can, Capability.ENVELOPE_PROPERTY, Envelope.isBeside(messages));
        require(driver, can, Capability.VARIANTS, Variants.count(messages) > 1);
    }

    private static void messages(Messages messages) {
        // Clients would take the whole milliseconds alone, and a message of the right time would count as early.
        if (messages.deliveryDelay().toNanosPart() % 1_000_000 != 0) {
            throw new UsageException("%s must be whole milliseconds, like 250ms.", Setting.MESSAGE_DELIVERY_DELAY);
        }
    }

    static void consumers(ConsumerGroupSpec spec, Driver driver) {
        if (spec.requeueShare() + spec.rejectShare() > 1 || spec.requeueShare() == 1) {
            throw new UsageException("%s and %s together are more than all messages, or nothing is ever accepted.", Setting.REQUEUE,
                Setting.REJECT);
        }
        if (spec.settles() && spec.ackMode() != AckMode.AUTO) {
            boolean transacted = spec.ackMode() == AckMode.TRANSACTED;
            throw new UsageException("%s and %s settle each message by itself, which does not go together with %s; leave out %s.",
                Setting.REQUEUE, Setting.REJECT, transacted ? "transactions" : "acknowledgements of many",
                transacted ? Setting.CONSUMER_ACK_MODE : Setting.CONSUMER_BATCH);
        }
        boolean queue = spec.destinations().stream().anyMatch(d -> !d.isTopic());
        if (spec.sharedSubscriptions() > 0 && queue) {
            throw new UsageException("%s needs topics; %s is a queue.", Setting.SHARED, firstQueue(spec));
        }
        if (spec.durable() && queue) {
            throw new UsageException("%s needs topics; %s is a queue.", Setting.DURABLE, firstQueue(spec));
        }
        if (spec.durable() && spec.sharedSubscriptions() == 0 && spec.endpoint().settings().clientId() == null) {
            throw new UsageException("%s needs %s: an unshared durable subscription belongs to a client id.", Setting.DURABLE,
                Setting.CLIENT_ID);
        }
        if (spec.start().afterProducers() && !spec.durable()) {
            for (Destination destination : spec.destinations()) {
                if (!driver.keeps(spec.endpoint().settings(), destination)) {
                    throw new UsageException("Consumers that start after the producers need queues or durable subscriptions; %s "
                        + "keeps nothing for those who come later.",
                        destination.isTopic() ? "a topic" : "here " + destination);
                }
            }
        }
        require(driver, driver.capabilities(spec.endpoint().settings()), spec);
    }

    /** Refuses addresses from which the connections of a group cannot go out. */
    static void source(Scenario scenario, GroupSpec spec, Driver driver) {
        if (!scenario.connecting().sources().isEmpty() && !driver.takesSource(spec.endpoint().settings())) {
            throw new UsageException(
                "Protocol %s cannot do %s: its connections go out from the address that the system or their client chooses.",
                driver.protocol(), Setting.SOURCE_ADDRESSES);
        }
    }

    private static void require(Driver driver, Set<Capability> can, GroupSpec spec) {
        require(driver, can, Capability.TOPICS, spec.destinations().stream().anyMatch(Destination::isTopic));
        spec.needs().forEach((capability, needed) -> require(driver, can, capability, needed));
    }

    private static void require(Driver driver, Set<Capability> can, Capability capability, boolean needed) {
        if (needed && !can.contains(capability)) {
            String name = capability.name().toLowerCase(Locale.ROOT).replace('_', ' ');
            Setting setting = capability.setting();
            throw new UsageException("Protocol %s cannot do %s%s.", driver.protocol(),
                setting == null ? name : new Refusal("%s (%s)", setting, name),
                driver.capabilities().contains(capability) ? " with the parameters given" : "");
        }
    }

    private static Destination firstQueue(ConsumerGroupSpec spec) {
        return spec.destinations().stream().filter(d -> !d.isTopic()).findFirst().orElseThrow();
    }
}
