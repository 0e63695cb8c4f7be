package io.brokermeter.engine.run;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

import io.brokermeter.driver.loopback.LoopbackDriver;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.pacing.RateChanges;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.connect.BrokerWatch;
import io.brokermeter.engine.run.faults.FaultActor;
import io.brokermeter.engine.run.parts.RunCoordination;
import io.brokermeter.engine.run.parts.RunShare;
import io.brokermeter.engine.scenario.Connecting;
import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Pacing;
import io.brokermeter.engine.scenario.Phase;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.Recovery;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Start;
import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.TimeLaw;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.engine.scenario.message.Sizes;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * A run over the loopback broker, described by what differs from the defaults. It uses a {@link VirtualClock} unless {@link #wallClock} is
 * called.
 */
public final class LoopbackRun {

    /** Ignores the events of its connection. */
    static final ConnectionListener DEAF = new ConnectionListener() {
        @Override
        public void lost(Throwable cause) {}

        @Override
        public void interrupted(String cause) {}

        @Override
        public void resumed() {}
    };

    /** What a busy machine may be to blame for, whatever the broker and the clients do; EvidenceTest checks the choice between the reasons. */
    private static final Set<Finding.Blame> MACHINE =
        Set.of(Finding.Blame.GARBAGE_COLLECTION, Finding.Blame.CPU_LIMIT, Finding.Blame.STOPPED, Finding.Blame.NOT_TOLD_APART,
            Finding.Blame.STOLEN_CPU, Finding.Blame.STARVED);

    private static final AtomicInteger NAMES = new AtomicInteger();

    private final List<Destination> destinations = new ArrayList<>();
    private String broker = "t" + NAMES.incrementAndGet();
    private String knobs = "";
    private Duration roundTrip = Duration.ZERO;
    private int producers = 1;
    private int threads = 1;
    private int consumers = 1;
    private int maxPending = 1000;
    private int commitInterval;
    private double rollback;
    private Messages messages = Messages.ofSize(64);
    private long count;
    private int durable;
    private Duration consumersAfter = Duration.ZERO;
    private long consumerCount;
    private TimeLaw thinkTime = TimeLaw.NONE;
    private TimeLaw processing = TimeLaw.NONE;
    private Load load = new Load.AllOut();
    private Duration tick = Duration.ZERO;
    private Connecting connecting = Connecting.PLAIN;
    private Duration warmup = Duration.ZERO;
    private Duration duration = Duration.ZERO;
    private boolean settles;
    private @Nullable Duration drain;
    private @Nullable Recovery recovery;
    private boolean allowOverload;
    private boolean consuming = true;
    private boolean sending = true;
    private Duration interval = Duration.ofSeconds(1);
    private Pacing pacing = Pacing.PARK;
    private final List<Phase> phases = new ArrayList<>();
    private final List<Threshold> thresholds = new ArrayList<>();
    private final List<Fault> faults = new ArrayList<>();
    private @Nullable FaultActor actor;
    private @Nullable RunCoordination coordination;
    private @Nullable VirtualClock clock = new VirtualClock();
    private @Nullable RateChanges rates;
    private @Nullable Driver driver;
    private @Nullable Consumer<Run> afterInterval;
    /** The events of the run; a test may read them while the reporting thread adds others. */
    final List<Event> events = new CopyOnWriteArrayList<>();
    final List<long[]> intervals = new CopyOnWriteArrayList<>();
    final List<Boolean> warmups = new CopyOnWriteArrayList<>();
    @Nullable Run run;

    public static LoopbackRun of() {
        return new LoopbackRun();
    }

    public LoopbackRun knobs(String query) {
        knobs = query;
        return this;
    }

    /** Uses the wall clock, for tests of the machine, or of a client with a time and threads of its own. */
    LoopbackRun wallClock() {
        clock = null;
        return this;
    }

    /** Lets the rate be changed while the run lasts. */
    LoopbackRun changeable() {
        rates = new RateChanges();
        return this;
    }

    /** Returns the virtual clock of the run. */
    VirtualClock clock() {
        return Objects.requireNonNull(clock);
    }

    /** Sets a callback that the reporting thread calls after each interval. */
    LoopbackRun afterInterval(Consumer<Run> then) {
        afterInterval = then;
        return this;
    }

    LoopbackRun over(Driver another) {
        driver = another;
        return this;
    }

    /** Sets the number of shared durable subscriptions of each topic. */
    LoopbackRun durable(int subscriptions) {
        durable = subscriptions;
        return this;
    }

    LoopbackRun at(String name) {
        broker = name;
        return this;
    }

    LoopbackRun on(String... names) {
        for (String name : names) {
            destinations.add(Destination.parse(name));
        }
        return this;
    }

    LoopbackRun producers(int n) {
        producers = n;
        return this;
    }

    LoopbackRun threads(int n) {
        threads = n;
        return this;
    }

    LoopbackRun consumers(int n) {
        consumers = n;
        return this;
    }

    public LoopbackRun maxPending(int n) {
        maxPending = n;
        return this;
    }

    public LoopbackRun transactionsOf(int n) {
        commitInterval = n;
        return this;
    }

    LoopbackRun rollback(double share) {
        rollback = share;
        return this;
    }

    LoopbackRun pacing(Pacing how) {
        pacing = how;
        return this;
    }

    LoopbackRun size(int bytes) {
        messages = Messages.ofSize(bytes);
        return this;
    }

    /** Sets the sizes of bodies, as in {@code list:100,300}. */
    LoopbackRun sizes(String text) {
        messages = Messages.of(its -> {
            its.sizes = Sizes.parse(text);
            its.priorities = List.of();
            its.headers = List.of();
        });
        return this;
    }

    public LoopbackRun count(long n) {
        count = n;
        return this;
    }

    LoopbackRun thinkTime(long millis) {
        thinkTime = new TimeLaw.Constant(Duration.ofMillis(millis));
        return this;
    }

    public LoopbackRun processing(long millis) {
        processing = new TimeLaw.Constant(Duration.ofMillis(millis));
        return this;
    }

    LoopbackRun consumerCount(long n) {
        consumerCount = n;
        return this;
    }

    public LoopbackRun consumersAfter(long millis) {
        consumersAfter = Duration.ofMillis(millis);
        return this;
    }

    public LoopbackRun rate(String text) {
        return load(new Load.Constant(Rate.parse(text)));
    }

    LoopbackRun load(Load sent) {
        load = sent;
        return this;
    }

    LoopbackRun connecting(Connecting how) {
        connecting = how;
        return this;
    }

    LoopbackRun tick(long millis) {
        tick = Duration.ofMillis(millis);
        return this;
    }

    public LoopbackRun warmup(long millis) {
        warmup = Duration.ofMillis(millis);
        return this;
    }

    public LoopbackRun duration(long millis) {
        duration = Duration.ofMillis(millis);
        return this;
    }

    /** Lets the run find its warm-up, whose first part is a tenth of the duration. */
    public LoopbackRun settles() {
        settles = true;
        warmup = Limits.firstPart(duration);
        return this;
    }

    public LoopbackRun drain(long millis) {
        drain = Duration.ofMillis(millis);
        return this;
    }

    /** Restores lost connections, with attempts every {@code millis} milliseconds, for at most {@code limitMillis} milliseconds. */
    LoopbackRun reconnect(long millis, long limitMillis) {
        recovery = new Recovery(Duration.ofMillis(millis), Duration.ofMillis(limitMillis));
        return this;
    }

    /** Lets the load be more than the broker or the consumers take. */
    public LoopbackRun allowOverload() {
        allowOverload = true;
        return this;
    }

    public LoopbackRun interval(long millis) {
        interval = Duration.ofMillis(millis);
        return this;
    }

    public LoopbackRun phase(String name, long millis, String text) {
        phases.add(new Phase(name, Duration.ofMillis(millis), Map.of("", new Load.Constant(Rate.parse(text)))));
        return this;
    }

    /** Adds a phase in which producers send as fast as they can. */
    public LoopbackRun phase(String name, long millis) {
        phases.add(new Phase(name, Duration.ofMillis(millis), Map.of("", new Load.AllOut())));
        return this;
    }

    LoopbackRun thresholds(String... texts) {
        for (String text : texts) {
            thresholds.add(Threshold.parse(text));
        }
        return this;
    }

    /** @param maker makes the faults */
    LoopbackRun faults(FaultActor maker, String... texts) {
        actor = maker;
        for (String text : texts) {
            faults.add(Fault.parse(text));
        }
        return this;
    }

    /** Runs the whole plan in this process, and informs it of other processes by {@code others}. */
    LoopbackRun among(RunCoordination others) {
        coordination = others;
        return this;
    }

    public LoopbackRun sendOnly() {
        consuming = false;
        return this;
    }

    LoopbackRun receiveOnly() {
        sending = false;
        return this;
    }

    /** Sets the round trip, in milliseconds, that the network of the run is declared to add; the knobs add it. */
    LoopbackRun roundTrip(long millis) {
        roundTrip = Duration.ofMillis(millis);
        return this;
    }

    String url() {
        return "loopback://" + broker + (knobs.isEmpty() ? "" : "?" + knobs);
    }

    Plan plan() {
        Endpoint endpoint = new Endpoint("LOOPBACK", new ConnectionSettings(url(), null, null, null, Duration.ofSeconds(5)),
            roundTrip);
        List<Destination> where = destinations.isEmpty() ? List.of(Destination.parse("queue://Q")) : destinations;
        ProducerGroupSpec p = ProducerGroupSpec.plain(endpoint, where, maxPending, messages).with(its -> {
            its.perDestination = producers;
            its.threads = threads;
            its.load = load;
            its.thinkTime = thinkTime;
            its.messageCount = count;
            its.commitInterval = commitInterval;
            its.rollbackShare = rollback;
        });
        ConsumerGroupSpec c = ConsumerGroupSpec.plain(endpoint, where).with(its -> {
            its.perDestination = consumers;
            its.start = consumersAfter.isZero() ? Start.AT_ONCE : new Start(consumersAfter, false, Duration.ZERO);
            its.messageCount = consumerCount;
            its.processing = processing;
            its.sharedSubscriptions = durable;
            its.durable = durable > 0;
        });
        Scenario scenario =
            Scenario.of("test", new Limits(warmup, duration, drain(), interval, false, allowOverload, recovery, settles), its -> {
                its.producers = sending ? List.of(p) : List.of();
                its.consumers = consuming ? List.of(c) : List.of();
                its.phases = phases;
                its.pacing = pacing;
                its.tick = tick;
                its.connecting = connecting;
            });
        return Plan.of(scenario.with(thresholds).withFaults(faults), List.of(driver()));
    }

    /**
     * Returns the drain timeout. On the {@link #wallClock} it is long, so that a stall of the machine does not end a drain in which no
     * message is missing.
     */
    private Duration drain() {
        return drain != null ? drain : Duration.ofSeconds(clock == null ? 60 : 5);
    }

    /** Returns the driver of the run, which uses its clock. */
    Driver driver() {
        return driver != null ? driver : clock == null ? new LoopbackDriver() : new LoopbackDriver(clock.broker());
    }

    public Run prepare() {
        return prepare(new RunObserver() {
            @Override
            public void interval(Interval i) {
                intervals.add(new long[] {i.sent(), i.blocked(), i.completed(), i.received(),
                    (i.warmup() ? i.warmupSamples() : i.measured()).get(Metric.RESPONSE).count()});
                warmups.add(i.warmup());
                if (afterInterval != null) {
                    afterInterval.accept(started());
                }
            }

            @Override
            public void event(Event e) {
                events.add(e);
            }
        });
    }

    /** Prepares the run with another observer. */
    public Run prepare(RunObserver observer) {
        return prepare(observer, null);
    }

    public Run prepare(RunObserver observer, @Nullable BrokerWatch watch) {
        Plan plan = plan();
        RunShare whole = RunShare.whole(plan);
        Run r = new Run(plan, coordination == null ? whole : new RunShare(whole.share(), whole.run(), coordination), observer, watch, actor,
            Setting::key,
            clock == null ? Clock.SYSTEM : clock, rates);
        run = r;
        return r;
    }

    /** Returns the run that {@link #execute} has started. */
    Run started() {
        return Objects.requireNonNull(run);
    }

    public RunResult execute() throws RunFailure {
        Run r = prepare();
        try {
            return r.execute();
        } finally {
            if (clock != null) {
                clock.close();
            }
        }
    }

    /** Returns whether a reason is the expected one, or one that lies in the machine, which is correct while other programs use it. */
    static boolean blames(Finding.Blame expected, Finding.Reason reason) {
        return reason.blame() == expected || MACHINE.contains(reason.blame());
    }

    /** Returns the failures except for a missed rate, which a busy machine may cause in tests on the {@link #wallClock}. */
    static List<Finding.Failure> failuresButTheRate(RunResult r) {
        return r.failures().stream().filter(failure -> !(failure instanceof Finding.RateMissed)).toList();
    }

    /** Handles the calls of a connection. */
    interface ConnectionCalls {

        /**
         * Handles a call.
         *
         * @param own the driver's own connection
         * @param listener the listener that the connection was made with
         */
        @Nullable Object call(Connection own, ConnectionListener listener, Method method, Object[] args) throws Throwable;
    }

    /** Returns the loopback driver with other producers. */
    static Driver sending(Function<SendListener, Producer> producers) {
        return with(new LoopbackDriver(), (own, _, method, args) -> method.getName().equals("producer")
            ? producers.apply((SendListener) args[2]) : unwrapped(() -> method.invoke(own, args)));
    }

    /** Returns the loopback driver with consumers that fail at once. */
    static Driver receivingNothing(Throwable cause) {
        return with(new LoopbackDriver(), (own, _, method, args) -> {
            Object result = unwrapped(() -> method.invoke(own, args));
            if (method.getName().equals("consumer")) {
                ((DeliveryListener) args[2]).failed(cause);
            }
            return result;
        });
    }

    /** Returns a driver with other connections. */
    static Driver with(Driver whole, ConnectionCalls calls) {
        return (Driver) Proxy.newProxyInstance(Driver.class.getClassLoader(), new Class<?>[] {Driver.class}, (_, method, args) -> {
            Object result = unwrapped(() -> method.invoke(whole, args));
            return result instanceof Connection own
                ? Proxy.newProxyInstance(Driver.class.getClassLoader(), new Class<?>[] {Connection.class},
                    (_, called, with) -> calls.call(own, (ConnectionListener) args[1], called, with))
                : result;
        });
    }

    interface Call {
        Object call() throws Exception;
    }

    /** Returns the result of a call by reflection, or throws what the method threw. */
    static Object unwrapped(Call call) throws Throwable {
        try {
            return call.call();
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
