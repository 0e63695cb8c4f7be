package io.brokermeter.brokers.observe;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

import io.brokermeter.brokers.observe.PrometheusText.Series;
import io.brokermeter.engine.run.connect.BrokerWatch;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/** The parts of a broker that are observed, and how they are reached. Immutable. */
public final class Observation {

    private static final Duration REQUIRED_WITHIN = Duration.ofSeconds(30);

    /** The JVMs of this machine that are asked for their heap: none, those that were started for the run, or all observed ones. */
    enum Attaching {
        NEVER, OWN, ALL
    }

    /** The value in place of a JMX service for no JMX, not even in a JVM that was started for the run. */
    public static final String NO_JMX = "none";

    /** The value in place of a JMX service for that of each JVM on this machine, to which a management agent is attached. */
    public static final String ATTACH = "attach";

    final List<Long> pids;
    /** Supplies the current processes if they may be ended and started again; null otherwise. */
    final @Nullable Supplier<List<Long>> running;
    final List<Servers.Server> servers;
    final Attaching attaching;
    final boolean own;
    final @Nullable JmxAddress jmx;
    final @Nullable MetricsAddress metrics;
    final Map<String, Series> asked;
    final Function<Setting, String> names;

    private Observation(List<Long> pids, @Nullable Supplier<List<Long>> running, List<Servers.Server> servers, Attaching attaching,
            boolean own, @Nullable JmxAddress jmx,
            @Nullable MetricsAddress metrics, Map<String, Series> asked, Function<Setting, String> names) {
        this.pids = List.copyOf(pids);
        this.running = running;
        this.servers = List.copyOf(servers);
        this.attaching = attaching;
        this.own = own;
        this.jmx = jmx;
        this.metrics = metrics;
        this.names = names;
        this.asked = Collections.unmodifiableMap(new LinkedHashMap<>(asked));
    }

    /**
     * Parses the options of an observation and checks everything that can be checked before a connection is made.
     *
     * @param pids process ids separated by commas; null to find the processes by the ports of the broker's URL
     * @param jmx a JMX service, {@link #NO_JMX}, {@link #ATTACH}, or null for that of each JVM that was started for the run
     * @param metrics a Prometheus endpoint; null for none
     * @param metricNames further metrics of the endpoint to record
     * @param names function that returns the name of a setting in messages of the run
     * @throws UsageException with one sentence that names the setting
     */
    public static Observation of(@Nullable String pids, @Nullable String jmx, @Nullable String metrics, List<String> metricNames,
            Function<Setting, String> names) {
        if (metrics == null && !metricNames.isEmpty()) {
            throw new UsageException("%s needs %s, the URL where the metric is to be found.", Setting.BROKER_METRIC,
                Setting.BROKER_METRICS);
        }
        Map<String, Series> asked = new LinkedHashMap<>();
        for (String name : metricNames) {
            Series series = PrometheusText.series(name);
            if (series == null) {
                throw new UsageException("%s '%s' is not the name of a metric, as name or name{label=\"value\"}.",
                    Setting.BROKER_METRIC, name);
            }
            asked.put(name, series);
        }
        boolean none = jmx != null && jmx.equalsIgnoreCase(NO_JMX);
        boolean attach = jmx != null && jmx.equalsIgnoreCase(ATTACH);
        return new Observation(pids == null ? List.of() : processes(pids), null, List.of(),
            attach ? Attaching.ALL : jmx == null ? Attaching.OWN : Attaching.NEVER, false,
            jmx == null || none || attach ? null : JmxAddress.parse(jmx), metrics == null ? null : MetricsAddress.parse(metrics), asked,
            names);
    }

    private static List<Long> processes(String text) {
        List<Long> pids = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            long pid;
            try {
                pid = Long.parseLong(part.strip());
            } catch (NumberFormatException e) {
                pid = -1;
            }
            if (pid < 1) {
                throw new UsageException("%s '%s' must be process ids with commas between.", Setting.BROKER_PID, text);
            }
            if (pid == ProcessHandle.current().pid()) {
                throw new UsageException("%s %d is this program, not a broker.", Setting.BROKER_PID, pid);
            }
            if (ProcessHandle.of(pid).isEmpty()) {
                throw new UsageException("%s %d: there is no such process.", Setting.BROKER_PID, pid);
            }
            if (!pids.contains(pid)) {
                pids.add(pid);
            }
        }
        return pids;
    }

    /** Returns a copy that finds the processes of the broker by these URLs, unless they are known. */
    public Observation at(List<String> urls) {
        List<Servers.Server> all = new ArrayList<>(servers);
        for (String url : urls) {
            for (Servers.Server server : Servers.of(url)) {
                if (!all.contains(server)) {
                    all.add(server);
                }
            }
        }
        return new Observation(pids, running, all, attaching, own, jmx, metrics, asked, names);
    }

    /** Returns a copy with these processes, which were started for the run, unless the user named others. */
    public Observation with(List<Long> processes) {
        return pids.isEmpty() ? new Observation(processes, null, servers, attaching, true, jmx, metrics, asked, names) : this;
    }

    /**
     * Returns a copy with processes that may be ended and started again, under other ids, unless the user named others.
     *
     * @param processes supplies the current processes; called at once, and later by a thread of the observation
     */
    public Observation with(Supplier<List<Long>> processes) {
        return pids.isEmpty() ? new Observation(processes.get(), processes, servers, attaching, true, jmx, metrics, asked, names) : this;
    }

    /**
     * Requests the metrics once, for a broker that is already running. Blocks for about half a minute at most, since a busy machine may need
     * seconds for the first request.
     *
     * @throws UsageException when the endpoint does not answer
     */
    public void requireMetrics() {
        if (metrics == null) {
            return;
        }
        List<String> said = new ArrayList<>();
        MetricsSource once = new MetricsSource(metrics, asked, at -> at, new Readings(-1), new Readings(-1), said::add, names);
        try {
            if (!once.read(REQUIRED_WITHIN)) {
                throw new UsageException("%s: %s.", Setting.BROKER_METRICS, said.isEmpty() ? "there is no answer" : said.getFirst());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            once.release();
        }
    }

    /** Returns the names of the further metrics that are recorded, in their order. */
    public List<String> metricNames() {
        return List.copyOf(asked.keySet());
    }

    /** Begins to observe. Returns at once; the caller must close the result. */
    public BrokerWatch open() {
        ObservedBroker broker = new ObservedBroker(this);
        broker.start();
        return broker;
    }
}
