package io.brokermeter.experiment;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import io.brokermeter.engine.scenario.ConsumerSide;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.ProducerSide;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Summarizer;
import io.brokermeter.spi.Destination;
import org.jspecify.annotations.Nullable;

/**
 * A scenario whose ways to the broker may still be open.
 *
 * @param scenario everything but the endpoints; those it has are placeholders
 * @param producers the access of each group of producers, in their order
 * @param consumers the access of each group of consumers, in their order
 * @param agents who runs it together
 * @param on which agents each group may be on, in the order of {@link #groups}
 * @param file what it was made of
 */
public record Workload(
        Scenario scenario, List<EndpointChoice> producers, List<EndpointChoice> consumers, Agents agents, List<AgentChoice> on,
        RunFile file) {

    public Workload {
        on = List.copyOf(on);
        producers = List.copyOf(producers);
        consumers = List.copyOf(consumers);
        if (producers.size() != scenario.producers().size() || consumers.size() != scenario.consumers().size()
            || on.size() != producers.size() + consumers.size()) {
            throw new IllegalArgumentException("Each group needs its access and its agents.");
        }
    }

    /**
     * A group with its way to the broker.
     *
     * @param key its name, with its side in front: {@code producers NAME}; no two groups of a workload have the same
     */
    public record Group(String key, EndpointChoice access) {

        /** How people call it: its side, and its name where that is another word. */
        public String words() {
            return words(key);
        }

        /** The same by its key. */
        public static String words(String key) {
            int space = key.indexOf(' ');
            return space >= 0 && key.substring(0, space).equals(key.substring(space + 1)) ? key.substring(0, space) : key;
        }
    }

    /** Every group, producers first. */
    public List<Group> groups() {
        List<Group> groups = new ArrayList<>();
        for (int i = 0; i < producers.size(); i++) {
            groups.add(new Group("producers " + scenario.producers().get(i).name(), producers.get(i)));
        }
        for (int i = 0; i < consumers.size(); i++) {
            groups.add(new Group("consumers " + scenario.consumers().get(i).name(), consumers.get(i)));
        }
        return groups;
    }

    /** Which agents each group may be on, by its key. */
    public Map<String, AgentChoice> places() {
        Map<String, AgentChoice> places = new LinkedHashMap<>();
        List<Group> groups = groups();
        for (int i = 0; i < groups.size(); i++) {
            places.put(groups.get(i).key(), on.get(i));
        }
        return places;
    }

    /** The same for one process, as that of an agent: nobody else is named, in its file neither. */
    public Workload alone() {
        return new Workload(scenario, producers, consumers, Agents.NONE, on.stream().map(_ -> AgentChoice.SPREAD).toList(), file.alone());
    }

    /** What its runs are found by later, by name. */
    public Map<String, String> labels() {
        return file.labels();
    }

    /** The same with other ways. */
    public Workload reached(UnaryOperator<EndpointChoice> change) {
        return new Workload(scenario, producers.stream().map(change).toList(), consumers.stream().map(change).toList(), agents, on,
            file);
    }

    /** Where relative paths and commands in it start from. */
    public Path directory() {
        return file.base().toAbsolutePath().normalize();
    }

    Workload with(Scenario other) {
        return new Workload(other, producers, consumers, agents, on, file);
    }

    /**
     * The text of a scenario file that makes it again, without any password. Paths in it start from an absolute directory.
     *
     * @param name of the experiment
     * @param broker the broker to start for it, or null for the one that its file names, if any
     * @param known the way to the broker, for groups that say less of it
     */
    public String yaml(String name, @Nullable BrokerChoice broker, UnaryOperator<EndpointChoice> known) {
        RunFile whole = file.named(name, broker);
        for (int i = 0; i < producers.size(); i++) {
            whole = whole.reached("producers." + i, producers.get(i), known.apply(producers.get(i)));
        }
        for (int i = 0; i < consumers.size(); i++) {
            whole = whole.reached("consumers." + i, consumers.get(i), known.apply(consumers.get(i)));
        }
        return whole.text();
    }

    /** The scenario, ready to be planned, on the destinations that were named. */
    public Scenario connected(Function<Group, Endpoint> endpoints) {
        return connected(scenario.id(), "", endpoints);
    }

    /**
     * The scenario, ready to be planned.
     *
     * @param id the run's name, as in subscription names
     * @param suffix comes behind the name of each destination, so that no other trial has used it; empty for none
     * @param endpoints the endpoint of each group
     */
    public Scenario connected(String id, String suffix, Function<Group, Endpoint> endpoints) {
        List<Endpoint> all = groups().stream().map(endpoints).toList();
        List<ProducerSide> sending = new ArrayList<>();
        for (ProducerSide side : scenario.producers()) {
            Endpoint endpoint = all.get(sending.size());
            sending.add(side.with(group -> {
                group.endpoint = endpoint;
                group.destinations = suffixed(group.destinations, suffix);
            }));
        }
        List<ConsumerSide> receiving = new ArrayList<>();
        for (ConsumerSide side : scenario.consumers()) {
            Endpoint endpoint = all.get(sending.size() + receiving.size());
            receiving.add(side.with(group -> {
                group.endpoint = endpoint;
                group.destinations = suffixed(group.destinations, suffix);
                Summarizer counts = group.summarizer;
                group.summarizer = counts == null ? null : new Summarizer(counts.to().withSuffix(suffix), counts.every(), counts.sum());
            }));
        }
        return scenario.but(its -> {
            its.id = id;
            its.producers = sending;
            its.consumers = receiving;
        });
    }

    private static List<Destination> suffixed(List<Destination> destinations, String suffix) {
        return suffix.isEmpty() ? destinations : destinations.stream().map(one -> one.withSuffix(suffix)).toList();
    }
}
