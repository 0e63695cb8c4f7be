package io.brokermeter.engine.run;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
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
import java.util.function.Function;
import java.util.function.ToLongFunction;

import io.brokermeter.engine.envelope.Envelope;
import io.brokermeter.engine.envelope.HighestSeen;
import io.brokermeter.engine.envelope.MessageSource;
import io.brokermeter.engine.health.Health;
import io.brokermeter.engine.health.HealthMonitor;
import io.brokermeter.engine.health.LoadFigures;
import io.brokermeter.engine.health.Schedule;
import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.pacing.Pacer;
import io.brokermeter.engine.plan.ConsumerGroup;
import io.brokermeter.engine.plan.ConsumerPlan;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.ProducerGroup;
import io.brokermeter.engine.plan.ProducerPlan;
import io.brokermeter.engine.plan.Selections;
import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.Counter;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.GroupResult;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.Lane;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.recording.MeasuredPart;
import io.brokermeter.engine.recording.Metric;
import io.brokermeter.engine.recording.PhaseResult;
import io.brokermeter.engine.recording.PhaseTimes;
import io.brokermeter.engine.recording.Recording;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Pacing;
import io.brokermeter.engine.scenario.Phase;
import io.brokermeter.engine.scenario.ProducerSide;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.DeliveryListener;
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
    /** How long to look for deliveries that nobody waits for, after the last one, and at most. */
    private static final long LOOK_FOR_MORE = 100_000_000;
    private static final long LOOK_AT_MOST = 1_000_000_000;
    /** How long closing may take, as long as something is being closed; and one thing of it, from a broker that is not heard of. */
    private static final long CLOSE_WITHIN = 15_000_000_000L;
    private static final long CLOSE_SILENT_WITHIN = 2_000_000_000L;
    /** The same when somebody waits for the end. */
    private static final long CLOSE_SOON = 1_000_000_000L;
    /** How long a send or commit under way may take when the load has ended, if draining may not take longer. */
    private static final long LAST_SEND_WITHIN = 5_000_000_000L;
    private static final long NO_END = Long.MAX_VALUE;
    /** How long the run waits for its threads to be ready. */
    private static final long READY_WITHIN = 5_000_000_000L;
    /** From the moment at which everything is ready to the first due time: enough for every thread to wake for it. */
    private static final long LEAD = 10_000_000;

    private final Plan plan;
    private final Scenario scenario;
    private final RunObserver observer;
    private final Recording recording;
    private final Failures failures = new Failures();
    private final Events events = new Events();
    private final Links links;
    private final DepthWatch depths;
    private final Selections selections;
    private final Books books;
    private final List<Sender> senders = new ArrayList<>();
    private final List<Receiver> receivers = new ArrayList<>();
    private final List<ReplyReceiver> replyReceivers = new ArrayList<>();
    private final List<Replier> repliers = new ArrayList<>();
    private final List<Team> teams = new ArrayList<>();
    private final List<Crowd> crowds = new ArrayList<>();
    private final @Nullable BrokerWatch watch;
    private final int warmups;
    private final int phaseCount;
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
    private volatile boolean draining;
    private volatile boolean drainStop;
    private volatile boolean begun;

    // Reporting thread only.
    private long start;
    private int intervals;
    private long intervalBegan;
    private long loadEnded = NO_END;
    /** Whether the load ended before the producers were through with it. */
    private boolean cutShort;
    /** Of the first seconds of a run without a warm-up. */
    private final Map<Metric, Histogram> cold = new EnumMap<>(Metric.class);
    private long nextInterval = NO_END;
    private long[] phaseBegins = new long[0];
    private long[] phaseEnds = new long[0];
    private long loadEnd = NO_END;
    private PhaseTimes phaseTimes = PhaseTimes.ONE;
    private Counts counted = new Counts(0, 0, 0, 0, 0);
    private final Progress sendProgress = new Progress();
    private final Progress receiveProgress = new Progress();
    private boolean observerFailed;
    private boolean measuringBegun;
    private boolean measuringEnded;
    private BrokerFigures seenOfBroker = BrokerFigures.UNKNOWN;
    /** The counts when CPU times were read, and when that was. */
    private Counts costFrom = new Counts(0, 0, 0, 0, 0);
    private Counts costTo = costFrom;
    private long costFromNanos;
    private long costToNanos;
    private int crowdsOpen;
    private @Nullable BrokerFigures brokerFigures;
    private boolean deliveriesStillArriving;
    /** Whether the broker was not heard of while something of it was due. */
    private boolean silent;
    private long lookTook;

    /** A group of producers with its sending threads. */
    private record Team(ProducerGroup group, List<Sender> senders, List<SendLoop> loops) {}

    /** A group of consumers, those of replies excepted. */
    private record Crowd(ConsumerGroup group, List<Receiver> receivers, List<Replier> repliers) {

        /** What its summarizer publishes: how many messages came, or the sum of a number in them. */
        long counted() {
            boolean messages = group.side().summarizer() == null || group.side().summarizer().sum() == null;
            return sum(receivers, r -> messages ? r.received.get() : r.sum.get());
        }
    }

    /** A run whose broker nobody watches. */
    public Run(Plan plan, RunObserver observer) {
        this(plan, observer, null);
    }

    /**
     * A run.
     *
     * @param watch watches the broker, or null; the run uses it and does not close it
     */
    public Run(Plan plan, RunObserver observer, @Nullable BrokerWatch watch) {
        this.plan = plan;
        this.scenario = plan.scenario();
        this.observer = observer;
        this.watch = watch;
        this.warmups = scenario.limits().warmup().isZero() ? 0 : 1;
        this.phaseCount = warmups + Math.max(1, scenario.phases().size());
        int groups = plan.producers().size() + plan.consumers().size();
        this.recording = new Recording(warmups > 0, phaseCount, groups, groups > 2 || plan.producers().size() > 1);
        this.links = new Links(plan, events, () -> stopping);
        this.depths = DepthWatch.of(plan, sentence -> {
            // Whatever ends the run is told by itself.
            if (!events.fatal && !stopping) {
                events.notice(sentence);
            }
        });
        long run = Envelope.newRun(ThreadLocalRandom.current().nextLong());
        this.selections = Selections.of(plan);
        this.books = new Books(plan, selections, run);
        prepareReceivers(run);
        prepareSenders(run);
        prepareReplies(run);
    }

    /**
     * Ends the run cleanly: stop sending, drain, summary. When draining has begun it is ended: consumers take nothing more, and what did
     * not come is not called late. {@code signalNumber} goes into the exit code; 0 for none.
     */
    public void stop(int signalNumber) {
        if (signal == 0) {
            signal = signalNumber;
        }
        if (draining) {
            drainStop = true;
            receivers.forEach(Receiver::leave);
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
        receivers.forEach(Receiver::leave);
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
                closeWithin(CLOSE_SILENT_WITHIN, false);
                throw e;
            }
            joinQuietly(healthStart, 2_000);
            begun = true;
            return load(health);
        }
    }

    // ---- setting up ----

    private void prepareSenders(long run) {
        int processors = Runtime.getRuntime().availableProcessors();
        int threadCount = plan.producers().stream().mapToInt(ProducerGroup::threads).sum();
        Map<Integer, Crowd> counted = new HashMap<>();
        crowds.forEach(crowd -> counted.put(crowd.group.index(), crowd));
        for (ProducerGroup group : plan.producers()) {
            ProducerSide side = group.side();
            ConsumerGroup counts = group.counts();
            List<Load> loads = loads(side, counts != null);
            List<SendLoop> groupLoops = new ArrayList<>();
            List<@Nullable Lane> delays = new ArrayList<>();
            for (int t = 0; t < group.threads(); t++) {
                SendLoop loop = new SendLoop(loads, group.producers().size(), side.messageCount(), side.batch(), counts != null,
                        Pacer.of(scenario.pacing(), threadCount, processors), scenario.realtime(), events, this::wakeReporter);
                groupLoops.add(loop);
                delays.add(loop.scheduled() ? recording.lane(Metric.SEND_DELAY, group.index()) : null);
            }
            List<Sender> groupSenders = new ArrayList<>();
            for (ProducerPlan p : group.producers()) {
                SendLoop loop = groupLoops.get(p.thread());
                long seed = seed(p.index());
                Crowd crowd = counts == null ? null : counted.get(counts.index());
                MessageSource source = crowd == null
                        ? group.stock().source(run, p.index(), p.stripe(), group.producers().size(), seed)
                        : MessageSource.counts(side.messages(), run, p.index(), () -> crowd.counted());
                Sender sender = new Sender(p, side, source, selections.of(group), plan.producerCount(), phaseCount, seed, loop, failures,
                        recording.lane(Metric.SEND, group.index()), delays.get(p.thread()));
                loop.add(sender);
                groupSenders.add(sender);
            }
            senders.addAll(groupSenders);
            loops.addAll(groupLoops);
            teams.add(new Team(group, groupSenders, groupLoops));
        }
    }

    /** The load of a group in each phase, the warm-up with that of the first. */
    private List<Load> loads(ProducerSide side, boolean always) {
        if (always || scenario.phases().isEmpty()) {
            return List.of(side.load());
        }
        List<Load> loads = new ArrayList<>();
        if (warmups > 0) {
            loads.add(scenario.phases().getFirst().loadOf(side));
        }
        scenario.phases().forEach(phase -> loads.add(phase.loadOf(side)));
        return loads;
    }

    /** A seed of its own for each producer, consumer and purpose. */
    private long seed(int number) {
        return scenario.seed() + 0x9E3779B97F4A7C15L * (number + 1);
    }

    private void prepareReceivers(long run) {
        long[] delays = deliveryDelays();
        AtomicLong order = HighestSeen.room();
        for (ConsumerGroup group : plan.consumers()) {
            if (group.requesters() != null) {
                continue;
            }
            List<Receiver> groupReceivers = new ArrayList<>();
            List<Replier> groupRepliers = new ArrayList<>();
            for (ConsumerPlan c : group.consumers()) {
                Replier replier = group.side().replies() ? new Replier(run, events, failures) : null;
                if (replier != null) {
                    groupRepliers.add(replier);
                }
                Lane late = delays.length == 0 ? null : recording.lane(Metric.LATE_DELIVERY, group.index());
                groupReceivers.add(new Receiver(c, group.side(), books.subscription(c),
                        recording.lane(Metric.TRANSFER, group.index()), recording.lane(Metric.RESPONSE, group.index()), late,
                        delays, phaseCount, seed(1_000_000 + c.index()), replier, books.quota(group), order, events, failures));
            }
            receivers.addAll(groupReceivers);
            repliers.addAll(groupRepliers);
            crowds.add(new Crowd(group, groupReceivers, groupRepliers));
        }
    }

    /** By number of the producer, in nanoseconds; empty when none asks for a delayed delivery. */
    private long[] deliveryDelays() {
        long[] delays = new long[plan.producerCount()];
        for (ProducerGroup group : plan.producers()) {
            group.producers().forEach(p -> delays[p.index()] = group.side().messages().deliveryDelay().toNanos());
        }
        return Arrays.stream(delays).anyMatch(delay -> delay > 0) ? delays : new long[0];
    }

    private void prepareReplies(long run) {
        for (ConsumerGroup group : plan.consumers()) {
            ProducerGroup requesters = group.requesters();
            if (requesters == null) {
                continue;
            }
            for (int i = 0; i < group.consumers().size(); i++) {
                int number = requesters.producers().get(i).index();
                Sender requester = senders.stream().filter(s -> s.plan.index() == number).findFirst().orElseThrow();
                replyReceivers.add(new ReplyReceiver(group.consumers().get(i), requester, run,
                        recording.lane(Metric.ROUND_TRIP, requesters.index()), recording.lane(Metric.RESPONSE, requesters.index()),
                        events, failures));
            }
        }
    }

    private void open() throws RunFailure {
        links.connect();
        links.declare();
        books.askBefore(links);
        if (!scenario.sends()) {
            begin(EpochClock.nanos());
        }
        for (ConsumerGroup group : plan.consumers()) {
            if (group.requesters() != null) {
                for (ReplyReceiver receiver : replyReceivers) {
                    if (group.consumers().contains(receiver.plan)) {
                        listen(links.open(receiver.plan, group, receiver), receiver.plan, receiver);
                    }
                }
            }
        }
        for (Crowd crowd : crowds) {
            for (int i = 0; i < crowd.repliers.size(); i++) {
                links.open(crowd.repliers.get(i), crowd.group.consumers().get(i), crowd.group);
            }
            if (crowd.group.side().start().isWithRun()) {
                openReceivers(crowd);
            } else if (crowd.group.side().durable()) {
                // A durable subscription gets what is sent before its consumers come, once the broker knows it.
                for (Receiver receiver : crowd.receivers) {
                    links.makeKnown(receiver.plan, crowd.group, receiver);
                }
            }
        }
        for (Team team : teams) {
            for (Sender sender : team.senders) {
                links.open(sender, team.group);
            }
        }
    }

    /** Fixes the run's start, from which every moment of it follows. */
    private void begin(long startNanos) {
        start = startNanos;
        intervalBegan = startNanos;
        nextInterval = Spans.nextInterval(start, scenario.limits().interval().toNanos(), start);
        Duration warmup = scenario.limits().warmup();
        long[] ends = new long[phaseCount - 1];
        long[] starts = new long[phaseCount];
        starts[0] = start;
        for (int phase = 0; phase < phaseCount; phase++) {
            Duration length = phase < warmups ? warmup
                    : scenario.phases().isEmpty() ? null : scenario.phases().get(phase - warmups).length();
            if (phase < ends.length) {
                ends[phase] = starts[phase] + (length == null ? 0 : length.toNanos());
                starts[phase + 1] = ends[phase];
            } else if (length != null && !scenario.phases().isEmpty()) {
                loadEnd = starts[phase] + length.toNanos();
            }
        }
        Duration duration = scenario.limits().duration();
        if (!duration.isZero()) {
            loadEnd = start + duration.toNanos();
        }
        phaseTimes = PhaseTimes.of(warmups > 0, ends);
        phaseBegins = starts;
        phaseEnds = Arrays.copyOf(ends, phaseCount);
        phaseEnds[phaseCount - 1] = loadEnd;
        senders.forEach(sender -> sender.begin(phaseTimes));
        receivers.forEach(receiver -> receiver.begin(phaseTimes));
        replyReceivers.forEach(receiver -> receiver.begin(phaseTimes));
        for (Team team : teams) {
            boolean staged = !scenario.phases().isEmpty() && team.group.counts() == null;
            long delay = team.group.side().start().delay().toNanos();
            List<SendLoop.Span> spans = new ArrayList<>();
            for (int phase = 0; phase < (staged ? phaseCount : 1); phase++) {
                long until = staged && phase < ends.length ? ends[phase] : loadEnd;
                spans.add(new SendLoop.Span(Math.max(staged ? starts[phase] : start, start + delay), until));
            }
            team.loops.forEach(loop -> loop.schedule(spans));
        }
    }

    private long end() {
        return loadEnd;
    }

    private void openReceivers(Crowd crowd) throws RunFailure {
        crowdsOpen++;
        for (Receiver receiver : crowd.receivers) {
            listen(links.open(receiver.plan, crowd.group, receiver), receiver.plan, receiver);
            books.opened(receiver.plan, senders);
        }
    }

    private void listen(Consumer consumer, ConsumerPlan c, DeliveryListener listener) {
        if (consumer.needsPolling()) {
            pollers.add(Thread.ofPlatform().daemon().name("brokermeter-consumer-" + c.index())
                    .start(() -> poll(consumer, listener)));
        }
    }

    private void poll(Consumer consumer, DeliveryListener receiver) {
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
        startSending(health);
        depths.start();
        List<Crowd> late = new ArrayList<>(crowds.stream().filter(crowd -> !crowd.group.side().start().isWithRun()
                && !crowd.group.side().start().afterProducers()).toList());
        while (!ended()) {
            long now = EpochClock.nanos();
            report(health, now);
            openThoseDue(late, start);
            waitForNews(Math.min(Math.min(nextDue(late, start), measuringBegun ? NO_END : measuredFrom()),
                    scenario.sends() ? NO_END : end()));
        }
        loadEnded = EpochClock.nanos();
        // Those that publish counts go on in any case, and have nothing to say about it.
        cutShort = !teams.stream().filter(team -> team.group.counts() == null)
                .allMatch(team -> team.loops.stream().allMatch(SendLoop::finished));
        // From here on a stop means that nobody waits for what is still to come.
        draining = true;
        teams.stream().filter(team -> team.group.counts() == null).forEach(team -> team.loops.forEach(SendLoop::stop));
        joinSenders(false);
        if (crowds.stream().noneMatch(crowd -> crowd.group.side().start().afterProducers())) {
            // Draining belongs to no figure. Consumers that come after the producers do their work in it.
            endMeasuring(health);
        }
        long sendingEnded = teams.stream().filter(team -> team.group.counts() == null)
                .mapToLong(team -> sendingEnd(team.loops)).max().orElse(EpochClock.nanos());
        if (!aborted) {
            startLateConsumers(health);
            drain(health);
        }
        // Counts go on being published until everything that is counted has come; their last word is still to be delivered.
        teams.forEach(team -> team.loops.forEach(SendLoop::stop));
        joinSenders(true);
        if (!aborted && teams.stream().anyMatch(team -> team.group.counts() != null)) {
            drain(health);
        }
        endMeasuring(health);
        brokerFigures = endWatching();
        Health figures = judge(health);
        long finished = lookForMore(EpochClock.nanos());
        for (String trouble : closeWithin(isEndedEarly() ? CLOSE_SOON : silent ? CLOSE_SILENT_WITHIN : CLOSE_WITHIN, !connectionLost)) {
            events.notice(trouble);
            causes.add(trouble);
        }
        // What is still in a send or commit now has nothing left to break.
        threads.stream().filter(Thread::isAlive).forEach(Thread::interrupt);
        tellOddities();
        lastInterval();
        Spans spans = spans(sendingEnded);
        RunResult result = result(figures, finished, spans);
        try {
            observer.finished(result);
        } catch (Exception e) {
            causes.add("A report could not be finished: " + Failures.sentence(e));
            result = result(figures, finished, spans);
        }
        return result;
    }

    /**
     * Starts the sending threads and waits until each of them has done what it does only once, then fixes the start of the run: none of that
     * may make the first messages late.
     */
    private void startSending(HealthMonitor health) {
        for (int t = 0; t < loops.size(); t++) {
            threads.add(Thread.ofPlatform().daemon().name("brokermeter-sender-" + t).start(loops.get(t)));
        }
        long limit = EpochClock.nanos() + READY_WITHIN;
        while (!loops.stream().allMatch(SendLoop::ready) && EpochClock.nanos() < limit) {
            LockSupport.parkNanos(1_000_000);
        }
        if (warmups == 0) {
            beginMeasuring(health);
        }
        if (scenario.sends()) {
            begin(EpochClock.nanos() + LEAD);
        }
    }

    private long measuredFrom() {
        return start + scenario.limits().warmup().toNanos();
    }

    /**
     * Waits until nothing has come for a moment: duplicates follow the last delivery that was due.
     *
     * @return the last moment of the run: {@code drained}, or later when more came
     */
    private long lookForMore(long drained) {
        if (!scenario.sends() || receivers.isEmpty() || bare() || isEndedEarly() || connectionLost || books.quotasAreUsedUp()) {
            return drained;
        }
        long began = sum(receivers, r -> r.received.get());
        long seen = began;
        long movedAt = drained;
        long now = drained;
        while (now - movedAt < LOOK_FOR_MORE && now - drained < LOOK_AT_MOST && !isEndedEarly() && !events.fatal) {
            LockSupport.parkNanos(5_000_000);
            now = EpochClock.nanos();
            long received = sum(receivers, r -> r.received.get());
            if (received != seen) {
                seen = received;
                movedAt = now;
            }
        }
        return seen == began ? drained : now;
    }

    /** The measured part begins for what is read of CPUs; the counts that belong to the readings are taken with them. */
    private void beginMeasuring(HealthMonitor health) {
        measuringBegun = true;
        health.begin();
        if (watch != null) {
            watch.begin();
        }
        costFrom = counts();
        costFromNanos = EpochClock.nanos();
        depths.begin();
    }

    /** The measured part ends for what is read of CPUs, with the counts that belong to the readings; only the first call counts. */
    private void endMeasuring(HealthMonitor health) {
        if (measuringEnded) {
            return;
        }
        measuringEnded = true;
        health.freeze();
        costTo = counts();
        costToNanos = EpochClock.nanos();
        seenOfBroker = watch == null ? BrokerFigures.UNKNOWN : watch.end();
    }

    private static long sendingEnd(List<SendLoop> ofTeam) {
        return ofTeam.stream().mapToLong(loop -> loop.finished() ? loop.sendingEnd() : EpochClock.nanos()).max().orElse(0);
    }

    private Spans spans(long sendingEnded) {
        return new Spans(start, scenario.limits().warmup().toNanos(), !senders.isEmpty(), sendingEnded,
                crowds.stream().noneMatch(crowd -> crowd.group.side().start().isWithRun()), firstDelivery(receivers),
                lastDelivery(receivers));
    }

    private static long firstDelivery(List<Receiver> of) {
        return of.stream().mapToLong(Receiver::firstDelivery).filter(moment -> moment > 0).min().orElse(0);
    }

    private static long lastDelivery(List<Receiver> of) {
        return of.stream().mapToLong(Receiver::lastDelivery).max().orElse(0);
    }

    /** What was seen of the broker in the measured phase; null when nothing was. */
    private @Nullable BrokerFigures endWatching() {
        depths.close();
        BrokerFigures whole = seenOfBroker.withDepthMax(depths.most());
        return whole.equals(BrokerFigures.UNKNOWN) ? null : whole;
    }

    private @Nullable BrokerSample brokerSample() {
        BrokerSample seen = watch == null ? null : watch.sample();
        long waiting = depths.latest();
        return waiting < 0 ? seen : (seen == null ? BrokerSample.UNKNOWN : seen).withDepth(waiting);
    }

    private void openThoseDue(List<Crowd> waiting, long from) {
        long now = EpochClock.nanos();
        for (Crowd crowd : List.copyOf(waiting)) {
            if (now >= from + crowd.group.side().start().delay().toNanos()) {
                waiting.remove(crowd);
                try {
                    openReceivers(crowd);
                } catch (RunFailure e) {
                    events.fatal(String.valueOf(e.getMessage()), e);
                }
            }
        }
    }

    private static long nextDue(List<Crowd> waiting, long from) {
        return waiting.stream().mapToLong(crowd -> from + crowd.group.side().start().delay().toNanos()).min().orElse(NO_END);
    }

    /** Opens the consumers that waited for the end of the producers, and stays until the last of them is open. */
    private void startLateConsumers(HealthMonitor health) {
        List<Crowd> waiting = new ArrayList<>(
                crowds.stream().filter(crowd -> crowd.group.side().start().afterProducers()).toList());
        if (!waiting.isEmpty() && !stopping) {
            events.notice("The producers have ended; consumers start now");
        }
        long from = EpochClock.nanos();
        while (!waiting.isEmpty() && !stopping && !events.fatal) {
            openThoseDue(waiting, from);
            report(health, EpochClock.nanos());
            waitForNews(nextDue(waiting, from));
        }
    }

    private boolean ended() {
        if (stopping || events.fatal) {
            return true;
        }
        if (books.quotasAreUsedUp()) {
            return true;
        }
        if (!scenario.sends()) {
            return EpochClock.nanos() >= end();
        }
        return teams.stream().filter(team -> team.group.counts() == null)
                .allMatch(team -> team.loops.stream().allMatch(SendLoop::finished));
    }

    /** Sleeps until the next interval is over, something wakes this thread, or {@code deadline}. */
    private void waitForNews(long deadline) {
        long now = EpochClock.nanos();
        long next = Math.min(deadline, nextInterval);
        if (scenario.consumers().stream().anyMatch(side -> side.messageCount() > 0)) {
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

    /** Whether somebody ended the run at once, before draining was over. */
    private boolean isEndedEarly() {
        return drainStop || aborted;
    }

    /** Whether the run was ended before consumers came that were to take what was sent. */
    private boolean lacksConsumers() {
        return stopping && crowdsOpen < crowds.size();
    }

    /** Whether what is missing at the end may merely be late, since the run was ended before that could be told. */
    private boolean cannotTellLate() {
        return isEndedEarly() || lacksConsumers();
    }

    /**
     * Waits for the ends of the sending threads. None is interrupted: that would break its commit, or close its connection.
     *
     * @param all whether those that publish counts are to end as well
     */
    private void joinSenders(boolean all) {
        long began = EpochClock.nanos();
        long limit = Math.max(LAST_SEND_WITHIN, scenario.limits().drainTimeout().toNanos());
        Set<SendLoop> publishing = new HashSet<>();
        teams.stream().filter(team -> team.group.counts() != null).forEach(team -> publishing.addAll(team.loops));
        for (int t = 0; t < threads.size(); t++) {
            Thread thread = threads.get(t);
            if (!all && publishing.contains(loops.get(t))) {
                continue;
            }
            while (thread.isAlive() && EpochClock.nanos() - began < (isEndedEarly() ? CLOSE_SOON : limit)) {
                joinQuietly(thread, 20);
                report(null, EpochClock.nanos());
            }
            if (thread.isAlive() && !isEndedEarly()) {
                silent = true;
                causes.add(String.format(Locale.ROOT, "A send did not return within %d s%s", limit / 1_000_000_000L, because()));
            }
        }
    }

    /**
     * Waits for confirmations and deliveries that are still due, within the limit. It counts from the end of the sends; of
     * consumers that began only then, from their last delivery, since a backlog takes as long as it takes.
     */
    private void drain(HealthMonitor health) {
        long limit = scenario.limits().drainTimeout().toNanos();
        boolean backlog = crowds.stream().anyMatch(crowd -> crowd.group.side().start().afterProducers());
        // A send that never returned has used up the limit.
        long began = silent ? loadEnded : EpochClock.nanos();
        long progressAt = began;
        long before = -1;
        long receivedBefore = -1;
        long arrivedAt = Long.MIN_VALUE;
        boolean drained = false;
        while (!(drained = isDrained()) && !aborted && !drainStop) {
            long now = EpochClock.nanos();
            long received = sum(receivers, r -> r.received.get());
            long progress = sum(senders, s -> s.completed.get() + s.failed.get() + s.givenUp.get()) + received
                    + sum(replyReceivers, r -> r.received.get());
            if (receivedBefore >= 0 && received != receivedBefore) {
                arrivedAt = now;
            }
            receivedBefore = received;
            if (progress != before) {
                before = progress;
                progressAt = now;
            }
            if (now - (backlog ? progressAt : began) >= limit || connectionLost && now - progressAt > DRAIN_WITHOUT_CONNECTION) {
                break;
            }
            report(health, now);
            // Looking costs with the number of producers and subscriptions.
            LockSupport.parkNanos(Math.clamp(10 * lookTook, 2_000_000, 200_000_000));
        }
        silent |= !drained && EpochClock.nanos() - progressAt >= Math.min(limit, CLOSE_SILENT_WITHIN);
        deliveriesStillArriving = !drained && arrivedAt > EpochClock.nanos() - Math.min(500_000_000L, limit / 2);
    }

    private boolean isDrained() {
        lookTook = 0;
        long now = EpochClock.nanos();
        // A request may wait for its own time at most, and nobody sends any more who would notice that this is over.
        teams.stream().filter(team -> team.loops.stream().allMatch(SendLoop::finished))
                .forEach(team -> team.senders.forEach(sender -> sender.expireRequests(now)));
        if (sum(senders, Sender::pending) > 0 || sum(senders, Sender::unreplied) > 0) {
            return false;
        }
        if (!scenario.sends() || receivers.isEmpty() || bare() || lacksConsumers()) {
            return true;
        }
        long began = System.nanoTime();
        boolean none = books.outstanding(senders) == 0;
        lookTook = System.nanoTime() - began;
        return none;
    }

    /** Whether nothing that is sent has an envelope. */
    private boolean bare() {
        return scenario.sends() && scenario.producers().stream().allMatch(side -> side.messages().bare());
    }

    private Health judge(HealthMonitor health) {
        Histogram late = new Histogram(1, 60_000_000_000L, 2);
        long ended = Math.min(loadEnded, end());
        boolean scheduled = false;
        long due = 0;
        long owed = 0;
        double asked = 0;
        double full = 0;
        double resting = 0;
        double working = 0;
        String slackRefused = "";
        for (Team team : teams) {
            long teamDue = 0;
            long length = 1;
            for (SendLoop loop : team.group.counts() == null ? team.loops : List.<SendLoop>of()) {
                slackRefused = loop.slackRefused();
                if (loop.finished() && loop.scheduled()) {
                    scheduled = true;
                    late.add(loop.lateness());
                    SendLoop.Kept kept = loop.kept(loadEnded, cutShort);
                    teamDue += kept.due();
                    owed += kept.late();
                    length = Math.max(length, kept.length());
                    full += loop.windowWait();
                    resting += loop.restWait();
                    working += Math.max(1, ended - start);
                }
            }
            due += teamDue;
            // What is published of counts is no part of the schedule that is judged.
            asked += team.group.counts() != null ? 0 : scenario.phases().isEmpty() && team.group.side().load() instanceof Load.Constant constant
                    ? constant.rate().perSecond() : teamDue * 1e9 / length;
        }
        long measured = costMessages();
        // The judgement needs all samples, and what is taken from the lanes must reach the reports too.
        lastInterval();
        Metric believed = total(Metric.RESPONSE).count() > 0 ? Metric.RESPONSE : Metric.SEND;
        return health.judge(new LoadFigures(measured, due == 0 ? Schedule.NONE : new Schedule(due, owed, asked),
                working > 0 ? full / working : 0, working > 0 ? resting / working : 0, late, total(Metric.SEND_DELAY).histogram(),
                total(believed).histogram(), cold.get(believed), scheduled ? 0 : sum(senders, Sender::window),
                brokerFigures == null ? Double.NaN : brokerFigures.cpuSeconds(), scenario.pacing() != Pacing.PARK, slackRefused));
    }

    private long costMessages() {
        return senders.isEmpty() ? costTo.received - costFrom.received : costTo.sent - costFrom.sent;
    }

    private <T> long inMeasuredPhases(List<T> all, Function<T, Counter[]> counters) {
        long sum = 0;
        for (int phase = warmups; phase < phaseCount; phase++) {
            sum += inPhase(all, counters, phase);
        }
        return sum;
    }

    private static <T> long inPhase(List<T> all, Function<T, Counter[]> counters, int phase) {
        return sum(all, one -> counters.apply(one)[phase].get());
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
        if (health != null && !measuringBegun && now >= measuredFrom()) {
            beginMeasuring(health);
        }
        if (now < nextInterval) {
            return;
        }
        if (health != null) {
            health.tick();
        }
        // A reporter that was held up reports one long interval, not several that never were.
        long ended = EpochClock.nanos();
        Counts counts = counts();
        recording.drain();
        if (warmups == 0 && ended - start <= HealthMonitor.COLD_SECONDS * 1_000_000_000L + scenario.limits().interval().toNanos() / 2) {
            recording.measured().forEach((metric, samples) -> cold
                    .computeIfAbsent(metric, m -> new Histogram(1, Lane.HIGHEST, 3)).add(samples.histogram()));
        }
        emit(counts, ended);
        nextInterval = Spans.nextInterval(start, scenario.limits().interval().toNanos(), ended);
        watchProgress(now);
    }

    /** What is left since the last interval, if there is anything. */
    private void lastInterval() {
        deliverEvents();
        long ended = EpochClock.nanos();
        Counts counts = counts();
        recording.drain();
        boolean samples = recording.measured().values().stream().anyMatch(d -> d.count() > 0)
                || recording.warmup().values().stream().anyMatch(d -> d.count() > 0);
        if (samples || !counts.equals(counted)) {
            emit(counts, Math.max(ended, intervalBegan + 1));
        }
    }

    /** Hands out an interval whose counts were read at its end. */
    private void emit(Counts now, long ended) {
        boolean warm = intervalBegan - start < scenario.limits().warmup().toNanos();
        Interval interval = new Interval(intervals++, warm, intervalBegan, ended, ended - start, now.sent - counted.sent,
                now.blocked - counted.blocked, now.completed - counted.completed, now.failed - counted.failed,
                now.received - counted.received, recording.measured(), recording.warmup(), phaseName(intervalBegan),
                brokerSample());
        counted = now;
        intervalBegan = ended;
        tell(() -> observer.interval(interval));
    }

    private String phaseName(long moment) {
        int phase = phaseTimes.at(moment) - warmups;
        return scenario.phases().isEmpty() ? "" : phase < 0 ? "warmup" : scenario.phases().get(phase).name();
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
        if (watch != null) {
            watch.notices().forEach(events::notice);
            watch.unseen().forEach(sentence -> events.add(Event.Kind.UNSEEN, sentence));
        }
        Event event;
        while ((event = events.queue.poll()) != null) {
            Event e = event;
            tell(() -> observer.event(e));
        }
    }

    /** Says when sends or deliveries that are due stand still, and ends a run that stands still for good. */
    private void watchProgress(long now) {
        long pending = sum(senders, Sender::awaited);
        if (!senders.isEmpty()) {
            long settled = counted.completed + counted.failed;
            boolean due = pending > 0 || !loops.stream().allMatch(loop -> loop.idle(now));
            sendProgress.look(now, settled + counted.sent, due);
            if (sendProgress.stalled(now)) {
                events.add(Event.Kind.STALL, String.format(Locale.ROOT, "no progress for %d s: %,d sends are unconfirmed on %s%s",
                        sendProgress.seconds(now), pending, url(true), because()));
            }
        }
        if (!receivers.isEmpty()) {
            // Looking takes time and memory with the number of producers and subscriptions, so only when nothing has come.
            boolean due = !scenario.sends() || counted.received != receiveProgress.count
                    || crowdsOpen == crowds.size() && books.outstanding(senders) > 0;
            receiveProgress.look(now, counted.received, due);
            if (receiveProgress.stalled(now)) {
                events.add(Event.Kind.STALL, !scenario.sends()
                        ? String.format(Locale.ROOT, "no message has arrived for %d s on %s", receiveProgress.seconds(now),
                                url(false))
                        : String.format(Locale.ROOT, "no progress for %d s: %,d messages that were confirmed are not delivered on %s",
                                receiveProgress.seconds(now), books.outstanding(senders), url(false)));
            }
        }
        if (!senders.isEmpty() && pending > 0 && now - sendProgress.movedAt > GIVE_UP_AFTER) {
            events.fatal(String.format(Locale.ROOT, "No progress for %d s: %,d sends are unconfirmed on %s%s", GIVE_UP_AFTER / 1_000_000_000L,
                    pending, url(true), because()), new IllegalStateException("stalled"));
        }
    }

    private String because() {
        String reason = links.stallReason();
        return reason.isEmpty() ? "" : ", " + reason;
    }

    /** Where the first group of a kind goes, for messages. */
    private String url(boolean producing) {
        if (producing && !plan.producers().isEmpty() || plan.consumers().isEmpty()) {
            ProducerGroup group = plan.producers().getFirst();
            return group.driver().effectiveUrl(group.side().endpoint().settings());
        }
        ConsumerGroup group = plan.consumers().getFirst();
        return group.driver().effectiveUrl(group.side().endpoint().settings());
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

    /**
     * Closes all links on a thread of its own, so that a client that hangs cannot hold up the summary.
     *
     * @param limit how long one link may take, and all together as well, where that is not longer than {@link #CLOSE_WITHIN}
     */
    private List<String> closeWithin(long limit, boolean remove) {
        List<String> troubles = new ArrayList<>();
        pollersStop = true;
        events.closing = true;
        long pollersEnd = EpochClock.nanos() + CLOSE_SOON;
        for (Thread poller : pollers) {
            joinQuietly(poller, (pollersEnd - EpochClock.nanos()) / 1_000_000);
        }
        Thread closer = Thread.ofPlatform().daemon().name("brokermeter-close").start(() -> {
            List<String> found = links.close(remove, () -> {
                if (remove && scenario.sends() && !isEndedEarly()) {
                    books.askBroker(links, senders);
                }
            });
            synchronized (troubles) {
                troubles.addAll(found);
            }
        });
        long began = EpochClock.nanos();
        long movedAt = began;
        int steps = links.stepsOfClosing();
        while (closer.isAlive()) {
            joinQuietly(closer, 20);
            long now = EpochClock.nanos();
            if (links.stepsOfClosing() != steps) {
                steps = links.stepsOfClosing();
                movedAt = now;
            }
            long patience = isEndedEarly() ? CLOSE_SOON : limit;
            if (now - movedAt >= patience || now - began >= (isEndedEarly() ? CLOSE_SILENT_WITHIN : CLOSE_WITHIN)) {
                break;
            }
        }
        synchronized (troubles) {
            List<String> all = new ArrayList<>(troubles);
            if (closer.isAlive() && !isEndedEarly()) {
                all.add(String.format(Locale.ROOT, "The connections did not close within %d s",
                        Math.max(1, (EpochClock.nanos() - began) / 1_000_000_000L)));
            }
            return connectionLost ? List.of() : all;
        }
    }

    private RunResult result(Health figures, long finished, Spans spans) {
        long sent = sum(senders, s -> s.sent.get());
        long completed = sum(senders, s -> s.completed.get());
        long failed = sum(senders, s -> s.failed.get());
        long unconfirmed = sum(senders, Sender::unconfirmed);
        LedgerReport ledger = books();
        List<String> all = new ArrayList<>(causes);
        all.addAll(0, events.fatalSentences());
        judgeTotals(all, unconfirmed, failed, ledger);
        if (figures.schedule().failed() && events.fatalSentences().isEmpty()) {
            all.add("The asked rate was missed by more than half: the run reached " + figures.schedule().text());
        }
        Map<String, String> versions = new LinkedHashMap<>();
        String tool = Run.class.getPackage().getImplementationVersion();
        versions.put("tool", tool == null ? "development" : tool);
        versions.put("java", Runtime.version().toString());
        String producing = String.join(" and ", links.clients(true));
        String consuming = String.join(" and ", links.clients(false));
        if (!producing.isEmpty()) {
            versions.put("producer client", producing);
        }
        if (!consuming.isEmpty()) {
            versions.put("consumer client", consuming);
        }
        if (!links.broker().isEmpty()) {
            versions.put("broker", links.broker());
        }
        return new RunResult(all, signal, !cannotTellLate(), EpochClock.instant(start), Duration.ofNanos(Math.max(0, finished - start)),
                Duration.ofNanos(Math.round(spans.sending() * 1e9)), sent, sum(senders, s -> s.blocked.get()), completed, failed,
                unconfirmed, sum(receivers, r -> r.received.get()), ledger, recording.total(),
                new MeasuredPart(spans.measuredSending(), inMeasuredPhases(senders, s -> s.sentInPhase),
                        inMeasuredPhases(receivers, r -> r.receivedInPhase), spans.measuredReceiving(), costMessages(),
                        (costToNanos - costFromNanos) / 1e9, recording.overdue(Metric.SEND_DELAY), recording.overdue(Metric.RESPONSE),
                        recording.taken()), reconnects.get(), plan.confirms(), failures.counts(), sum(senders, s -> s.rolledBack.get()),
                sum(receivers, r -> r.requeued.get()), sum(receivers, r -> r.rejected.get()),
                sum(senders, Sender::unanswered), spans.receiving(), groupResults(spans),
                phaseResults(spans), brokerFigures, figures, versions);
    }

    private List<GroupResult> groupResults(Spans spans) {
        List<GroupResult> results = new ArrayList<>();
        for (Team team : teams) {
            ProducerGroup group = team.group;
            long replies = group.side().request() == null ? 0 : sum(replyReceivers.stream()
                    .filter(reply -> group.producers().stream().anyMatch(p -> Plan.replies(p).equals(reply.plan.destination())))
                    .toList(), reply -> reply.received.get());
            results.add(new GroupResult(group.side().name(), true, group.driver().protocol(), sum(team.senders, s -> s.sent.get()),
                    sum(team.senders, s -> s.completed.get()), sum(team.senders, s -> s.failed.get()), replies,
                    spans.group(group.side().start().delay().toNanos(), sendingEnd(team.loops)), recording.group(group.index())));
        }
        for (Crowd crowd : crowds) {
            results.add(new GroupResult(crowd.group.side().name(), false, crowd.group.driver().protocol(),
                    sum(crowd.repliers, replier -> replier.sent.get()), 0, 0, sum(crowd.receivers, r -> r.received.get()),
                    Spans.receiving(firstDelivery(crowd.receivers), lastDelivery(crowd.receivers)), recording.group(crowd.group.index())));
        }
        return results;
    }

    private List<PhaseResult> phaseResults(Spans spans) {
        List<PhaseResult> results = new ArrayList<>();
        for (int i = 0; i < scenario.phases().size(); i++) {
            int phase = i + warmups;
            Phase asked = scenario.phases().get(i);
            results.add(new PhaseResult(asked.name(),
                    spans.phase(phaseBegins[phase], phaseEnds[phase], phase == phaseCount - 1),
                    inPhase(senders, s -> s.sentInPhase, phase), inPhase(receivers, r -> r.receivedInPhase, phase),
                    recording.phase(phase)));
        }
        return results;
    }

    private @Nullable LedgerReport books() {
        return receivers.isEmpty() || bare() ? null : books.close(senders, receivers);
    }

    /** What does not fail a run and still changes how its numbers must be read. */
    private void tellOddities() {
        long otherClock = sum(receivers, r -> r.otherClock.get());
        if (otherClock > 0) {
            events.notice(String.format(Locale.ROOT, "%,d messages carry another clock, that of another machine or from before the "
                    + "wall clock was set: their transfer and response times include the difference of the clocks", otherClock));
        }
        long orderUnknown = sum(receivers, Receiver::orderUnknown);
        if (orderUnknown > 0) {
            events.notice(String.format(Locale.ROOT, "the order of %,d messages was not followed, since there are too many pairs of a "
                    + "producer and a consumer for the memory: give more with JAVA_ARGS=-Xmx4g or so", orderUnknown));
        }
        long unknown = sum(receivers, r -> r.unknownSendTime.get());
        if (unknown > 0) {
            events.notice(String.format(Locale.ROOT, "%,d messages were sent more than 429 s late, so they have a response time and no "
                    + "transfer time", unknown));
        }
        Distribution transfers = recording.total().get(Metric.TRANSFER);
        if (transfers != null && transfers.negative() > 0) {
            events.notice(String.format(Locale.ROOT, "%,d transfer times came out below zero and are left out: the sender's clock is ahead "
                    + "of the receiver's", transfers.negative()));
        }
        long unconfirmed = sum(senders, Sender::unconfirmed);
        if (cannotTellLate() && unconfirmed > 0) {
            events.notice(String.format(Locale.ROOT, "Ended before draining was over: %,d sends were not confirmed yet", unconfirmed));
        }
        LedgerReport ledger = books();
        if (ledger == null) {
            return;
        }
        if (ledger.beforeSubscription() > 0) {
            events.notice(String.format(Locale.ROOT, "%,d messages were sent before the subscription to their topic began, and were not due",
                    ledger.beforeSubscription()));
        }
        if (cannotTellLate()) {
            long late = ledger.lost() + ledger.left() + ledger.undelivered();
            if (scenario.sends() && late > 0) {
                events.notice(String.format(Locale.ROOT, "Ended before draining was over: %,d messages that were %s had not been delivered yet",
                        late, plan.confirms() ? "confirmed" : "sent"));
            }
        } else if (scenario.sends() && scenario.limits().allowLoss()) {
            undelivered(ledger).forEach(sentence -> events.notice(sentence + ", which --allow-loss permits"));
        }
        if (!scenario.sends() && ledger.lost() > 0) {
            events.notice(String.format(Locale.ROOT, "%,d messages are missing between the first and the last of their producers: lost, "
                    + "or taken by another consumer", ledger.lost()));
        }
    }

    /** What was due and did not come in a run that sends: lost, left in the broker, or one of the two. */
    private List<String> undelivered(LedgerReport ledger) {
        List<String> sentences = new ArrayList<>();
        String taken = plan.confirms() ? "confirmed" : "sent";
        String waited = "within --drain-timeout " + seconds(scenario.limits().drainTimeout());
        if (ledger.lost() > 0) {
            sentences.add(String.format(Locale.ROOT, "%,d messages were lost: %s, not delivered %s, and no longer in the broker",
                    ledger.lost(), taken, waited));
        }
        if (ledger.left() > 0) {
            sentences.add(String.format(Locale.ROOT, "%,d messages were left in the broker: consumers did not get them %s; raise it, or "
                    + "send less", ledger.left(), waited));
        }
        if (ledger.undelivered() > 0) {
            sentences.add(String.format(Locale.ROOT, "%,d messages were %s and not delivered %s; whether the broker still has them "
                    + "is not known%s: raise it to tell late from lost", ledger.undelivered(), taken, waited,
                    deliveriesStillArriving ? ", and deliveries were still arriving" : ""));
        }
        return sentences;
    }

    private void judgeTotals(List<String> all, long unconfirmed, long failed, @Nullable LedgerReport ledger) {
        if (failed > 0) {
            StringBuilder why = new StringBuilder();
            failures.counts().forEach((cause, times) ->
                    why.append(why.isEmpty() ? "" : "; ").append(cause).append(" (").append(times).append(" times)"));
            all.add(String.format(Locale.ROOT, "%,d sends failed: %s", failed, why));
        }
        if (unconfirmed > 0 && !cannotTellLate()) {
            long delivered = ledger == null ? 0 : ledger.unconfirmedDelivered();
            all.add(String.format(Locale.ROOT, "%,d sends were never confirmed: the broker may or may not have them%s", unconfirmed,
                    delivered == 0 ? "" : String.format(Locale.ROOT, "; %,d of them were delivered all the same", delivered)));
        }
        long unanswered = sum(senders, Sender::unanswered) - (cannotTellLate() ? sum(senders, Sender::unreplied) : 0);
        if (unanswered > 0) {
            all.add(String.format(Locale.ROOT, "%,d requests got no reply in time", unanswered));
        }
        long returned = ledger == null ? 0 : ledger.rolledBackDelivered();
        if (returned > 0) {
            all.add(String.format(Locale.ROOT, "%,d messages were delivered although they had been rolled back", returned));
        }
        long stray = sum(senders, s -> s.strayConfirmations.get());
        if (stray > 0) {
            all.add(String.format(Locale.ROOT, "%,d confirmations came for messages that were not in flight", stray));
        }
        if (signal == 0 && !events.fatal && !isEndedEarly()) {
            all.addAll(books.tooFew(scenario.limits().duration().isZero() ? ""
                    : " within --duration " + seconds(scenario.limits().duration())));
        }
        if (ledger == null) {
            return;
        }
        if (ledger.failedDelivered() > 0) {
            all.add(String.format(Locale.ROOT, "%,d messages were delivered although their sending had failed", ledger.failedDelivered()));
        }
        if (ledger.unselected() > 0) {
            all.add(String.format(Locale.ROOT, "%,d messages were delivered although they do not meet the selector", ledger.unselected()));
        }
        if (ledger.corrupt() > 0) {
            all.add(String.format(Locale.ROOT, "%,d messages arrived with a changed body", ledger.corrupt()));
        }
        if (scenario.sends() && !scenario.limits().allowLoss() && !cannotTellLate()) {
            all.addAll(undelivered(ledger));
        }
        if (!ledger.closes()) {
            all.add("The ledger does not close: expected " + ledger.expected() + ", received " + ledger.received()
                    + ", duplicates " + ledger.duplicates() + ", lost " + ledger.lost() + ", left " + ledger.left());
        }
    }

    private static String seconds(Duration duration) {
        return BigDecimal.valueOf(duration.toMillis(), 3).stripTrailingZeros().toPlainString() + " s";
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
