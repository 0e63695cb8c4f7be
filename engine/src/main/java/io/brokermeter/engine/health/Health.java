package io.brokermeter.engine.health;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

import io.brokermeter.engine.finding.Finding;

/**
 * The generator's own figures over the measured part of a run, from the end of the warm-up to the end of the load.
 *
 * @param cpuSeconds CPU time of this process
 * @param cpuMicrosPerMessage CPU time per message sent (received, for a run without producers); NaN when there were none
 * @param machineBusyPercent busy share of all CPUs of the machine, -1 if unknown
 * @param stealPercent share of time that a hypervisor took away, -1 if unknown
 * @param gcPauses number of garbage collection pauses
 * @param gcPauseMillis total length of these pauses
 * @param gcLongestPauseMillis largest total length of these pauses in one reporting interval
 * @param hiccup999Millis 99.9th percentile of the delay of a thread that naps again and again
 * @param hiccupMaxMillis maximum of this delay
 * @param lateness99Millis 99th percentile of how late sending threads woke up, not counting waits for confirmations
 * @param ticks how long messages waited for the end of their tick
 * @param schedule how the asked rate was kept, over the whole run
 * @param residentBytes peak resident memory, -1 if unknown
 * @param host effects of the machine on the generator's threads
 * @param stalls stalls of its own threads, from which the floors of percentiles follow
 * @param verdict verdict on the generator
 */
public record Health(
        double cpuSeconds, double cpuMicrosPerMessage, double machineBusyPercent, double stealPercent, long gcPauses,
        long gcPauseMillis, long gcLongestPauseMillis, double hiccup999Millis, double hiccupMaxMillis,
        double lateness99Millis, TickDelay ticks, Schedule schedule, long residentBytes, HostEffects host, OwnStalls stalls,
        GeneratorVerdict verdict) {

    /** Mutable components of a {@link Health}. */
    public static final class Values {

        public double cpuSeconds;
        public double cpuMicrosPerMessage;
        public double machineBusyPercent;
        public double stealPercent;
        public long gcPauses;
        public long gcPauseMillis;
        public long gcLongestPauseMillis;
        public double hiccup999Millis;
        public double hiccupMaxMillis;
        public double lateness99Millis;
        public TickDelay ticks = TickDelay.NONE;
        public Schedule schedule = Schedule.NONE;
        public long residentBytes;
        public HostEffects host = HostEffects.UNKNOWN;
        public OwnStalls stalls = OwnStalls.NONE;
        public GeneratorVerdict verdict = new GeneratorVerdict.Sound();

        private Values() {}
    }

    /** Creates an instance from the components that {@code change} sets. */
    public static Health of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new Health(its.cpuSeconds, its.cpuMicrosPerMessage, its.machineBusyPercent, its.stealPercent, its.gcPauses,
            its.gcPauseMillis, its.gcLongestPauseMillis, its.hiccup999Millis, its.hiccupMaxMillis, its.lateness99Millis, its.ticks,
            its.schedule,
            its.residentBytes, its.host, its.stalls, its.verdict);
    }

    /**
     * The shortest span, in seconds, of which shares of processors' time are known: the kernel counts that time in steps of 10 ms, and a
     * reading of all threads takes some milliseconds itself.
     */
    public static final double LEAST_SECONDS = 0.1;

    /**
     * Returns CPU time as a percentage of one processor over a span; NaN if that time is not known, that is negative or NaN, or the span is
     * shorter than {@link #LEAST_SECONDS}.
     */
    public static double cpuPercent(double cpuSeconds, double seconds) {
        return cpuSeconds >= 0 && seconds >= LEAST_SECONDS ? 100 * cpuSeconds / seconds : Double.NaN;
    }

    /** Figures that are all unknown. */
    public static final Health UNKNOWN = Health.of(its -> {
        its.cpuSeconds = -1;
        its.cpuMicrosPerMessage = Double.NaN;
        its.machineBusyPercent = -1;
        its.stealPercent = -1;
        its.hiccup999Millis = -1;
        its.hiccupMaxMillis = -1;
        its.lateness99Millis = -1;
        its.residentBytes = -1;
        its.verdict = new GeneratorVerdict.Doubtful(List.of(new Finding.NotJudged()));
    });

    /**
     * Returns the figures of several processes together: the sums of the resources that they used, the largest value of each disturbance,
     * and one doubt of each kind, that of the process which kept its rate worst.
     *
     * @param agents figures of the processes by their names, at least one
     * @param named whether doubts have the name of their process, which is not all of the run
     * @param messages number of messages in the measured part
     * @param schedule how all processes together kept the rate
     */
    public static Health sum(Map<String, Health> agents, boolean named, long messages, Schedule schedule) {
        Collection<Health> parts = agents.values();
        // If one process does not know its CPU time, the sum is unknown.
        double cpu = parts.stream().anyMatch(part -> part.cpuSeconds < 0) ? -1 : parts.stream().mapToDouble(Health::cpuSeconds).sum();
        Map<String, Finding.Doubt> doubts = new LinkedHashMap<>();
        agents.entrySet().stream().sorted(Comparator.comparingDouble(agent -> agent.getValue().achievedRatio()))
            .forEach(agent -> agent.getValue().verdict.reasons().forEach(doubt -> doubts.putIfAbsent(doubt.kind(),
                named ? new Finding.DoubtOfAgent(agent.getKey(), doubt) : doubt)));
        return Health.of(its -> {
            its.cpuSeconds = cpu;
            its.cpuMicrosPerMessage = messages == 0 || cpu < 0 ? Double.NaN : cpu * 1e6 / messages;
            its.machineBusyPercent = most(parts, Health::machineBusyPercent);
            its.stealPercent = most(parts, Health::stealPercent);
            its.gcPauses = parts.stream().mapToLong(Health::gcPauses).sum();
            its.gcPauseMillis = parts.stream().mapToLong(Health::gcPauseMillis).sum();
            its.gcLongestPauseMillis = (long) most(parts, Health::gcLongestPauseMillis);
            its.hiccup999Millis = most(parts, Health::hiccup999Millis);
            its.hiccupMaxMillis = most(parts, Health::hiccupMaxMillis);
            its.lateness99Millis = most(parts, Health::lateness99Millis);
            its.ticks = TickDelay.sum(parts.stream().map(Health::ticks).toList());
            its.schedule = schedule;
            its.residentBytes = parts.stream().anyMatch(part -> part.residentBytes < 0) ? -1
                : parts.stream().mapToLong(Health::residentBytes).sum();
            its.host = parts.stream().map(Health::host).max(Comparator.comparingDouble(HostEffects::waitingPercent))
                .orElse(HostEffects.UNKNOWN);
            its.stalls = OwnStalls.sum(parts.stream().map(Health::stalls).toList(), messages);
            its.verdict = GeneratorVerdict.of(List.copyOf(doubts.values()));
        });
    }

    private static double most(Collection<Health> parts, ToDoubleFunction<Health> figure) {
        return parts.stream().mapToDouble(figure).max().orElse(-1);
    }

    /** Returns the share of the scheduled messages that were sent in time; 1 if nothing is scheduled. */
    public double achievedRatio() {
        return schedule.ratio();
    }
}
