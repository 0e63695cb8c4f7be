package io.brokermeter.engine.scenario;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import org.jspecify.annotations.Nullable;

/**
 * A group of consumers with the same settings.
 *
 * @param name name of the group in the scenario, unique among the groups of consumers
 * @param endpoint broker to receive from
 * @param destinations destinations to receive from, already numbered
 * @param perDestination consumers on each destination, or on each shared subscription; at least 1
 * @param sharedSubscriptions shared subscriptions per topic, 0 for none
 * @param durable whether subscriptions are durable
 * @param keepSubscriptions whether durable subscriptions are kept at the end
 * @param ackMode how consumers acknowledge
 * @param batch messages per acknowledgement or transaction, at least 1
 * @param connections connections over all consumers, 0 to choose as Artemis does
 * @param prefetch messages the client may hold, -1 for its default
 * @param polling whether consumers poll for messages instead of having them pushed
 * @param processing simulated processing time per message
 * @param rate largest number of messages per second that each consumer takes, or null for no limit
 * @param requeueShare share of the messages that are given back to be delivered again, from 0 to 1
 * @param rejectShare share of the messages that are refused for good, from 0 to 1
 * @param start when the group begins
 * @param messageCount messages to receive in total, 0 for no limit
 * @param selector the condition that messages must meet, in the broker's language, or null for none
 * @param replies whether each message is answered with a reply, for which requesters wait
 * @param summarizer how the consumers publish the number of messages that they receive, or null if they do not
 */
public record ConsumerGroupSpec(
        String name, Endpoint endpoint, List<Destination> destinations, int perDestination, int sharedSubscriptions,
        boolean durable, boolean keepSubscriptions, AckMode ackMode, int batch, int connections, int prefetch,
        boolean polling, TimeLaw processing, @Nullable Rate rate, double requeueShare, double rejectShare, Start start,
        long messageCount, @Nullable String selector, boolean replies, @Nullable Summarizer summarizer) implements GroupSpec {

    public ConsumerGroupSpec {
        destinations = List.copyOf(destinations);
        if (destinations.isEmpty()) {
            throw new UsageException("Consumers need a destination.");
        }
    }

    /** Creates a group with one plain consumer on each destination. */
    public static ConsumerGroupSpec plain(Endpoint endpoint, List<Destination> destinations) {
        return new ConsumerGroupSpec("consumers", endpoint, destinations, 1, 0, false, false, AckMode.AUTO, 1, 0, -1, false,
            TimeLaw.NONE, null, 0, 0, Start.AT_ONCE, 0, null, false, null);
    }

    @Override
    public long size() {
        return (long) perDestination * destinations.size() * Math.max(1, sharedSubscriptions);
    }

    @Override
    public Map<Capability, Boolean> needs() {
        Map<Capability, Boolean> needs = new LinkedHashMap<>();
        needs.put(Capability.SELECTORS, selector != null);
        needs.put(Capability.DURABLE_SUBSCRIPTIONS, durable);
        needs.put(Capability.SHARED_SUBSCRIPTIONS, sharedSubscriptions > 0);
        needs.put(Capability.TRANSACTED_RECEIVE, ackMode == AckMode.TRANSACTED);
        needs.put(Capability.BATCH_ACKNOWLEDGEMENT, ackMode == AckMode.BATCH);
        needs.put(Capability.PREFETCH, prefetch >= 0);
        needs.put(Capability.REQUEUE, requeueShare > 0);
        needs.put(Capability.REJECT, rejectShare > 0);
        needs.put(Capability.POLLING, polling);
        return needs;
    }

    /**
     * Returns the settings of a consumer of the group.
     *
     * @param subscription name of the subscription on a topic, or null for an unnamed one
     * @param competing whether the run has other consumers on the same queue
     * @param messageBytes size of the largest body that the run sends to the destination, in bytes; 0 if it sends none
     */
    public ConsumerSettings settings(@Nullable String subscription, boolean competing, int messageBytes) {
        return ConsumerSettings.of(its -> {
            its.ackMode = ackMode;
            its.batch = batch;
            its.subscription = subscription;
            its.durable = durable;
            its.shared = sharedSubscriptions > 0;
            its.prefetch = prefetch;
            its.mayBlock = !processing.isNone() || rate != null || replies;
            its.selector = selector;
            its.settles = settles();
            its.polling = polling;
            its.competing = competing;
            its.messageBytes = messageBytes;
        });
    }

    /** Returns the shortest time from one message of a consumer to the next, in nanoseconds; 0 for no limit. */
    public long spacingNanos() {
        return rate == null ? 0 : (long) (1e9 / rate.perSecond());
    }

    /** Returns roughly the longest time that a consumer takes for a message, in nanoseconds. */
    public long longestWorkNanos() {
        Duration longest = switch (processing) {
            case TimeLaw.Constant always -> always.time();
            case TimeLaw.Uniform between -> between.longest();
            case TimeLaw.Exponential often -> often.mean().multipliedBy(10);
        };
        return Math.max(longest.toNanos(), spacingNanos());
    }

    /** Returns whether the group has durable subscriptions that are removed at the end. */
    public boolean removesSubscriptions() {
        return durable && !keepSubscriptions;
    }

    /** Returns whether the group has durable subscriptions that stay at the end. */
    public boolean leavesSubscriptions() {
        return durable && keepSubscriptions;
    }

    /** Returns whether the consumers settle some messages otherwise than by accepting them. */
    public boolean settles() {
        return requeueShare > 0 || rejectShare > 0;
    }

    /**
     * Returns whether the group starts only after the load: after the producers, or at a moment that comes later. A load that was cut has no
     * consumers with a start delay after it.
     *
     * @param load time that the load took, from the run's start
     * @param complete whether the load was sent to its end
     */
    public boolean startsAfter(Duration load, boolean complete) {
        return start.afterProducers() || complete && !start.isWithRun() && start.delay().compareTo(load) > 0;
    }

    /** Returns a copy of this group with another endpoint, and a suffix to the name of each destination. */
    public ConsumerGroupSpec connected(Endpoint other, String suffix) {
        return with(group -> {
            group.endpoint = other;
            group.destinations = destinations.stream().map(one -> one.withSuffix(suffix)).toList();
            group.summarizer = summarizer == null ? null : summarizer.withSuffix(suffix);
        });
    }

    /** Returns a copy of this group in which {@code change} sets some components. */
    public ConsumerGroupSpec with(Consumer<Draft> change) {
        Draft draft = new Draft();
        change.accept(draft);
        return draft.made();
    }

    /** Mutable components of the copy, initially those of this group. */
    public final class Draft {

        public String name = ConsumerGroupSpec.this.name;
        public Endpoint endpoint = ConsumerGroupSpec.this.endpoint;
        public List<Destination> destinations = ConsumerGroupSpec.this.destinations;
        public int perDestination = ConsumerGroupSpec.this.perDestination;
        public int sharedSubscriptions = ConsumerGroupSpec.this.sharedSubscriptions;
        public boolean durable = ConsumerGroupSpec.this.durable;
        public boolean keepSubscriptions = ConsumerGroupSpec.this.keepSubscriptions;
        public AckMode ackMode = ConsumerGroupSpec.this.ackMode;
        public int batch = ConsumerGroupSpec.this.batch;
        public int connections = ConsumerGroupSpec.this.connections;
        public int prefetch = ConsumerGroupSpec.this.prefetch;
        public boolean polling = ConsumerGroupSpec.this.polling;
        public TimeLaw processing = ConsumerGroupSpec.this.processing;
        public @Nullable Rate rate = ConsumerGroupSpec.this.rate;
        public double requeueShare = ConsumerGroupSpec.this.requeueShare;
        public double rejectShare = ConsumerGroupSpec.this.rejectShare;
        public Start start = ConsumerGroupSpec.this.start;
        public long messageCount = ConsumerGroupSpec.this.messageCount;
        public @Nullable String selector = ConsumerGroupSpec.this.selector;
        public boolean replies = ConsumerGroupSpec.this.replies;
        public @Nullable Summarizer summarizer = ConsumerGroupSpec.this.summarizer;

        private Draft() {}

        private ConsumerGroupSpec made() {
            return new ConsumerGroupSpec(name, endpoint, destinations, perDestination, sharedSubscriptions, durable,
                keepSubscriptions, ackMode, batch, connections, prefetch, polling, processing, rate, requeueShare,
                rejectShare, start, messageCount, selector, replies, summarizer);
        }
    }
}
