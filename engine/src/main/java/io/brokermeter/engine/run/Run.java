package io.brokermeter.engine.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;

import io.brokermeter.engine.envelope.Envelope;
import io.brokermeter.engine.envelope.Ledger;
import io.brokermeter.engine.health.Health;
import io.brokermeter.engine.health.HealthMonitor;
import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.pacing.FireTimes;
import io.brokermeter.engine.pacing.Pacer;
import io.brokermeter.engine.plan.ConsumerPlan;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.ProducerPlan;
import io.brokermeter.engine.recording.Counter;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.Lane;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.recording.Metric;
import io.brokermeter.engine.recording.Recording;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.ConsumerSide;
import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.ProducerSide;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.Driver;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * One run, from the first connection to the last. {@link #execute} is called once and does its reporting on the calling
 * thread; {@link #stop} and {@link #abort} may come from any thread, a signal handler among them.
 */
public final class Run {

    private static final long STALL_AFTER = 5_000_000_000L;
    /** A run that makes no progress at all for this long is ended. */
    private static final long GIVE_UP_AFTER = 60_000_000_000L;
    /** After a connection is gone for good, how long a drain may stand still. */
    private static final long DRAIN_WITHOUT_CONNECTION = 1_000_000_000L;
    private static final long CLOSE_WITHIN = 15_000_000_000L;
    private static final long NO_END = Long.MAX_VALUE;

    private final Plan plan;
    private final Scenario scenario;
    private final RunObserver observer;
    private final Recording recording;
    private final Failures failures = new Failures();
    private final Events events = new Events();
    private final Links links;
    private final Ledger ledger;
    private final List<Sender> senders = new ArrayList<>();
    private final List<Receiver> receivers = new ArrayList<>();
    private final List<SendLoop> loops = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final List<Thread> pollers = new ArrayList<>();
    private final AtomicLong reconnects = new AtomicLong();
    private final List<String> causes = new ArrayList<>();

    private volatile @Nullable Thread reporter;
    private volatile int signal;
    private volatile boolean stopping;
    private volatile boolean aborted;
    private volatile boolean connectionLost;
    private volatile boolean pollersStop;
    private volatile boolean begun;

    // Reporting thread only.
    private long start;
    private int intervals;
    private long intervalBegan;
    private Counts counted = new Counts(0, 0, 0, 0, 0);
    private final Progress sendProgress = new Progress();
    private final Progress receiveProgress = new Progress();
    private boolean observerFailed;
    private boolean healthBegun;
    private boolean deliveriesStillArriving;

    public Run(Plan plan, RunObserver observer) {
        this.plan = plan;
        this.scenario = plan.scenario();
        this.observer = observer;
        this.recording = new Recording(!scenario.limits().warmup().isZero());
        this.links = new Links(plan, events);
        int run = Envelope.newRun(ThreadLocalRandom.current().nextLong());
        this.ledger = scenario.producers() == null ? Ledger.ofAnyRun() : Ledger.of(run);
        prepareSenders(run);
        prepareReceivers();
    }

    /** Ends the run cleanly: stop sending, drain, summary. {@code signalNumber} goes into the exit code; 0 for none. */
    public void stop(int signalNumber) {
        if (signal == 0) {
            signal = signalNumber;
        }
        stopping = true;
        wakeReporter();
    }

    /** Whether the connections are made and the load has begun; before that there is nothing to end cleanly. */
    public boolean hasBegun() {
        return begun;
    }

    /** Ends the run at once: no drain. */
    public void abort() {
        aborted = true;
        stop(signal);
    }

    /**
     * Runs. Blocks until everything is closed.
     *
     * @throws RunFailure when the run could not begin; nothing is left open then
     */
    public RunResult execute() throws RunFailure {
        reporter = Thread.currentThread();
        try (HealthMonitor health = new HealthMonitor()) {
            Thread healthStart = Thread.ofPlatform().daemon().name("brokermeter-health").start(health::start);
            try {
                open();
            } catch (RunFailure | RuntimeException e) {
                closeWithin(CLOSE_WITHIN, false);
                throw e;
            }
            joinQuietly(healthStart, 2_000);
            return load(health);
        }
    }

    // ---- setting up ----

    private void prepareSenders(int run) {
        ProducerSide side = scenario.producers();
        if (side == null) {
            return;
        }
        Load load = side.load();
        FireTimes times = load == null ? null : FireTimes.of(load);
        int threadCount = 1 + plan.producers().stream().mapToInt(ProducerPlan::thread).max().orElse(0);
        int processors = Runtime.getRuntime().availableProcessors();
        List<@Nullable Lane> delays = new ArrayList<>();
        for (int t = 0; t < threadCount; t++) {
            loops.add(new SendLoop(times, plan.producers().size(), side.messageCount(),
                    Pacer.of(scenario.pacing(), threadCount, processors), scenario.realtime(), events, this::wakeReporter));
            delays.add(times == null ? null : recording.lane(Metric.SEND_DELAY));
        }
        for (ProducerPlan p : plan.producers()) {
            SendLoop loop = loops.get(p.thread());
            Sender sender = new Sender(p, side, run, plan.producers().size(), loop, failures, recording.lane(Metric.SEND),
                    delays.get(p.thread()));
            loop.add(sender);
            senders.add(sender);
        }
    }

    private void prepareReceivers() {
        ConsumerSide side = scenario.consumers();
        if (side == null) {
            return;
        }
        int[] members = new int[plan.subscriptions()];
        int[] destinations = new int[plan.subscriptions()];
        for (ConsumerPlan c : plan.consumers()) {
            members[c.subscription()]++;
            destinations[c.subscription()] = c.destinationIndex();
        }
        List<Ledger.Subscription> subscriptions = new ArrayList<>();
        for (int s = 0; s < members.length; s++) {
            subscriptions.add(ledger.subscribe(destinations[s], members[s]));
        }
        for (ConsumerPlan c : plan.consumers()) {
            receivers.add(new Receiver(c, side, subscriptions.get(c.subscription()), recording.lane(Metric.TRANSFER),
                    recording.lane(Metric.RESPONSE), events, failures));
        }
    }

    private void open() throws RunFailure {
        ConsumerSide receiving = scenario.consumers();
        ProducerSide sending = scenario.producers();
        links.connectConsumers();
        links.connectProducers();
        links.declare();
        if (sending == null) {
            begin(EpochClock.nanos());
        }
        if (receiving != null && receiving.startDelay().isZero()) {
            openReceivers();
        }
        if (sending != null) {
            for (Sender sender : senders) {
                links.open(sender, sending);
            }
            begin(EpochClock.nanos() + 1_000_000);
        }
    }

    /** Fixes the run's start, from which every moment of it follows. */
    private void begin(long startNanos) {
        start = startNanos;
        intervalBegan = startNanos;
        long warmupEnd = scenario.limits().warmup().isZero() ? Long.MIN_VALUE : start + scenario.limits().warmup().toNanos();
        for (Sender sender : senders) {
            sender.begin(warmupEnd);
        }
        for (Receiver receiver : receivers) {
            receiver.begin(warmupEnd);
        }
        for (SendLoop loop : loops) {
            loop.schedule(start, end());
        }
        begun = true;
    }

    private long end() {
        Duration duration = scenario.limits().duration();
        return duration.isZero() ? NO_END : start + duration.toNanos();
    }

    private void openReceivers() throws RunFailure {
        for (Receiver receiver : receivers) {
            Consumer consumer = links.open(receiver);
            if (consumer.needsPolling()) {
                pollers.add(Thread.ofPlatform().daemon().name("brokermeter-consumer-" + receiver.plan.index())
                        .start(() -> poll(consumer, receiver)));
            }
        }
    }

    private void poll(Consumer consumer, Receiver receiver) {
        try {
            while (!pollersStop) {
                consumer.poll(Duration.ofMillis(100));
            }
        } catch (Exception e) {
            if (!pollersStop) {
                receiver.failed(e);
            }
        }
    }

    // ---- the load ----

    private RunResult load(HealthMonitor health) {
        for (int t = 0; t < loops.size(); t++) {
            threads.add(Thread.ofPlatform().daemon().name("brokermeter-sender-" + t).start(loops.get(t)));
        }
        int measuredFrom = scenario.limits().warmup().isZero() ? 0 : 1;
        if (measuredFrom == 0) {
            health.begin();
            healthBegun = true;
        }
        ConsumerSide receiving = scenario.consumers();
        long consumersDue = receiving == null || receiving.startDelay().isZero()
                ? NO_END : start + receiving.startDelay().toNanos();
        while (!ended()) {
            long now = EpochClock.nanos();
            if (now >= consumersDue) {
                consumersDue = NO_END;
                try {
                    openReceivers();
                } catch (RunFailure e) {
                    events.fatal(String.valueOf(e.getMessage()), e);
                }
            }
            report(health, now);
            waitForNews(Math.min(consumersDue, scenario.producers() == null ? end() : NO_END));
        }
        for (SendLoop loop : loops) {
            loop.stop();
        }
        joinSenders();
        long sendingEnded = loops.stream().mapToLong(SendLoop::lastSend).max().orElse(EpochClock.nanos());
        if (!aborted) {
            drain(health);
        }
        Health figures = judge(health);
        long finished = EpochClock.nanos();
        for (String trouble : closeWithin(aborted ? 1_000_000_000L : CLOSE_WITHIN, !connectionLost)) {
            events.notice(trouble);
            causes.add(trouble);
        }
        tellOddities();
        lastInterval(finished);
        RunResult result = result(figures, finished, sendingEnded);
        try {
            observer.finished(result);
        } catch (Exception e) {
            causes.add("A report could not be finished: " + Failures.sentence(e));
            result = result(figures, finished, sendingEnded);
        }
        return result;
    }

    private boolean ended() {
        if (stopping || events.fatal) {
            return true;
        }
        ConsumerSide receiving = scenario.consumers();
        if (receiving != null && receiving.messageCount() > 0
                && sum(receivers, r -> r.received.get()) >= receiving.messageCount()) {
            return true;
        }
        if (scenario.producers() == null) {
            return EpochClock.nanos() >= end();
        }
        return loops.stream().allMatch(SendLoop::finished);
    }

    /** Sleeps until the next interval is over, something wakes this thread, or {@code deadline}. */
    private void waitForNews(long deadline) {
        long now = EpochClock.nanos();
        long next = Math.min(deadline, intervalBegan + scenario.limits().interval().toNanos());
        ConsumerSide receiving = scenario.consumers();
        if (receiving != null && receiving.messageCount() > 0) {
            // A count of deliveries is looked at often, not signalled for each message.
            next = Math.min(next, now + 10_000_000);
        }
        if (next > now && !events.fatal && !stopping) {
            LockSupport.parkNanos(next - now);
        }
    }

    private void wakeReporter() {
        Thread t = reporter;
        if (t != null) {
            LockSupport.unpark(t);
        }
    }

    private void joinSenders() {
        long deadline = EpochClock.nanos() + 5_000_000_000L;
        for (Thread thread : threads) {
            while (thread.isAlive() && EpochClock.nanos() < deadline && !aborted) {
                joinQuietly(thread, 100);
                report(null, EpochClock.nanos());
            }
            if (thread.isAlive()) {
                thread.interrupt();
                joinQuietly(thread, 500);
            }
            if (thread.isAlive()) {
                causes.add("A send did not return within 5 s" + because());
            }
        }
    }

    /** Waits for confirmations and deliveries that are still due, within the limit. */
    private void drain(HealthMonitor health) {
        Limits limits = scenario.limits();
        long deadline = EpochClock.nanos() + limits.drainTimeout().toNanos();
        long progressAt = EpochClock.nanos();
        long before = -1;
        boolean drained = false;
        while (!(drained = isDrained()) && !aborted) {
            long now = EpochClock.nanos();
            long progress = sum(senders, s -> s.completed.get() + s.failed.get()) + sum(receivers, r -> r.received.get());
            if (progress != before) {
                before = progress;
                progressAt = now;
            }
            if (now >= deadline || connectionLost && now - progressAt > DRAIN_WITHOUT_CONNECTION) {
                break;
            }
            report(health, now);
            LockSupport.parkNanos(2_000_000);
        }
        deliveriesStillArriving = !drained && EpochClock.nanos() - progressAt < 500_000_000L;
    }

    private boolean isDrained() {
        if (sum(senders, Sender::pending) > 0) {
            return false;
        }
        if (scenario.producers() == null || receivers.isEmpty() || bare()) {
            return true;
        }
        return outstandingDeliveries() <= 0;
    }

    /** Deliveries that are due and have not come, by the counters; exact when nothing moves. */
    private long outstandingDeliveries() {
        int[] copies = new int[scenario.destinations().size()];
        boolean[] seen = new boolean[plan.subscriptions()];
        for (Receiver receiver : receivers) {
            if (!seen[receiver.plan.subscription()]) {
                seen[receiver.plan.subscription()] = true;
                copies[receiver.plan.destinationIndex()]++;
            }
        }
        long due = sum(senders, s -> s.completed.get() * copies[s.plan.destinationIndex()]);
        return due - sum(receivers, r -> r.ours.get() - r.duplicates.get());
    }

    private boolean bare() {
        ProducerSide side = scenario.producers();
        return side != null && side.bare();
    }

    private Health judge(HealthMonitor health) {
        Histogram late = new Histogram(1, 60_000_000_000L, 2);
        long unsent = 0;
        long now = Math.min(EpochClock.nanos(), end());
        long last = loops.stream().mapToLong(SendLoop::lastSend).max().orElse(now);
        for (SendLoop loop : loops) {
            if (loop.finished()) {
                late.add(loop.lateness());
                unsent += loop.unsent(stopping ? Math.min(now, last) : now);
            }
        }
        boolean scheduled = loops.stream().anyMatch(SendLoop::scheduled);
        long sent = sum(senders, s -> s.sent.get());
        long measured = senders.isEmpty() ? sum(receivers, r -> r.measured.get()) : sum(senders, s -> s.measuredSent.get());
        // The judgement needs all samples, and what is taken from the lanes must reach the reports too.
        lastInterval(EpochClock.nanos());
        Histogram response = total(Metric.RESPONSE).count() > 0
                ? total(Metric.RESPONSE).histogram() : total(Metric.SEND).histogram();
        return health.end(measured, late, scheduled ? sent + unsent : 0, unsent, sum(senders, s -> s.blocked.get()), response);
    }

    private Distribution total(Metric metric) {
        Distribution d = recording.total().get(metric);
        if (d == null) {
            throw new IllegalStateException("No samples are kept for " + metric);
        }
        return d;
    }

    // ---- reporting ----

    /** Hands out events, and the interval when it is over; looks for a stall. */
    private void report(@Nullable HealthMonitor health, long now) {
        deliverEvents();
        long length = scenario.limits().interval().toNanos();
        if (now - intervalBegan < length) {
            return;
        }
        if (health != null) {
            health.tick();
            if (!healthBegun && now - start >= scenario.limits().warmup().toNanos()) {
                health.begin();
                healthBegun = true;
            }
        }
        // A reporter that was held up reports one long interval, not several that never were.
        interval(intervalBegan + (now - intervalBegan) / length * length);
        watchProgress(now);
    }

    private void interval(long ended) {
        recording.drain();
        emit(ended);
    }

    private void lastInterval(long finished) {
        deliverEvents();
        recording.drain();
        Counts now = counts();
        boolean samples = recording.measured().values().stream().anyMatch(d -> d.count() > 0)
                || recording.warmup().values().stream().anyMatch(d -> d.count() > 0);
        if (samples || !now.equals(counted)) {
            emit(Math.max(finished, intervalBegan + 1));
        }
    }

    private void emit(long ended) {
        Counts now = counts();
        boolean warm = intervalBegan - start < scenario.limits().warmup().toNanos();
        Interval interval = new Interval(intervals++, warm, intervalBegan, ended, ended - start, now.sent - counted.sent,
                now.blocked - counted.blocked, now.completed - counted.completed, now.failed - counted.failed,
                now.received - counted.received, recording.measured(), recording.warmup());
        counted = now;
        intervalBegan = ended;
        tell(() -> observer.interval(interval));
    }

    private record Counts(long sent, long blocked, long completed, long failed, long received) {}

    private Counts counts() {
        return new Counts(sum(senders, s -> s.sent.get()), sum(senders, s -> s.blocked.get()),
                sum(senders, s -> s.completed.get()), sum(senders, s -> s.failed.get()), sum(receivers, r -> r.received.get()));
    }

    private interface Telling {
        void run() throws Exception;
    }

    private void tell(Telling telling) {
        try {
            telling.run();
        } catch (Exception e) {
            if (!observerFailed) {
                observerFailed = true;
                events.fatal("A report could not be written: " + Failures.sentence(e), e);
            }
        }
    }

    private void deliverEvents() {
        Event event;
        while ((event = events.queue.poll()) != null) {
            Event e = event;
            tell(() -> observer.event(e));
        }
    }

    /** Says when sends or deliveries that are due stand still, and ends a run that stands still for good. */
    private void watchProgress(long now) {
        long pending = sum(senders, Sender::pending);
        if (!senders.isEmpty()) {
            long settled = counted.completed + counted.failed;
            boolean due = pending > 0 || !loops.stream().allMatch(SendLoop::finished);
            sendProgress.look(now, settled + counted.sent, due);
            if (sendProgress.stalled(now)) {
                events.add(Event.Kind.STALL, String.format(Locale.ROOT, "no progress for %d s: %,d sends are unconfirmed on %s%s",
                        sendProgress.seconds(now), pending, url(plan.producerDriver(), true), because()));
            }
        }
        if (!receivers.isEmpty()) {
            boolean due = scenario.producers() == null || outstandingDeliveries() > 0;
            receiveProgress.look(now, counted.received, due);
            if (receiveProgress.stalled(now)) {
                events.add(Event.Kind.STALL, scenario.producers() == null
                        ? String.format(Locale.ROOT, "no message has arrived for %d s on %s", receiveProgress.seconds(now),
                                url(plan.consumerDriver(), false))
                        : String.format(Locale.ROOT, "no progress for %d s: %,d messages that were confirmed are not delivered on %s",
                                receiveProgress.seconds(now), outstandingDeliveries(), url(plan.consumerDriver(), false)));
            }
        }
        if (!senders.isEmpty() && pending > 0 && now - sendProgress.movedAt > GIVE_UP_AFTER) {
            events.fatal(String.format(Locale.ROOT, "No progress for %d s: %,d sends are unconfirmed on %s%s", GIVE_UP_AFTER / 1_000_000_000L,
                    pending, url(plan.producerDriver(), true), because()), new IllegalStateException("stalled"));
        }
    }

    private String because() {
        String reason = links.stallReason();
        return reason.isEmpty() ? "" : ", " + reason;
    }

    private String url(@Nullable Driver driver, boolean producing) {
        ProducerSide p = scenario.producers();
        ConsumerSide c = scenario.consumers();
        if (driver == null) {
            return "";
        }
        return driver.effectiveUrl((producing && p != null ? p.endpoint()
                : c != null ? c.endpoint() : java.util.Objects.requireNonNull(p).endpoint()).settings());
    }

    /** When a count last moved, and whether that was said. */
    private static final class Progress {
        long count = -1;
        long movedAt;
        boolean told;

        void look(long now, long newCount, boolean due) {
            if (newCount != count || !due) {
                count = newCount;
                movedAt = now;
                told = false;
            }
        }

        boolean stalled(long now) {
            if (told || now - movedAt < STALL_AFTER - 500_000_000L) {
                return false;
            }
            told = true;
            return true;
        }

        long seconds(long now) {
            return Math.round((now - movedAt) / 1e9);
        }
    }

    // ---- the end ----

    /** Closes all links on a thread of its own, so that a client that hangs cannot hold up the summary. */
    private List<String> closeWithin(long limit, boolean remove) {
        List<String> troubles = new ArrayList<>();
        pollersStop = true;
        events.closing = true;
        for (Thread poller : pollers) {
            joinQuietly(poller, 1_000);
        }
        Thread closer = Thread.ofPlatform().daemon().name("brokermeter-close").start(() -> {
            List<String> found = links.close(remove);
            synchronized (troubles) {
                troubles.addAll(found);
            }
        });
        joinQuietly(closer, limit / 1_000_000);
        synchronized (troubles) {
            List<String> all = new ArrayList<>(troubles);
            if (closer.isAlive() && !aborted) {
                all.add("The connections did not close within " + limit / 1_000_000_000L + " s");
            }
            return connectionLost ? List.of() : all;
        }
    }

    private RunResult result(Health figures, long finished, long sendingEnded) {
        long sent = sum(senders, s -> s.sent.get());
        long completed = sum(senders, s -> s.completed.get());
        long failed = sum(senders, s -> s.failed.get());
        long unconfirmed = sum(senders, Sender::pending);
        LedgerReport books = books();
        List<String> all = new ArrayList<>(causes);
        all.addAll(0, events.fatalSentences());
        judgeTotals(all, unconfirmed, failed, books);
        long measuredBegan = start + scenario.limits().warmup().toNanos();
        long measuredEnded = senders.isEmpty() ? finished : sendingEnded;
        Map<String, String> versions = new LinkedHashMap<>();
        String tool = Run.class.getPackage().getImplementationVersion();
        versions.put("tool", tool == null ? "development" : tool);
        versions.put("java", Runtime.version().toString());
        Driver producing = plan.producerDriver();
        Driver consuming = plan.consumerDriver();
        if (producing != null) {
            versions.put("producer client", producing.client());
        }
        if (consuming != null) {
            versions.put("consumer client", consuming.client());
        }
        if (!links.broker().isEmpty()) {
            versions.put("broker", links.broker());
        }
        return new RunResult(all, signal, EpochClock.instant(start), Duration.ofNanos(Math.max(0, finished - start)),
                Duration.ofNanos(Math.max(0, sendingEnded - start)), sent, sum(senders, s -> s.blocked.get()), completed, failed,
                unconfirmed, sum(receivers, r -> r.received.get()), books, recording.total(),
                Math.max(0, measuredEnded - measuredBegan) / 1e9, sum(senders, s -> s.measuredSent.get()),
                sum(receivers, r -> r.measured.get()), reconnects.get(),
                plan.confirms(), figures, versions);
    }

    private @Nullable LedgerReport books() {
        if (receivers.isEmpty() || bare()) {
            return null;
        }
        List<Ledger.Sent> sent = new ArrayList<>();
        for (Sender sender : senders) {
            sent.add(new Ledger.Sent(sender.plan.index(), sender.plan.destinationIndex(), sender.confirmed, sender.pending()));
        }
        return ledger.close(sent, sum(receivers, r -> r.ours.get()), sum(receivers, r -> r.duplicates.get()),
                sum(receivers, r -> r.redeliveredDuplicates.get()), sum(receivers, r -> r.outOfOrder.get()),
                receivers.stream().mapToLong(r -> r.reorderDepth.get()).max().orElse(0), sum(receivers, r -> r.foreign.get()),
                sum(receivers, r -> r.corrupt.get()), sum(receivers, r -> r.old.get()));
    }

    /** What does not fail a run and still changes how its numbers must be read. */
    private void tellOddities() {
        long otherClock = sum(receivers, r -> r.otherClock.get());
        if (otherClock > 0) {
            events.notice(String.format(Locale.ROOT, "%,d messages carry another machine's clock: their transfer and response times "
                    + "include the difference of the clocks", otherClock));
        }
        long unknown = sum(receivers, r -> r.unknownSendTime.get());
        if (unknown > 0) {
            events.notice(String.format(Locale.ROOT, "%,d messages were sent more than 429 s late, so they have a response time and no "
                    + "transfer time", unknown));
        }
        LedgerReport books = books();
        if (scenario.producers() != null && books != null && books.lost() > 0 && scenario.limits().allowLoss()) {
            events.notice(String.format(Locale.ROOT, "%,d messages were lost, which --allow-loss permits", books.lost()));
        }
        if (scenario.producers() == null && books != null && books.lost() > 0) {
            events.notice(String.format(Locale.ROOT, "%,d messages are missing between the first and the last of their producers: lost, "
                    + "or taken by another consumer", books.lost()));
        }
    }

    private void judgeTotals(List<String> all, long unconfirmed, long failed, @Nullable LedgerReport books) {
        if (failed > 0) {
            StringBuilder why = new StringBuilder();
            failures.counts().forEach((cause, times) ->
                    why.append(why.isEmpty() ? "" : "; ").append(cause).append(" (").append(times).append(" times)"));
            all.add(String.format(Locale.ROOT, "%,d sends failed: %s", failed, why));
        }
        if (unconfirmed > 0) {
            all.add(String.format(Locale.ROOT, "%,d sends were never confirmed: the broker may or may not have them", unconfirmed));
        }
        long stray = sum(senders, s -> s.strayConfirmations.get());
        if (stray > 0) {
            all.add(String.format(Locale.ROOT, "%,d confirmations came for messages that were not in flight", stray));
        }
        if (books == null) {
            return;
        }
        if (books.corrupt() > 0) {
            all.add(String.format(Locale.ROOT, "%,d messages arrived with a changed body", books.corrupt()));
        }
        if (scenario.producers() != null && books.lost() > 0 && !scenario.limits().allowLoss()) {
            long drain = scenario.limits().drainTimeout().toSeconds();
            all.add(String.format(Locale.ROOT, "%,d messages were %s and not delivered within --drain-timeout %d s%s", books.lost(),
                    plan.confirms() ? "confirmed" : "sent", drain, deliveriesStillArriving ? "; deliveries were still arriving, so raise it to tell late from lost" : ""));
        }
        if (!books.closes()) {
            all.add("The ledger does not close: expected " + books.expected() + ", received " + books.received()
                    + ", duplicates " + books.duplicates() + ", lost " + books.lost());
        }
    }

    private static <T> long sum(List<T> all, ToLongFunction<T> part) {
        long sum = 0;
        for (T one : all) {
            sum += part.applyAsLong(one);
        }
        return sum;
    }

    private static void joinQuietly(Thread thread, long millis) {
        try {
            thread.join(Math.max(1, millis));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Hears of trouble from any thread, and keeps it for the reporting thread. */
    private final class Events implements RunEvents, ConnectionListener {

        final Queue<Event> queue = new ConcurrentLinkedQueue<>();
        private final List<String> fatalSentences = new ArrayList<>();
        private final Set<String> notices = ConcurrentHashMap.newKeySet();
        volatile boolean fatal;
        volatile boolean closing;

        void add(Event.Kind kind, String sentence) {
            queue.add(new Event(start == 0 ? 0 : EpochClock.nanos() - start, kind, sentence));
            wakeReporter();
        }

        /** Says it once, however many connections have the same to say. */
        @Override
        public void notice(String sentence) {
            if (notices.add(sentence)) {
                add(Event.Kind.NOTICE, sentence);
            }
        }

        @Override
        public void fatal(String sentence, Throwable cause) {
            synchronized (fatalSentences) {
                if (!fatalSentences.contains(sentence) && fatalSentences.size() < 10) {
                    fatalSentences.add(sentence);
                    add(Event.Kind.ERROR, sentence);
                }
            }
            fatal = true;
            wakeReporter();
        }

        List<String> fatalSentences() {
            synchronized (fatalSentences) {
                return new ArrayList<>(fatalSentences);
            }
        }

        @Override
        public void lost(Throwable cause) {
            if (!closing) {
                connectionLost = true;
                fatal("Connection lost: " + Failures.sentence(cause), cause);
            }
        }

        @Override
        public void interrupted(String cause) {
            if (!closing) {
                add(Event.Kind.INTERRUPTED, "Connection interrupted, the client is reconnecting: " + cause);
            }
        }

        @Override
        public void resumed() {
            reconnects.incrementAndGet();
            add(Event.Kind.RESUMED, "Connection restored");
        }
    }
}
