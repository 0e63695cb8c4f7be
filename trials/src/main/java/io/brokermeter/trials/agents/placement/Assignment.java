package io.brokermeter.trials.agents.placement;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.TreeSet;

import io.brokermeter.engine.plan.ConsumerGroup;
import io.brokermeter.engine.plan.Group;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.ProducerGroup;

/** A plan whose producers and consumers are assigned to agents, with queries by destination and by group. */
final class Assignment {

    final Plan plan;
    private final List<Placement.Candidate> agents;
    private final int[] ofProducer;
    private final int[] ofConsumer;
    private final List<BitSet> producing = new ArrayList<>();
    private final List<BitSet> consuming = new ArrayList<>();

    /**
     * @param ofProducer number of the agent of each producer
     * @param ofConsumer number of the agent of each consumer
     */
    Assignment(Plan plan, List<Placement.Candidate> agents, int[] ofProducer, int[] ofConsumer) {
        this.plan = plan;
        this.agents = agents;
        this.ofProducer = ofProducer;
        this.ofConsumer = ofConsumer;
        for (int d = 0; d < plan.destinations().size(); d++) {
            producing.add(new BitSet());
            consuming.add(new BitSet());
        }
        plan.producers().forEach(group -> group.producers().forEach(p -> producing.get(p.destinationIndex()).set(ofProducer[p.index()])));
        plan.consumers().forEach(group -> group.consumers().forEach(c -> consuming.get(c.destinationIndex()).set(ofConsumer[c.index()])));
    }

    /** Returns the numbers of the agents that send to a destination. */
    BitSet producing(int destination) {
        return producing.get(destination);
    }

    /** Returns the numbers of the agents that receive from a destination. */
    BitSet consuming(int destination) {
        return consuming.get(destination);
    }

    /** Returns the names of the agents that run a group. */
    List<String> agents(Group group) {
        TreeSet<Integer> numbers = new TreeSet<>();
        switch (group) {
            case ProducerGroup senders -> senders.producers().forEach(p -> numbers.add(ofProducer[p.index()]));
            case ConsumerGroup receivers -> receivers.consumers().forEach(c -> numbers.add(ofConsumer[c.index()]));
        }
        return names(numbers.stream().mapToInt(Integer::intValue).toArray());
    }

    List<String> names(int... numbers) {
        List<String> names = new ArrayList<>();
        for (int number : numbers) {
            names.add(agents.get(number).name());
        }
        return names;
    }

    /** Returns the key of a group, by which sentences and workloads name it. */
    static String key(Group group) {
        return (group instanceof ProducerGroup ? "producers " : "consumers ") + group.spec().name();
    }

    /** Joins names as {@code a, b and c}; of more than five, only the first four. */
    static String and(List<String> names) {
        if (names.size() > 5) {
            return String.join(", ", names.subList(0, 4)) + " and " + (names.size() - 4) + " more";
        }
        return names.size() == 1 ? names.getFirst()
            : String.join(", ", names.subList(0, names.size() - 1)) + " and " + names.getLast();
    }
}
