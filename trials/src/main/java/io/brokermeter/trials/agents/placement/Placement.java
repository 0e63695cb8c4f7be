package io.brokermeter.trials.agents.placement;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.brokermeter.engine.plan.ConsumerGroup;
import io.brokermeter.engine.plan.ConsumerPlan;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.ProducerGroup;
import io.brokermeter.engine.plan.ProducerPlan;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.experiment.access.AgentChoice;
import io.brokermeter.spi.parameter.Nearest;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * The assignment of the producers and consumers of a plan to agents: a pure function of the plan, the agents in their order, and what each
 * group says about where it may run. Every producer and every consumer is in exactly one share.
 *
 * <p>A group with at least as many destinations as it has agents is distributed by destination, and such that groups which may run on the
 * same agents have both ends of a destination on the same agent, whose clock then times both. Any other group is distributed producer by
 * producer and consumer by consumer. Some stay together: consumers of a connection that has a client id, a requester and the consumer of
 * its replies, and consumers whose counts are published.
 *
 * @param shares the share of each agent, in the order of the agents; one may be empty
 * @param notices sentences about what the user may not expect
 * @param crossesAgents whether a message may be received by another agent than the one that sent it
 * @param crossesClocks whether a message may be received by an agent whose times are not of the same clock as those of the one that sent it
 */
public record Placement(List<Share> shares, List<String> notices, boolean crossesAgents, boolean crossesClocks) {

    /**
     * An agent that may take part.
     *
     * @param name its name
     * @param host its host, as the user wrote it; empty when the user wrote none
     * @param labels labels that its user gave it
     * @param sameClock whether it reads the coordinator's own clock. Any other agent follows an estimate of that clock of its own, even
     *     beside another one on the same machine, and estimates differ
     */
    public record Candidate(String name, String host, Map<String, String> labels, boolean sameClock) {

        /** Creates an agent of which only the name is known. */
        public static Candidate of(String name) {
            return new Candidate(name, "", Map.of(), false);
        }

        boolean isCalled(String text) {
            return text.equalsIgnoreCase(name) || text.equalsIgnoreCase(host);
        }

        boolean isLabelled(String text) {
            return labels.entrySet().stream().anyMatch(label -> text.equals(label.getKey()) || text.equals(label.getValue())
                || text.equals(label.getKey() + "=" + label.getValue()));
        }

        /** Returns whether the times of both agents are of one clock. */
        boolean sharesClock(Candidate other) {
            return equals(other) || sameClock && other.sameClock;
        }
    }

    public Placement {
        shares = List.copyOf(shares);
        notices = List.copyOf(notices);
    }

    /**
     * Places a plan.
     *
     * @param agents at least one; no two have the same name
     * @param on where groups may run, by their keys as {@link io.brokermeter.experiment.Workload.Group} has them; on any agent for others
     * @throws UsageException with one sentence for a group that no agent can run, or that cannot be divided in this way
     */
    public static Placement of(Plan plan, List<Candidate> agents, Map<String, AgentChoice> on) {
        return new Placing(plan, agents, on).placement();
    }

    /** Returns what each agent runs, in one line for each: {@code a: 4 producers, 4 consumers, 4 destinations}. */
    public static List<String> words(Plan plan, List<Candidate> agents, Placement placement) {
        List<String> lines = new ArrayList<>();
        for (Share share : placement.shares) {
            Set<Integer> destinations = new HashSet<>();
            plan.producers().forEach(group -> group.producers().stream().filter(share::has).forEach(p -> destinations.add(
                p.destinationIndex())));
            plan.consumers().forEach(group -> group.consumers().stream().filter(share::has).forEach(c -> destinations.add(
                c.destinationIndex())));
            lines.add(agents.get(share.number()).name() + ": " + (share.isEmpty() ? "nothing"
                : Counted.of(share.producers().cardinality(), "producer") + ", " + Counted.of(share.consumers().cardinality(), "consumer")
                    + ", "
                    + Counted.of(destinations.size(), "destination")));
        }
        return lines;
    }

    /** The agents on which some groups may run, and the number of producers and consumers that each has got. */
    private static final class Ring {

        private final int[] agents;
        private final int[] load;
        /** The place in the ring of a destination, or of the first part of its group, by number of the destination. */
        private final Map<Integer, Integer> homes = new HashMap<>();

        Ring(int[] agents) {
            this.agents = agents;
            this.load = new int[agents.length];
        }

        int size() {
            return agents.length;
        }

        int home(int destination) {
            return homes.computeIfAbsent(destination, _ -> {
                int least = 0;
                for (int i = 1; i < load.length; i++) {
                    least = load[i] < load[least] ? i : least;
                }
                return least;
            });
        }

        /** Returns the agent at a place of the ring, which gets one more producer or consumer. */
        int take(int place) {
            load[place % agents.length]++;
            return agents[place % agents.length];
        }
    }

    private static final class Placing {

        private final Plan plan;
        private final List<Candidate> agents;
        private final Map<String, AgentChoice> on;
        private final Map<List<Integer>, Ring> rings = new LinkedHashMap<>();
        private final int[] ofProducer;
        private final int[] ofConsumer;
        private boolean togetherByClientId;

        Placing(Plan plan, List<Candidate> agents, Map<String, AgentChoice> on) {
            this.plan = plan;
            this.agents = agents;
            this.on = on;
            this.ofProducer = new int[plan.producerCount()];
            this.ofConsumer = new int[plan.consumers().stream().mapToInt(group -> group.consumers().size()).sum()];
        }

        Placement placement() {
            Set<String> names = new HashSet<>();
            for (Candidate agent : agents) {
                if (!names.add(agent.name().toLowerCase(Locale.ROOT))) {
                    throw new UsageException("Two agents are called '" + agent.name() + "'; give each a name of its own.");
                }
            }
            plan.producers().stream().filter(group -> group.counts() == null).forEach(this::place);
            plan.consumers().stream().filter(group -> group.requesters() == null).forEach(this::place);
            for (ConsumerGroup group : plan.consumers()) {
                ProducerGroup requesters = group.requesters();
                if (requesters != null) {
                    for (int i = 0; i < group.consumers().size(); i++) {
                        ofConsumer[group.consumers().get(i).index()] = ofProducer[requesters.producers().get(i).index()];
                    }
                }
            }
            for (ProducerGroup group : plan.producers()) {
                ConsumerGroup counted = group.counts();
                if (counted != null) {
                    group.producers().forEach(p -> ofProducer[p.index()] = ofConsumer[counted.consumers().getFirst().index()]);
                }
            }
            Assignment assignment = new Assignment(plan, agents, ofProducer, ofConsumer);
            for (SpreadLimit limit : SpreadLimit.values()) {
                limit.refusal(assignment).ifPresent(sentence -> {
                    throw new UsageException(sentence);
                });
            }
            List<Share> shares = shares();
            return new Placement(shares, notices(shares), crosses(assignment, false), crosses(assignment, true));
        }

        // ---- where ----

        private Ring ring(String key) {
            AgentChoice choice = on.getOrDefault(key, AgentChoice.SPREAD);
            Set<Integer> chosen = new TreeSet<>();
            if (choice.isSpread()) {
                IntStream.range(0, agents.size()).forEach(chosen::add);
            }
            for (String name : choice.names()) {
                List<Integer> called = those(agent -> agent.isCalled(name));
                chosen.addAll(called);
                if (called.isEmpty()) {
                    String near = Nearest.to(name, agents.stream().map(Candidate::name).toList());
                    throw nowhere(key, "'" + name + "', and no agent or host has that name", near);
                }
            }
            for (String label : choice.labels()) {
                List<Integer> labelled = those(agent -> agent.isLabelled(label));
                chosen.addAll(labelled);
                if (labelled.isEmpty()) {
                    throw nowhere(key, "agents with the label '" + label + "', and none has it", null);
                }
            }
            return rings.computeIfAbsent(List.copyOf(chosen), all -> new Ring(all.stream().mapToInt(Integer::intValue).toArray()));
        }

        /**
         * Returns the agents of a group. A label stands for all agents that have it. Their number is known only here, too late to give the
         * group as many members, so a group that leaves its number open and has too few is refused.
         */
        private Ring ring(String key, int members, Setting count) {
            Ring ring = ring(key);
            AgentChoice choice = on.getOrDefault(key, AgentChoice.SPREAD);
            if (choice.open() && members < ring.size()) {
                throw new UsageException(
                    "Group '%s' is to be on all agents of '%s', which are %s, and nothing says how many it has for each "
                        + "destination; say it with %s: %d gives each of them something to do, and 1 leaves some without.",
                    key, choice,
                    Assignment.and(IntStream.of(ring.agents).mapToObj(i -> agents.get(i).name()).toList()), count,
                    Math.ceilDiv(ring.size(), Math.max(1, members)));
            }
            return ring;
        }

        private List<Integer> those(Predicate<Candidate> which) {
            return IntStream.range(0, agents.size()).filter(i -> which.test(agents.get(i))).boxed().toList();
        }

        private UsageException nowhere(String key, String why, @Nullable String near) {
            return new UsageException("Group '" + key + "' is to be on " + why + (near != null ? "; did you mean '" + near + "'?"
                : "; there are " + agents.stream().map(Placing::introduced).collect(Collectors.joining(", ")) + "."));
        }

        private static String introduced(Candidate agent) {
            return agent.name() + (agent.host().isEmpty() || agent.host().equalsIgnoreCase(agent.name()) ? "" : " on " + agent.host())
                + (agent.labels().isEmpty() ? "" : agent.labels().entrySet().stream().sorted(Map.Entry.comparingByKey())
                    .map(label -> label.getValue().isEmpty() ? label.getKey() : label.getKey() + "=" + label.getValue())
                    .collect(Collectors.joining(" ", " (", ")")));
        }

        private void place(ProducerGroup group) {
            Ring ring = ring("producers " + group.spec().name(), group.producers().size(), Setting.PRODUCERS);
            boolean byDestination = group.destinations().size() >= ring.size();
            int first = ring.home(group.producers().getFirst().destinationIndex());
            for (ProducerPlan p : group.producers()) {
                ofProducer[p.index()] = ring.take(byDestination ? ring.home(p.destinationIndex()) : first + p.stripe());
            }
        }

        private void place(ConsumerGroup group) {
            Ring ring = ring("consumers " + group.spec().name(), group.consumers().size(), Setting.CONSUMERS);
            boolean byDestination = group.destinations().size() >= ring.size();
            int first = ring.home(group.consumers().getFirst().destinationIndex());
            Map<Integer, Integer> byConnection = new HashMap<>();
            int parts = 0;
            for (ConsumerPlan c : group.consumers()) {
                boolean alone = group.clientId(c.connection()) == null;
                Integer other = alone ? null : byConnection.get(c.connection());
                int place = other != null ? other : byDestination ? ring.home(c.destinationIndex()) : first + parts++;
                if (!alone) {
                    togetherByClientId |= byConnection.put(c.connection(), place) != null;
                }
                ofConsumer[c.index()] = ring.take(place);
            }
        }

        // ---- what came of it ----

        private List<Share> shares() {
            List<Share> shares =
                IntStream.range(0, agents.size()).mapToObj(i -> new Share(i, new BitSet(), new BitSet())).toList();
            for (int p = 0; p < ofProducer.length; p++) {
                shares.get(ofProducer[p]).producers().set(p);
            }
            for (int c = 0; c < ofConsumer.length; c++) {
                shares.get(ofConsumer[c]).consumers().set(c);
            }
            return shares;
        }

        private List<String> notices(List<Share> shares) {
            List<String> notices = new ArrayList<>();
            List<Integer> idle = shares.stream().filter(Share::isEmpty).map(Share::number).toList();
            List<Integer> unnamed = idle.stream().filter(agent -> rings.keySet().stream().noneMatch(ring -> ring.contains(agent))).toList();
            if (!unnamed.isEmpty()) {
                notices.add(idle(unnamed) + " nothing to do: no group is to be there; 'on' with that name, or 'on: spread', places one.");
            }
            List<Integer> beyond = idle.stream().filter(agent -> !unnamed.contains(agent)).toList();
            if (!beyond.isEmpty()) {
                int needed = rings.keySet().stream().filter(ring -> ring.contains(beyond.getLast())).mapToInt(List::size).min().orElse(0);
                notices
                    .add(idle(beyond) + " nothing to do: work for all of " + Counted.of(needed, "agent") + " needs a group with at least "
                        + Counted.of(needed, "destination") + ", producers or consumers"
                        + (togetherByClientId ? " (consumers of one connection with a client id stay together)." : "."));
            }
            plan.groups().forEach(group -> {
                Set<Long> made = new HashSet<>();
                switch (group) {
                    case ProducerGroup sending ->
                        sending.producers().forEach(p -> made.add(((long) ofProducer[p.index()] << 32) + p.connection()));
                    case ConsumerGroup receiving ->
                        receiving.consumers().forEach(c -> made.add(((long) ofConsumer[c.index()] << 32) + c.connection()));
                }
                if (made.size() > group.connections()) {
                    notices
                        .add(String.format(Locale.ROOT, "Group '%s' has %,d connections instead of %,d, since those that share one are on "
                            + "several agents.", Assignment.key(group), made.size(), group.connections()));
                }
            });
            return notices;
        }

        private String idle(List<Integer> numbers) {
            return (numbers.size() == 1 ? "Agent " : "Agents ") + Assignment.and(numbers.stream().map(i -> agents.get(i).name()).toList())
                + (numbers.size() == 1 ? " has" : " have");
        }

        private boolean crosses(Assignment assignment, boolean betweenClocks) {
            for (int d = 0; d < plan.destinations().size(); d++) {
                BitSet consuming = assignment.consuming(d);
                boolean other = assignment.producing(d).stream().anyMatch(from -> consuming.stream()
                    .anyMatch(to -> betweenClocks ? !agents.get(from).sharesClock(agents.get(to)) : from != to));
                if (other) {
                    return true;
                }
            }
            return false;
        }
    }
}
