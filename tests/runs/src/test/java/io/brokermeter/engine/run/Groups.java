package io.brokermeter.engine.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.brokermeter.driver.loopback.LoopbackDriver;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.GroupResult;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.faults.FaultActor;
import io.brokermeter.engine.run.parts.RunShare;
import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Pacing;
import io.brokermeter.engine.scenario.Phase;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.RequestReply;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Start;
import io.brokermeter.engine.scenario.Summarizer;
import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.TimeLaw;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.engine.scenario.message.Sizes;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * A run of several groups over the loopback broker, on a {@link VirtualClock}; each group is described by what differs from the defaults.
 */
public final class Groups {

    private static final AtomicInteger NAMES = new AtomicInteger();

    final List<ProducerGroupSpec> producers = new ArrayList<>();
    final List<ConsumerGroupSpec> consumers = new ArrayList<>();
    final List<Phase> phases = new ArrayList<>();
    final List<Threshold> thresholds = new ArrayList<>();
    final List<Event> events = java.util.Collections.synchronizedList(new ArrayList<>());
    final List<String> intervalPhases = java.util.Collections.synchronizedList(new ArrayList<>());
    final List<Fault> faults = new ArrayList<>();
    /** Makes the faults; null where there are none. */
    @Nullable FaultActor actor;
    Duration warmup = Duration.ZERO;
    public Duration duration = Duration.ZERO;
    public Duration drain = Duration.ofSeconds(5);
    public final VirtualClock clock = new VirtualClock();
    @Nullable Run run;
    @Nullable Consumer<Event> onEvent;
    @Nullable Consumer<Interval> onInterval;
    private final Endpoint endpoint;

    public Groups() {
        this("");
    }

    public Groups(String knobs) {
        endpoint = new Endpoint("LOOPBACK", new ConnectionSettings("loopback://g" + NAMES.incrementAndGet()
            + (knobs.isEmpty() ? "" : "?" + knobs), null, null, null, Duration.ofSeconds(5)));
    }

    String url() {
        return endpoint.settings().url();
    }

    public static final class P {
        String name;
        String[] to = {"queue://Q"};
        int count = 1;
        public int maxPending = 1000;
        public Load load = new Load.AllOut();
        int batch = 1;
        TimeLaw think = TimeLaw.NONE;
        Start start = Start.AT_ONCE;
        long messages;
        Messages message = Messages.ofSize(64);
        int commitInterval;
        double rollback;
        @Nullable RequestReply request;

        P(String name) {
            this.name = name;
        }
    }

    public static final class C {
        String name;
        String[] from = {"queue://Q"};
        int count = 1;
        public TimeLaw processing = TimeLaw.NONE;
        double requeue;
        double reject;
        Start start = Start.AT_ONCE;
        long messages;
        @Nullable Rate rate;
        boolean polling;
        boolean durable;
        boolean replies;
        @Nullable Summarizer summarizer;

        C(String name) {
            this.name = name;
        }
    }

    public Groups producers(String name, Consumer<P> changes) {
        P p = new P(name);
        changes.accept(p);
        producers.add(ProducerGroupSpec.plain(endpoint, destinations(p.to), p.maxPending, p.message).with(its -> {
            its.name = p.name;
            its.perDestination = p.count;
            its.load = p.load;
            its.batch = p.batch;
            its.thinkTime = p.think;
            its.start = p.start;
            its.messageCount = p.messages;
            its.commitInterval = p.commitInterval;
            its.rollbackShare = p.rollback;
            its.request = p.request;
        }));
        return this;
    }

    public Groups consumers(String name, Consumer<C> changes) {
        C c = new C(name);
        changes.accept(c);
        consumers.add(ConsumerGroupSpec.plain(endpoint.settings().clientId() == null && c.durable
            ? new Endpoint("LOOPBACK", endpoint.settings().withClientId("client")) : endpoint, destinations(c.from)).with(its -> {
                its.name = c.name;
                its.perDestination = c.count;
                its.durable = c.durable;
                its.rate = c.rate;
                its.polling = c.polling;
                its.processing = c.processing;
                its.requeueShare = c.requeue;
                its.rejectShare = c.reject;
                its.start = c.start;
                its.messageCount = c.messages;
                its.replies = c.replies;
                its.summarizer = c.summarizer;
            }));
        return this;
    }

    Groups phase(Phase phase) {
        phases.add(phase);
        return this;
    }

    Groups threshold(String text) {
        thresholds.add(Threshold.parse(text));
        return this;
    }

    private static List<Destination> destinations(String... names) {
        return java.util.Arrays.stream(names).map(Destination::parse).toList();
    }

    /** Returns messages of 64 bytes, each of which the broker holds back for a time. */
    static Messages heldBack(Duration delay) {
        return Messages.of(its -> {
            its.sizes = new Sizes.Fixed(64);
            its.deliveryDelay = delay;
            its.priorities = List.of();
            its.headers = List.of();
        });
    }

    LoopbackDriver driver() {
        return new LoopbackDriver(clock.broker());
    }

    public Plan plan() {
        return Plan.of(Scenario.of("test", new Limits(warmup, duration, drain, Duration.ofMillis(100)), its -> {
            its.producers = producers;
            its.consumers = consumers;
            its.phases = phases;
            its.pacing = Pacing.PARK;
        }).with(thresholds).withFaults(faults), List.of(driver()));
    }

    Run prepare() {
        Plan plan = plan();
        Run prepared = new Run(plan, RunShare.whole(plan), new RunObserver() {
            @Override
            public void interval(Interval i) {
                intervalPhases.add(i.phase());
                if (onInterval != null) {
                    onInterval.accept(i);
                }
            }

            @Override
            public void event(Event e) {
                events.add(e);
                if (onEvent != null) {
                    onEvent.accept(e);
                }
            }
        }, null, actor, Setting::key, clock, null);
        run = prepared;
        return prepared;
    }

    /** Returns the run that {@link #execute} has started. */
    Run started() {
        return Objects.requireNonNull(run);
    }

    RunResult execute() throws RunFailure {
        Run prepared = prepare();
        try (clock) {
            return prepared.execute();
        }
    }

    static GroupResult group(RunResult result, String name) {
        return result.groups().stream().filter(g -> g.name().equals(name)).findFirst().orElseThrow();
    }
}
