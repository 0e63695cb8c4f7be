package io.brokermeter.experiment;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.ProducerGroupSpec;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.experiment.access.AgentChoice;
import io.brokermeter.experiment.access.Agents;
import io.brokermeter.experiment.access.BrokerChoice;
import io.brokermeter.experiment.access.EndpointChoice;
import io.brokermeter.experiment.access.RunFile;
import org.jspecify.annotations.Nullable;

/**
 * A scenario whose access to brokers may still be open. Immutable.
 *
 * @param scenario the scenario, whose endpoints are placeholders
 * @param producers access of each group of producers, in their order
 * @param consumers access of each group of consumers, in their order
 * @param agents agents that run it together
 * @param on agents on which each group may be placed, in the order of {@link #groups}
 * @param file the file from which it was made
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
     * A group with its access to the broker.
     *
     * @param key side and name of the group, {@code producers NAME}; unique in a workload
     */
    public record Group(String key, EndpointChoice access) {

        /** Returns the group's name for people: its side, followed by its name unless both are the same word. */
        public String words() {
            return words(key);
        }

        /** Returns the name for people of the group with a key. */
        public static String words(String key) {
            int space = key.indexOf(' ');
            return space >= 0 && key.substring(0, space).equals(key.substring(space + 1)) ? key.substring(0, space) : key;
        }
    }

    /** Returns all groups, producers first. */
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

    /** Returns the agents on which each group may be placed, by the group's key. */
    public Map<String, AgentChoice> places() {
        Map<String, AgentChoice> places = new LinkedHashMap<>();
        List<Group> groups = groups();
        for (int i = 0; i < groups.size(); i++) {
            places.put(groups.get(i).key(), on.get(i));
        }
        return places;
    }

    /** Returns this workload for a single process, such as that of an agent: without agents, in its file, too. */
    public Workload alone() {
        return new Workload(scenario, producers, consumers, Agents.NONE, on.stream().map(_ -> AgentChoice.SPREAD).toList(), file.alone());
    }

    /** Returns the labels by which the runs of this workload are found later, by name. */
    public Map<String, String> labels() {
        return file.labels();
    }

    /** Returns this workload with the access of each group changed by {@code change}. */
    public Workload reached(UnaryOperator<EndpointChoice> change) {
        return new Workload(scenario, producers.stream().map(change).toList(), consumers.stream().map(change).toList(), agents, on,
            file);
    }

    /** Returns the directory from which relative paths and commands in the workload start, as an absolute path. */
    public Path directory() {
        return file.base().toAbsolutePath().normalize();
    }

    Workload with(Scenario other) {
        return new Workload(other, producers, consumers, agents, on, file);
    }

    /**
     * Returns the text of a scenario file from which the same workload is read, without any password. Paths in it start from an absolute
     * directory.
     *
     * @param name name of the experiment
     * @param broker broker to start for it, or null for the one that its file names, if any
     * @param known returns the complete access for that of a group
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

    /** Returns the scenario with endpoints, ready to be planned, on the destinations that were named. */
    public Scenario connected(Function<Group, Endpoint> endpoints) {
        return connected(scenario.id(), "", endpoints);
    }

    /**
     * Returns the scenario with endpoints, ready to be planned.
     *
     * @param id name of the run, which is also part of subscription names
     * @param suffix suffix for the name of each destination, so that no other trial has used it; empty for none
     * @param endpoints returns the endpoint of a group
     */
    public Scenario connected(String id, String suffix, Function<Group, Endpoint> endpoints) {
        List<Endpoint> all = groups().stream().map(endpoints).toList();
        List<ProducerGroupSpec> sending = new ArrayList<>();
        for (ProducerGroupSpec side : scenario.producers()) {
            sending.add(side.connected(all.get(sending.size()), suffix));
        }
        List<ConsumerGroupSpec> receiving = new ArrayList<>();
        for (ConsumerGroupSpec side : scenario.consumers()) {
            receiving.add(side.connected(all.get(sending.size() + receiving.size()), suffix));
        }
        return scenario.with(its -> {
            its.id = id;
            its.producers = sending;
            its.consumers = receiving;
        });
    }
}
