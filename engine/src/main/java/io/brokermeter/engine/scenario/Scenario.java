package io.brokermeter.engine.scenario;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.brokermeter.spi.Destination;

/**
 * What the user asked for.
 *
 * @param id the run's name, as in reports and subscription names
 * @param producers groups of producers, empty for a run that only receives
 * @param consumers groups of consumers, empty for a run that only sends
 * @param phases parts of the run with loads of their own, after the warm-up; empty for one part that is not named
 * @param limits warm-up and end
 * @param pacing how sending threads wait
 * @param realtime whether sending threads ask the kernel for real-time scheduling
 * @param seed of everything that is random
 * @param thresholds limits that its figures must keep
 * @param faults what is done to its broker, its connections or the machine, and when
 */
public record Scenario(
        String id, List<ProducerSide> producers, List<ConsumerSide> consumers, List<Phase> phases, Limits limits,
        Pacing pacing, boolean realtime, long seed, List<Threshold> thresholds, List<Fault> faults) {

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

    /** Without thresholds and faults. */
    public Scenario(String id, List<ProducerSide> producers, List<ConsumerSide> consumers, List<Phase> phases, Limits limits, Pacing pacing,
            boolean realtime, long seed) {
        this(id, producers, consumers, phases, limits, pacing, realtime, seed, List.of(), List.of());
    }

    /**
     * The same with limits for its figures.
     *
     * @throws UsageException for one about a figure that this run does not have
     */
    public Scenario with(List<Threshold> limited) {
        limited.forEach(threshold -> threshold.requireIn(this));
        return new Scenario(id, producers, consumers, phases, limits, pacing, realtime, seed, limited, faults);
    }

    /**
     * The same with faults.
     *
     * @throws UsageException for one that comes after the end of the run or contradicts another one
     */
    public Scenario withFaults(List<Fault> planned) {
        for (int i = 0; i < planned.size(); i++) {
            planned.get(i).requireIn(this);
            planned.subList(0, i).forEach(planned.get(i)::requireBeside);
        }
        return new Scenario(id, producers, consumers, phases, limits, pacing, realtime, seed, thresholds, planned);
    }

    /** Every destination that the user named, each once: those of producers, of consumers, of counts. */
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

    /** How long its load takes, warm-up included; zero for no limit. */
    public Duration length() {
        return phases.isEmpty() ? limits.duration()
            : phases.stream().map(Phase::length).reduce(limits.warmup(), Duration::plus);
    }

    /**
     * Whether it ends only when it is stopped: it has neither a length, nor a number of messages for each group
     * of producers, nor one for a group of consumers.
     */
    public boolean endless() {
        return length().isZero() && consumers.stream().allMatch(group -> group.messageCount() == 0)
            && (producers.isEmpty() || producers.stream().anyMatch(group -> group.messageCount() == 0));
    }

    /** Whether it sends anything. */
    public boolean sends() {
        return !producers.isEmpty();
    }

    /** Whether it receives anything. */
    public boolean receives() {
        return !consumers.isEmpty();
    }

    /** Whether any group has moments at which its messages are due. */
    public boolean scheduled() {
        return producers.stream().anyMatch(group -> group.scheduled()
            || phases.stream().anyMatch(phase -> !(phase.loadOf(group) instanceof Load.AllOut)));
    }
}
