package io.brokermeter.engine.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.parameter.Setting;

/**
 * A scenario: the run that the user asked for.
 *
 * @param id name of the run, as in reports and subscription names
 * @param producers groups of producers, empty for a run that only receives
 * @param consumers groups of consumers, empty for a run that only sends
 * @param phases parts of the run with loads of their own, after the warm-up; empty for one part that is not named
 * @param limits warm-up and end
 * @param pacing how sending threads wait
 * @param tick length of the ticks at whose ends what is due goes out together; zero to send each message when it is due
 * @param realtime whether sending threads ask the kernel for real-time scheduling
 * @param connecting how connections are made
 * @param seed seed of everything that is random
 * @param thresholds limits that figures of the run must keep
 * @param faults faults of the broker, the connections or the machine that are made during the run
 */
public record Scenario(
        String id, List<ProducerGroupSpec> producers, List<ConsumerGroupSpec> consumers, List<Phase> phases, Limits limits,
        Pacing pacing, Duration tick, boolean realtime, Connecting connecting, long seed, List<Threshold> thresholds, List<Fault> faults) {

    /** The shortest time for which a broker waits for an acknowledgement unless it is told otherwise, in seconds: that of NATS. */
    private static final double ACK_WAIT = 30;
    private static final Pattern ACK_WAIT_SET = Pattern.compile("(?<=[?&;, {])ack-wait=(\\d{1,9})");

    public Scenario {
        producers = List.copyOf(producers);
        consumers = List.copyOf(consumers);
        phases = List.copyOf(phases);
        thresholds = List.copyOf(thresholds);
        faults = List.copyOf(faults);
        if (producers.isEmpty() && consumers.isEmpty()) {
            throw new UsageException("A scenario needs producers, consumers or both.");
        }
    }

    /** Mutable components of a {@link Scenario}, by default without producers, consumers, phases, thresholds and faults. */
    public static final class Values {

        public String id;
        public List<ProducerGroupSpec> producers = List.of();
        public List<ConsumerGroupSpec> consumers = List.of();
        public List<Phase> phases = List.of();
        public Limits limits;
        public Pacing pacing = Pacing.AUTO;
        public Duration tick = Duration.ZERO;
        public boolean realtime;
        public Connecting connecting = Connecting.PLAIN;
        public long seed = 1;
        public List<Threshold> thresholds = List.of();
        public List<Fault> faults = List.of();

        private Values(String id, Limits limits) {
            this.id = id;
            this.limits = limits;
        }

        private Scenario scenario() {
            return new Scenario(id, producers, consumers, phases, limits, pacing, tick, realtime, connecting, seed, thresholds, faults);
        }
    }

    /** Creates a scenario with an id, limits, and the components that {@code change} sets. */
    public static Scenario of(String id, Limits limits, Consumer<Values> change) {
        Values its = new Values(id, limits);
        change.accept(its);
        return its.scenario();
    }

    /** Returns a copy in which {@code change} sets some components; thresholds and faults are not checked again. */
    public Scenario with(Consumer<Values> change) {
        Values its = new Values(id, limits);
        its.producers = producers;
        its.consumers = consumers;
        its.phases = phases;
        its.pacing = pacing;
        its.tick = tick;
        its.realtime = realtime;
        its.connecting = connecting;
        its.seed = seed;
        its.thresholds = thresholds;
        its.faults = faults;
        change.accept(its);
        return its.scenario();
    }

    /**
     * Returns a copy of this scenario with limits for its figures.
     *
     * @throws UsageException if a threshold is about a figure that this run does not have
     */
    public Scenario with(List<Threshold> limited) {
        limited.forEach(threshold -> threshold.requireIn(this));
        return with(its -> its.thresholds = limited);
    }

    /**
     * Returns a copy of this scenario with faults.
     *
     * @throws UsageException if a fault comes after the end of the run or contradicts another one
     */
    public Scenario withFaults(List<Fault> planned) {
        for (int i = 0; i < planned.size(); i++) {
            planned.get(i).requireIn(this);
            planned.subList(0, i).forEach(planned.get(i)::requireBeside);
        }
        return with(its -> its.faults = planned);
    }

    /** Returns every destination that the user named, each once: those of producers, of consumers, of counts. */
    public List<Destination> destinations() {
        Set<Destination> all = new LinkedHashSet<>();
        producers.forEach(group -> all.addAll(group.destinations()));
        consumers.forEach(group -> all.addAll(group.destinations()));
        consumers.forEach(group -> {
            if (group.summarizer() != null) {
                all.add(group.summarizer().to());
            }
        });
        return List.copyOf(all);
    }

    /** Returns the length of the load, warm-up included; zero for no limit. */
    public Duration length() {
        return phases.isEmpty() ? limits.duration()
            : phases.stream().map(Phase::length).reduce(limits.warmup(), Duration::plus);
    }

    /**
     * Returns the longest time from the start of the load to the end of the drain, without the time that a backlog takes, and with that of
     * commands of faults, for whose end the load is waited; empty for a load without a length.
     */
    public Optional<Duration> timeLimit() {
        Duration load = length();
        return load.isZero() ? Optional.empty() : Optional.of(faults.stream().map(Fault::latestEnd)
            .reduce(load, Scenario::max).plus(drainLimit()));
    }

    /** Returns the longest time from the end of the sends to the first delivery of a backlog, or to the end of the drain. */
    public Duration drainLimit() {
        // Counts of consumers are published until everything else has come, and are then waited for themselves.
        Duration counts = consumers.stream().anyMatch(spec -> spec.summarizer() != null) ? deliveryTimeout() : Duration.ZERO;
        return max(deliveryTimeout(), longestRequest()).plus(counts)
            .plus(consumers.stream().map(ConsumerGroupSpec::start).filter(Start::afterProducers).map(Start::delay)
                .max(Comparator.naturalOrder()).orElse(Duration.ZERO));
    }

    /** Returns the longest wait of the drain for deliveries: the drain timeout begins when the broker holds back no message any more. */
    public Duration deliveryTimeout() {
        return receives() ? limits.drainTimeout().plus(longestDeliveryDelay()) : limits.drainTimeout();
    }

    /** Returns the longest time for which a consumer is busy with one message, in nanoseconds; see {@link ConsumerGroupSpec#longestWorkNanos}. */
    public long longestWorkNanos() {
        return consumers.stream().mapToLong(ConsumerGroupSpec::longestWorkNanos).max().orElse(0);
    }

    /** Returns the longest time that a request of the run has for its reply; zero where there are no requests. */
    public Duration longestRequest() {
        return producers.stream().flatMap(spec -> Stream.ofNullable(spec.request())).map(RequestReply::timeout)
            .max(Comparator.naturalOrder()).orElse(Duration.ZERO);
    }

    private static Duration max(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }

    /** Returns the longest time for which the broker holds back messages of the run. */
    public Duration longestDeliveryDelay() {
        return producers.stream().map(spec -> spec.messages().deliveryDelay()).max(Comparator.naturalOrder()).orElse(Duration.ZERO);
    }

    /**
     * Returns whether the run ends only when it is stopped: it has neither a length, nor a number of messages for each group
     * of producers, nor one for a group of consumers.
     */
    public boolean endless() {
        return length().isZero() && !limitsReceives() && (producers.isEmpty() || !limitsSends());
    }

    /** Returns whether each group of producers has a number of messages to send. */
    public boolean limitsSends() {
        return producers.stream().allMatch(group -> group.messageCount() > 0);
    }

    /** Returns whether a group of consumers has a number of messages to receive. */
    public boolean limitsReceives() {
        return consumers.stream().anyMatch(group -> group.messageCount() > 0);
    }

    /** Returns the number of messages that the run sends or, without producers, receives; 0 for no limit. */
    public long plannedMessages() {
        List<Long> counts = sends() ? producers.stream().map(ProducerGroupSpec::messageCount).toList()
            : consumers.stream().map(ConsumerGroupSpec::messageCount).toList();
        return counts.contains(0L) ? 0 : counts.stream().mapToLong(Long::longValue).sum();
    }

    /**
     * Returns a sentence about each setting that is obeyed but hardly intended.
     *
     * @param name function that names a setting
     */
    public List<String> warnings(Function<Setting, String> name) {
        List<String> all = new ArrayList<>();
        if (phases.isEmpty() && !limits.duration().isZero() && limits.warmup().equals(limits.duration())) {
            all.add(name.apply(Setting.WARMUP) + " is all of " + name.apply(Setting.DURATION)
                + ", so nothing is measured: the totals count, and no rates and times follow.");
        }
        for (ConsumerGroupSpec spec : consumers) {
            double fill = batchSeconds(spec);
            if (fill > Math.min(ACK_WAIT, shortestAckWait(spec.endpoint()))) {
                all.add(String.format(Locale.ROOT,
                    "Consumers '%s' acknowledge %,d messages at once (%s), which come in %,.0f s at this rate; "
                        + "a broker that waits less for an acknowledgement (NATS: ack-wait, 30 s unless set; RabbitMQ: consumer_timeout, 30 min "
                        + "unless set) delivers them again.",
                    spec.name(), spec.batch(), name.apply(Setting.CONSUMER_BATCH), fill));
            }
        }
        for (ProducerGroupSpec spec : producers) {
            if (spec.messageCount() > spec.scheduledMessages()) {
                all.add(String.format(Locale.ROOT, "Group '%s' sends %,d of the %,d messages of %s: its load has no more.", spec.name(),
                    spec.scheduledMessages(), spec.messageCount(), name.apply(Setting.PRODUCER_MESSAGES)));
            }
        }
        return all;
    }

    /** Returns the mean time in seconds in which the batch of a consumer fills; NaN if unknown, or without a batch. */
    private double batchSeconds(ConsumerGroupSpec spec) {
        double own = spec.rate() == null ? Double.POSITIVE_INFINITY : spec.rate().perSecond();
        double sent = phases.isEmpty() && sends() ? producers.stream().mapToDouble(group -> switch (group.load()) {
            case Load.Constant constant -> constant.rate().perSecond();
            case Load.Poisson poisson -> poisson.mean();
            default -> Double.NaN;
        }).sum() : Double.NaN;
        double each = Double.isNaN(sent) ? own : Math.min(own, sent / spec.perDestination());
        return spec.ackMode() == AckMode.AUTO || spec.batch() < 2 || Double.isInfinite(each) ? Double.NaN : spec.batch() / each;
    }

    private static double shortestAckWait(Endpoint endpoint) {
        Matcher set = ACK_WAIT_SET.matcher(endpoint.settings().url() + endpoint.settings().properties());
        return set.find() ? Double.parseDouble(set.group(1)) : Double.POSITIVE_INFINITY;
    }

    /** Returns whether the run sends anything. */
    public boolean sends() {
        return !producers.isEmpty();
    }

    /** Returns whether the run receives anything. */
    public boolean receives() {
        return !consumers.isEmpty();
    }

    /** Returns whether the run sends messages and none of them has an envelope. */
    public boolean isBare() {
        return sends() && producers.stream().allMatch(spec -> spec.messages().bare());
    }

    /** Returns whether a group of consumers starts only when the producers have ended. */
    public boolean consumesAfterProducers() {
        return consumers.stream().anyMatch(spec -> spec.start().afterProducers());
    }

    /**
     * Returns whether consumers may find a backlog, which may take them any time: they start after the producers, or with a delay that the
     * load need not last, since all producers have a number of messages.
     */
    public boolean mayHaveBacklog() {
        return consumesAfterProducers() || limitsSends() && consumesAfter(Duration.ZERO, true);
    }

    /** Returns whether a group of consumers starts only after the load; see {@link ConsumerGroupSpec#startsAfter}. */
    public boolean consumesAfter(Duration load, boolean complete) {
        return sends() && consumers.stream().anyMatch(spec -> spec.startsAfter(load, complete));
    }

    /** Returns whether the messages of any group have moments at which they are due. */
    public boolean scheduled() {
        return producers.stream().anyMatch(group -> group.scheduled()
            || phases.stream().anyMatch(phase -> !(phase.loadOf(group) instanceof Load.AllOut)));
    }
}
