package io.brokermeter.engine.run;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;

import io.brokermeter.engine.envelope.HighestSeen;
import io.brokermeter.engine.envelope.MessageSource;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.pacing.Pacer;
import io.brokermeter.engine.plan.ConsumerGroup;
import io.brokermeter.engine.plan.ConsumerPlan;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.ProducerGroup;
import io.brokermeter.engine.plan.ProducerPlan;
import io.brokermeter.engine.plan.Selections;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.recording.Activity;
import io.brokermeter.engine.recording.Recording;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Seeds;
import io.brokermeter.engine.scenario.Start;
import org.jspecify.annotations.Nullable;

/**
 * Who takes part in a run, in this process: the senders, receivers and repliers of each group of the plan that belong to its share, and the sums of
 * what they count. A group of which nothing belongs to the share is left out.
 */
final class Participants {

    private final Scenario scenario;
    /** Memory that is left for following the order of messages. */
    private final AtomicLong orderRoom = HighestSeen.room();
    private final List<SendingGroup> sending = new ArrayList<>();
    private final List<ReceivingGroup> receiving = new ArrayList<>();
    private final List<ReplyGroup> replying = new ArrayList<>();
    private final List<Sender> senders = new ArrayList<>();
    /** By number of the producer; null for those of other shares. */
    private final @Nullable Sender[] byNumber;
    private final List<Receiver> receivers = new ArrayList<>();
    private final List<ReplyReceiver> replyReceivers = new ArrayList<>();
    private final List<SendLoop> loops = new ArrayList<>();

    /** A group of producers with its sending threads. */
    record SendingGroup(ProducerGroup plan, List<Sender> senders, List<SendLoop> loops) {

        /** Whether it publishes the counts of consumers, which is no load of the scenario. */
        boolean publishesCounts() {
            return plan.counts() != null;
        }

        boolean isFinished() {
            return loops.stream().allMatch(SendLoop::finished);
        }

        /** The end of its sending; {@code now} while a thread of it still sends. */
        long sendingEnd(long now) {
            return loops.stream().mapToLong(loop -> loop.finished() ? loop.sendingEnd() : now).max().orElse(0);
        }
    }

    /** A group of consumers, those of replies excepted. */
    record ReceivingGroup(ConsumerGroup plan, List<Receiver> receivers, List<Replier> repliers) {

        Start start() {
            return plan.side().start();
        }

        /** What its summarizer publishes: the number of messages that came, or the sum of a number in them. */
        long counted() {
            boolean messages = plan.side().summarizer() == null || plan.side().summarizer().sum() == null;
            return Participants.sum(receivers, r -> messages ? r.received.get() : r.sum.get());
        }
    }

    /** The consumers of the replies to a group of requesters. */
    record ReplyGroup(ConsumerGroup plan, List<ReplyReceiver> receivers) {}

    /**
     * What a whole run has counted so far.
     *
     * @param unanswered requests whose time for a reply was over: one that still waits is not among them
     */
    record Counts(long sent, long blocked, long completed, long failed, long received, long rolledBack, long requeued, long rejected,
            long unanswered) {

        static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    /** The parts of a run that its senders and receivers share. */
    record Shared(Plan plan, Share share, Timetable timetable, Recording recording, RunLedger runLedger, Selections selections, long run,
            Failures failures,
            EventLog events, @Nullable Activity activity, Clock clock, Runnable wakeReporter) {}

    Participants(Shared with) {
        this.scenario = with.plan.scenario();
        this.byNumber = new Sender[with.plan.producerCount()];
        with.plan.consumers().stream().filter(group -> group.requesters() == null).forEach(group -> addReceivers(group, with));
        with.plan.producers().forEach(group -> addSenders(group, with));
        with.plan.consumers().stream().filter(group -> group.requesters() != null).forEach(group -> addReplies(group, with));
    }

    private void addReceivers(ConsumerGroup group, Shared with) {
        Receiver.Producers of = new Receiver.Producers(deliveryDelays(with.plan), requesting(with.plan));
        List<Receiver> ofGroup = new ArrayList<>();
        List<Replier> repliers = new ArrayList<>();
        for (ConsumerPlan c : group.consumers().stream().filter(with.share::has).toList()) {
            Replier replier = group.side().replies() ? new Replier(with.run, with.events) : null;
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
        return sender != null && sender.isInDoubt(token);
    }

    /** By number of the producer, in nanoseconds; empty when none asks for a delayed delivery. */
    private static long[] deliveryDelays(Plan plan) {
        long[] delays = new long[plan.producerCount()];
        for (ProducerGroup group : plan.producers()) {
            group.producers().forEach(p -> delays[p.index()] = group.side().messages().deliveryDelay().toNanos());
        }
        return Arrays.stream(delays).anyMatch(delay -> delay > 0) ? delays : new long[0];
    }

    /** By number of the producer; empty when none sends requests. */
    private static boolean[] requesting(Plan plan) {
        boolean[] requesting =
            new boolean[plan.producers().stream().anyMatch(group -> group.side().request() != null) ? plan.producerCount() : 0];
        for (ProducerGroup group : plan.producers()) {
            if (group.side().request() != null) {
                group.producers().forEach(p -> requesting[p.index()] = true);
            }
        }
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
                : MessageSource.counts(group.side().messages(), with.run, p.index(), counted::counted);
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

    /** Sending threads of a group in this process. */
    private static int threads(ProducerGroup group, Share share) {
        return (int) group.producers().stream().filter(share::has).mapToInt(ProducerPlan::thread).distinct().count();
    }

    /** A seed of its own for each producer and consumer. */
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

    /** Gives everybody the moments of the run. */
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

    /** The groups of producers that are the load of the scenario: all but those that publish counts. */
    List<SendingGroup> load() {
        return sending.stream().filter(group -> !group.publishesCounts()).toList();
    }

    List<ReceivingGroup> receiving() {
        return receiving;
    }

    List<ReplyGroup> replying() {
        return replying;
    }

    /** All senders of this process, in the order of their producers' numbers. */
    List<Sender> senders() {
        return senders;
    }

    /** The sender of a producer; null for one of another share. */
    @Nullable Sender sender(int producer) {
        return byNumber[producer];
    }

    List<Receiver> receivers() {
        return receivers;
    }

    List<SendLoop> loops() {
        return loops;
    }

    /** Whether nothing that is sent has an envelope. */
    boolean isBare() {
        return scenario.sends() && scenario.producers().stream().allMatch(side -> side.messages().bare());
    }

    /** Whether a ledger can be kept of the run: it receives what has envelopes. */
    boolean hasLedger() {
        return !receivers.isEmpty() && !isBare();
    }

    /** Whether all of the load was sent. */
    boolean isLoadSent() {
        return load().stream().allMatch(SendingGroup::isFinished);
    }

    Counts counts() {
        return new Counts(sum(senders, s -> s.sent.get()), sum(senders, s -> s.blocked.get()), sum(senders, s -> s.completed.get()),
            sum(senders, s -> s.failed.get()), received(), sum(senders, s -> s.rolledBack.get()), sum(receivers, r -> r.requeued.get()),
            sum(receivers, r -> r.rejected.get()), sum(senders, s -> s.window.late()));
    }

    /** Deliveries, those of replies excepted. */
    long received() {
        return sum(receivers, r -> r.received.get());
    }

    /**
     * A number that grows with each send whose fate gets known and each delivery that brings the run nearer to its end: not with those that
     * were given back or had come before, of which there may be more for ever. While something moves it may be a little too high.
     */
    long progress() {
        long again = ofReceivers(r -> r.requeued.get() + r.duplicates.get());
        return ofSenders(s -> s.completed.get() + s.failed.get() + s.givenUp.get()) + received() - again
            + sum(replyReceivers, r -> r.received.get());
    }

    /** Replies that a group of requesters got. */
    long replies(ProducerGroup requesters) {
        return replying.stream().filter(group -> group.plan.requesters() != null && group.plan.requesters().index() == requesters.index())
            .mapToLong(group -> sum(group.receivers, r -> r.received.get())).sum();
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
