package io.brokermeter.engine.scenario;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.ProducerSettings;
import org.jspecify.annotations.Nullable;

/**
 * A group of producers with the same settings.
 *
 * @param name name of the group in the scenario, unique among the groups of producers
 * @param endpoint broker to send to
 * @param destinations destinations to send to, already numbered
 * @param perDestination producers on each destination, at least 1
 * @param threads sending threads, at least 1; producers are assigned to them in turn
 * @param sharedConnections whether there is one connection per sending thread instead of one per producer
 * @param maxPending unconfirmed sends a producer may have, 0 for no limit; of requesters, requests without a reply
 * @param load load of all producers of the group together
 * @param batch number of messages that are due together, 1 for each on its own
 * @param thinkTime time for which a producer pauses after each message is confirmed or answered, none for no pause
 * @param start when the group begins
 * @param messageCount messages to send in total over all producers of the group, 0 for no limit
 * @param messages the messages that the group sends
 * @param commitInterval messages per transaction, 0 for none
 * @param rollbackShare share of the transactions that are rolled back, from 0 to 1
 * @param request how the producers send requests, or null for plain messages
 */
public record ProducerGroupSpec(
        String name, Endpoint endpoint, List<Destination> destinations, int perDestination, int threads,
        boolean sharedConnections, int maxPending, Load load, int batch, TimeLaw thinkTime, Start start,
        long messageCount, Messages messages, int commitInterval, double rollbackShare,
        @Nullable RequestReply request) implements GroupSpec {

    public ProducerGroupSpec {
        destinations = List.copyOf(destinations);
        if (destinations.isEmpty()) {
            throw new UsageException("Producers need a destination.");
        }
    }

    /** The largest window of each of a few producers without a limit, in messages; more producers share memory for 4 million messages. */
    private static final int UNLIMITED_WINDOW = 1 << 20;

    /** Creates a plain group that sends as fast as its window of {@code maxPending} allows. */
    public static ProducerGroupSpec plain(Endpoint endpoint, List<Destination> destinations, int maxPending, Messages messages) {
        return new ProducerGroupSpec("producers", endpoint, destinations, 1, 1, false, maxPending, new Load.AllOut(), 1,
            TimeLaw.NONE, Start.AT_ONCE, 0, messages, 0, 0, null);
    }

    /** Creates a group with one producer for the counts of consumers. */
    public static ProducerGroupSpec publishing(String name, Endpoint endpoint, Summarizer summarizer) {
        return new ProducerGroupSpec(name, endpoint, List.of(summarizer.to()), 1, 1, false, 100,
            new Load.Constant(new Rate(1000, summarizer.every().toMillis())), 1, TimeLaw.NONE, Start.AT_ONCE, 0,
            Messages.ofSize(Summarizer.MESSAGE_SIZE), 0, 0, null);
    }

    @Override
    public long size() {
        return (long) perDestination * destinations.size();
    }

    @Override
    public Map<Capability, Boolean> needs() {
        Map<Capability, Boolean> needs = messages.needs();
        needs.put(Capability.TRANSACTED_SEND, commitInterval > 0);
        needs.put(Capability.ROLLBACK, rollbackShare > 0);
        return needs;
    }

    /**
     * Returns the largest number of messages that each producer of the group may have in flight.
     *
     * @param producersOfRun number of producers of the run, which share the memory for windows without a limit
     */
    public int window(int producersOfRun) {
        int asked = maxPending > 0 ? maxPending
            : Math.max(256, Integer.highestOneBit(UNLIMITED_WINDOW * 4 / Math.max(4, producersOfRun)));
        // A commit confirms its whole transaction, so the window must hold one.
        return Math.max(asked, commitInterval);
    }

    /**
     * Returns the settings of each producer of the group.
     *
     * @param envelopeBeside whether the envelope travels beside the bodies
     * @param variants variants of the messages
     */
    public ProducerSettings settings(boolean envelopeBeside, List<MessageVariant> variants) {
        return ProducerSettings.of(its -> {
            messages.set(its);
            its.transacted = commitInterval > 0;
            its.maxPending = maxPending;
            its.envelopeProperty = envelopeBeside;
            its.variants = variants;
        });
    }

    /** Returns whether the messages have moments at which they are due. */
    public boolean scheduled() {
        return !(load instanceof Load.AllOut);
    }

    /** Returns the number of messages after which the load of the group has no more; {@link Long#MAX_VALUE} for a load that goes on. */
    long scheduledMessages() {
        long messages = load.messages();
        // The last batch is whole.
        long together = batch == 1 ? 1 : batch * size();
        return messages == Long.MAX_VALUE ? messages : (messages + together - 1) / together * together;
    }

    /** Returns a copy of this group with another endpoint, and a suffix to the name of each destination. */
    public ProducerGroupSpec connected(Endpoint other, String suffix) {
        return with(group -> {
            group.endpoint = other;
            group.destinations = destinations.stream().map(one -> one.withSuffix(suffix)).toList();
        });
    }

    /** Returns a copy of this group in which {@code change} sets some components. */
    public ProducerGroupSpec with(Consumer<Draft> change) {
        Draft draft = new Draft();
        change.accept(draft);
        return draft.made();
    }

    /** Mutable components of the copy, initially those of this group. */
    public final class Draft {

        public String name = ProducerGroupSpec.this.name;
        public Endpoint endpoint = ProducerGroupSpec.this.endpoint;
        public List<Destination> destinations = ProducerGroupSpec.this.destinations;
        public int perDestination = ProducerGroupSpec.this.perDestination;
        public int threads = ProducerGroupSpec.this.threads;
        public boolean sharedConnections = ProducerGroupSpec.this.sharedConnections;
        public int maxPending = ProducerGroupSpec.this.maxPending;
        public Load load = ProducerGroupSpec.this.load;
        public int batch = ProducerGroupSpec.this.batch;
        public TimeLaw thinkTime = ProducerGroupSpec.this.thinkTime;
        public Start start = ProducerGroupSpec.this.start;
        public long messageCount = ProducerGroupSpec.this.messageCount;
        public Messages messages = ProducerGroupSpec.this.messages;
        public int commitInterval = ProducerGroupSpec.this.commitInterval;
        public double rollbackShare = ProducerGroupSpec.this.rollbackShare;
        public @Nullable RequestReply request = ProducerGroupSpec.this.request;

        private Draft() {}

        private ProducerGroupSpec made() {
            return new ProducerGroupSpec(name, endpoint, destinations, perDestination, threads, sharedConnections, maxPending, load,
                batch, thinkTime, start, messageCount, messages, commitInterval, rollbackShare, request);
        }
    }
}
