package io.brokermeter.engine.run;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

import io.brokermeter.engine.envelope.HighestSeen;
import io.brokermeter.engine.envelope.MessageSource;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.pacing.Pacer;
import io.brokermeter.engine.pacing.RateChanges;
import io.brokermeter.engine.plan.ConsumerGroup;
import io.brokermeter.engine.plan.ConsumerPlan;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.ProducerGroup;
import io.brokermeter.engine.plan.ProducerPlan;
import io.brokermeter.engine.plan.Selections;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Recording;
import io.brokermeter.engine.recording.lane.Activity;
import io.brokermeter.engine.run.receive.Receiver;
import io.brokermeter.engine.run.receive.Replier;
import io.brokermeter.engine.run.receive.ReplyReceiver;
import io.brokermeter.engine.run.send.RateControl;
import io.brokermeter.engine.run.send.SendLoop;
import io.brokermeter.engine.run.send.Sender;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Seeds;
import io.brokermeter.engine.scenario.Start;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.spi.Destination;
import org.jspecify.annotations.Nullable;

/**
 * The participants of a run in this process: the senders, receivers and repliers of each group of the plan that belong to the process's
 * share, and the sums of their counts. A group that has none in the share is left out.
 */
public final class Participants {

    private final Scenario scenario;
    private final Timetable timetable;
    private final EventLog events;
    /** The memory left for following the order of messages, in bytes. */
    private final AtomicLong orderRoom = HighestSeen.room();
    private final List<SendingGroup> sending = new ArrayList<>();
    private final List<ReceivingGroup> receiving = new ArrayList<>();
    private final List<ReplyGroup> replying = new ArrayList<>();
    private final List<Sender> senders = new ArrayList<>();
    /** The senders by number of the producer; null for producers of other shares. */
    private final @Nullable Sender[] byNumber;
    private final List<Receiver> receivers = new ArrayList<>();
    private final List<ReplyReceiver> replyReceivers = new ArrayList<>();
    private final List<SendLoop> loops = new ArrayList<>();
    /** The receivers on destinations to which not only counts are published. */
    private final List<Receiver> ofLoad;
    /** The numbers of the producers of the run that publish counts, in all processes. */
    private final BitSet counting = new BitSet();
    private final RateControl rate;

    /** A group of producers with its sending threads. */
    record SendingGroup(ProducerGroup plan, List<Sender> senders, List<SendLoop> loops) {

        /** Returns whether the group publishes the counts of consumers, which is no load of the scenario. */
        boolean publishesCounts() {
            return plan.counts() != null;
        }

        boolean isFinished() {
            return loops.stream().allMatch(SendLoop::finished);
        }

        /** Returns when the group's sending ended, or {@code now} while one of its threads still sends; in nanoseconds since the epoch. */
        long sendingEnd(long now) {
            return loops.stream().mapToLong(loop -> loop.finished() ? loop.spent.sendingEnd() : now).max().orElse(0);
        }
    }

    /** A group of consumers with its repliers. Consumers of replies are in a {@link ReplyGroup} instead. */
    record ReceivingGroup(ConsumerGroup plan, List<Receiver> receivers, List<Replier> repliers) {

        Start start() {
            return plan.spec().start();
        }

        /** Returns the number that the group's summarizer publishes: the deliveries so far, or the sum of a number in the messages. */
        long counted() {
            return Participants.sum(receivers, Receiver::counted);
        }
    }

    /** The consumers of the replies to a group of requesters. */
    record ReplyGroup(ConsumerGroup plan, List<ReplyReceiver> receivers) {}

    /**
     * The parts of a run that its senders and receivers share.
     *
     * @param rates changes of the rate while it lasts; null in a run without any
     */
    public record Shared(Plan plan, Share share, Timetable timetable, Recording recording, RunLedger runLedger, Selections selections,
            long run,
            Failures failures,
            EventLog events, @Nullable Activity activity, Clock clock, @Nullable RateChanges rates, Runnable wakeReporter) {}

    Participants(Shared with) {
        this.scenario = with.plan.scenario();
        this.timetable = with.timetable;
        this.events = with.events;
        this.byNumber = new Sender[with.plan.producerCount()];
        with.plan.consumers().stream().filter(group -> group.requesters() == null).forEach(group -> addReceivers(group, with));
        with.plan.producers().forEach(group -> addSenders(group, with));
        with.plan.consumers().stream().filter(group -> group.requesters() != null).forEach(group -> addReplies(group, with));
        with.plan.producers().stream().filter(group -> group.counts() != null)
            .forEach(group -> group.producers().forEach(producer -> counting.set(producer.index())));
        Set<Destination> counts = destinations(with.plan, true);
        counts.removeAll(destinations(with.plan, false));
        this.rate = new RateControl(with, load().stream().flatMap(group -> group.loops().stream()).toList());
        this.ofLoad = receivers.stream().filter(receiver -> !counts.contains(receiver.plan.destination())).toList();
    }

    /** Returns the destinations of the producers that publish counts, or of all others, in whatever process they are. */
    private static Set<Destination> destinations(Plan plan, boolean ofCounts) {
        return plan.producers().stream().filter(group -> group.counts() != null == ofCounts)
            .flatMap(group -> group.producers().stream()).map(ProducerPlan::destination).collect(Collectors.toSet());
    }

    private void addReceivers(ConsumerGroup group, Shared with) {
        Receiver.Producers of = new Receiver.Producers(deliveryDelays(with.plan), requesting(with.plan));
        List<Receiver> ofGroup = new ArrayList<>();
        List<Replier> repliers = new ArrayList<>();
        for (ConsumerPlan c : group.consumers().stream().filter(with.share::has).toList()) {
            Replier replier = group.spec().replies() ? new Replier(with.run, with.events) : null;
            if (replier != null) {
                repliers.add(replier);
            }
            ofGroup.add(
                new Receiver(c, group, with, of, seed(scenario.seed(), 1_000_000 + c.index()), replier, orderRoom, this::mayBeResent));
        }
        if (!ofGroup.isEmpty()) {
            receivers.addAll(ofGroup);
            receiving.add(new ReceivingGroup(group, ofGroup, repliers));
        }
    }

    private boolean mayBeResent(int producer, long token) {
        Sender sender = producer < byNumber.length ? byNumber[producer] : null;
        return sender != null && sender.reports.isInDoubt(token);
    }

    /** Returns the delivery delays in nanoseconds by number of the producer; empty when no producer asks for a delayed delivery. */
    private static long[] deliveryDelays(Plan plan) {
        long[] delays = new long[plan.producerCount()];
        for (ProducerGroup group : plan.producers()) {
            group.producers().forEach(p -> delays[p.index()] = group.spec().messages().deliveryDelay().toNanos());
        }
        return Arrays.stream(delays).anyMatch(delay -> delay > 0) ? delays : new long[0];
    }

    /** Returns whether the messages of each producer are requests, by number of the producer; empty when no producer sends requests. */
    private static boolean[] requesting(Plan plan) {
        boolean[] requesting = new boolean[plan.requesters().isEmpty() ? 0 : plan.producerCount()];
        plan.requesters().forEach(group -> group.producers().forEach(p -> requesting[p.index()] = true));
        return requesting;
    }

    private void addSenders(ProducerGroup group, Shared with) {
        int processors = Runtime.getRuntime().availableProcessors();
        int threads = with.plan.producers().stream().mapToInt(one -> threads(one, with.share)).sum();
        ConsumerGroup counts = group.counts();
        ReceivingGroup counted = counts == null ? null
            : receiving.stream().filter(one -> one.plan.index() == counts.index()).findFirst().orElse(null);
        Map<Integer, SendLoop> loopOf = new LinkedHashMap<>();
        List<Sender> groupSenders = new ArrayList<>();
        for (ProducerPlan p : group.producers().stream().filter(with.share::has).toList()) {
            SendLoop loop = loopOf.computeIfAbsent(p.thread(), _ -> new SendLoop(group, with,
                Pacer.of(scenario.pacing(), threads, processors, with.clock)));
            long seed = seed(scenario.seed(), p.index());
            MessageSource source = counted == null
                ? group.stock().source(with.run, p.index(), p.stripe(), group.producers().size(), seed)
                : MessageSource.counts(group.spec().messages(), with.run, p.index(), counted::counted);
            Sender sender = new Sender(p, group, with, source, seed, loop);
            loop.add(sender);
            groupSenders.add(sender);
            byNumber[p.index()] = sender;
        }
        if (!groupSenders.isEmpty()) {
            List<SendLoop> ofGroup = List.copyOf(loopOf.values());
            senders.addAll(groupSenders);
            loops.addAll(ofGroup);
            sending.add(new SendingGroup(group, groupSenders, ofGroup));
        }
    }

    /** Returns the number of sending threads of a group in this process. */
    private static int threads(ProducerGroup group, Share share) {
        return (int) group.producers().stream().filter(share::has).mapToInt(ProducerPlan::thread).distinct().count();
    }

    /** Returns a separate seed for each producer and consumer, derived from the seed of the run. */
    static long seed(long ofRun, int number) {
        return Seeds.of(ofRun, number);
    }

    private void addReplies(ConsumerGroup group, Shared with) {
        ProducerGroup requesters = group.requesters();
        List<ReplyReceiver> ofGroup = new ArrayList<>();
        for (int i = 0; requesters != null && i < group.consumers().size(); i++) {
            Sender requester = byNumber[requesters.producers().get(i).index()];
            if (requester != null && with.share.has(group.consumers().get(i))) {
                ofGroup.add(new ReplyReceiver(group.consumers().get(i), requester, requesters, with));
            }
        }
        if (!ofGroup.isEmpty()) {
            replyReceivers.addAll(ofGroup);
            replying.add(new ReplyGroup(group, ofGroup));
        }
    }

    /** Sets the moments of the run for all participants. */
    void begin(Timetable timetable) {
        senders.forEach(sender -> sender.begin(timetable.phaseTimes()));
        receivers.forEach(receiver -> receiver.begin(timetable.phaseTimes()));
        replyReceivers.forEach(receiver -> receiver.begin(timetable.phaseTimes()));
        for (SendingGroup group : sending) {
            List<SendLoop.Span> spans = timetable.spans(group.plan);
            group.loops.forEach(loop -> loop.schedule(spans));
        }
    }

    List<SendingGroup> sending() {
        return sending;
    }

    /** Returns the groups of producers that are the load of the scenario: all but those that publish counts. */
    List<SendingGroup> load() {
        return sending.stream().filter(group -> !group.publishesCounts()).toList();
    }

    List<ReceivingGroup> receiving() {
        return receiving;
    }

    List<ReplyGroup> replying() {
        return replying;
    }

    /** Returns all senders of this process, in the order of their producers' numbers. */
    List<Sender> senders() {
        return senders;
    }

    /**
     * Returns the senders whose messages a drain waits for: all but those that still publish counts, which they do until the drain is over.
     */
    List<Sender> drained() {
        return sending.stream().filter(group -> !group.publishesCounts() || group.isFinished()).flatMap(group -> group.senders().stream())
            .toList();
    }

    /** Returns the numbers of the producers of the run that publish counts, in all processes. */
    BitSet counting() {
        return counting;
    }

    /** Returns the sender of a producer; null for a producer of another share. */
    @Nullable Sender sender(int producer) {
        return byNumber[producer];
    }

    List<Receiver> receivers() {
        return receivers;
    }

    RateControl rate() {
        return rate;
    }

    List<SendLoop> loops() {
        return loops;
    }

    /**
     * Returns whether a ledger of the run can be kept: this process has receivers, and the messages of the run are not all without
     * envelopes.
     */
    boolean hasLedger() {
        return !receivers.isEmpty() && !scenario.isBare();
    }

    /** Returns whether all of the load was sent. */
    boolean isLoadSent() {
        return load().stream().allMatch(SendingGroup::isFinished);
    }

    /**
     * Returns the counts of this process since the run began. Replies are not counted, nor requests that still wait for a reply, nor what
     * is known at the end of a run alone.
     */
    public Counts counts() {
        Counts.Sum sum = new Counts.Sum();
        senders.forEach(sender -> sender.reports.counters.addTo(sum));
        receivers.forEach(receiver -> receiver.counters.addTo(sum));
        sum.add(Count.RECONNECTS, events.reconnects());
        return sum.counts();
    }

    /** Returns what was counted in some of the {@linkplain Timetable phases} of the run, as far as it is counted in phases. */
    public Counts countsIn(int firstPhase, int endPhase) {
        Counts.Sum sum = new Counts.Sum();
        senders.forEach(sender -> sender.reports.counters.addTo(sum, firstPhase, endPhase));
        receivers.forEach(receiver -> receiver.counters.addTo(sum, firstPhase, endPhase));
        return sum.counts();
    }

    /** Returns what was counted before the start of a run that sends, not counting replies. */
    Counts countsBefore() {
        int before = timetable.phaseCount();
        Counts.Sum sum = new Counts.Sum();
        receivers.forEach(receiver -> receiver.counters.addTo(sum, before, before + 1));
        return sum.counts();
    }

    /** Returns the number of deliveries, not counting replies. */
    long received() {
        return sum(receivers, r -> r.received.get());
    }

    /** Returns whether all counts of the run were published; false where that is up to another process. */
    private boolean countsEnded() {
        int ended = 0;
        for (SendingGroup group : sending) {
            if (group.publishesCounts() && group.isFinished()) {
                ended += group.senders.size();
            }
        }
        return ended == counting.cardinality();
    }

    /** Returns the receivers whose deliveries end by themselves: while counts are published, those that get not only counts. */
    private List<Receiver> ending() {
        return countsEnded() ? receivers : ofLoad;
    }

    /** Returns the number of deliveries, counting neither replies nor, while counts are published, those of counts. */
    long receivedOfDrained() {
        return sum(ending(), r -> r.received.get());
    }

    /**
     * Returns a number that grows with each send whose fate becomes known and with each delivery that brings the run nearer to its end.
     * Requeued deliveries, duplicates, and counts of consumers that are still being published do not count, since they may go on for ever.
     * While messages are moving, the number may be slightly too high.
     */
    long progress() {
        return sum(drained(), s -> s.reports.completed.get() + s.reports.failed.get() + s.reports.givenUp.get())
            + sum(ending(), r -> r.received.get() - r.requeued.get() - r.duplicates.get()) + sum(replyReceivers, r -> r.received.get());
    }

    /** Returns the counts of a group of producers: of its sends, and of the replies that it received. */
    public Counts counts(SendingGroup group) {
        Counts.Sum sum = new Counts.Sum();
        group.senders.forEach(sender -> sender.reports.counters.addTo(sum));
        replying.stream().filter(one -> one.plan.requesters() != null && one.plan.requesters().index() == group.plan.index())
            .forEach(one -> one.receivers.forEach(receiver -> receiver.counters.addTo(sum)));
        return sum.counts();
    }

    /** Returns the counts of a group of consumers: of its deliveries, and of the replies that it sent. */
    public Counts counts(ReceivingGroup group) {
        Counts.Sum sum = new Counts.Sum();
        group.receivers.forEach(receiver -> receiver.counters.addTo(sum));
        group.repliers.forEach(replier -> replier.counters.addTo(sum));
        return sum.counts();
    }

    long ofSenders(ToLongFunction<Sender> part) {
        return sum(senders, part);
    }

    long ofReceivers(ToLongFunction<Receiver> part) {
        return sum(receivers, part);
    }

    static <T> long sum(List<T> all, ToLongFunction<T> part) {
        long sum = 0;
        for (T one : all) {
            sum += part.applyAsLong(one);
        }
        return sum;
    }
}
