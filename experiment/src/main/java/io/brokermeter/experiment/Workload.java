package io.brokermeter.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.brokermeter.engine.scenario.ConsumerSide;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.ProducerSide;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Summarizer;
import io.brokermeter.spi.Destination;

/**
 * A scenario whose ways to the broker may still be open.
 *
 * @param scenario everything but the endpoints; those it has are placeholders
 * @param producers the access of each group of producers, in their order
 * @param consumers the access of each group of consumers, in their order
 */
public record Workload(Scenario scenario, List<Access> producers, List<Access> consumers) {

    public Workload {
        producers = List.copyOf(producers);
        consumers = List.copyOf(consumers);
        if (producers.size() != scenario.producers().size() || consumers.size() != scenario.consumers().size()) {
            throw new IllegalArgumentException("Each group needs its access.");
        }
    }

    /** A scenario as it came from the options of a command; passwords do not come along. */
    public static Workload of(Scenario scenario) {
        return new Workload(scenario, scenario.producers().stream().map(side -> Access.of(side.endpoint())).toList(),
                scenario.consumers().stream().map(side -> Access.of(side.endpoint())).toList());
    }

    /** The scenario, ready to be planned, on the destinations that were named. */
    public Scenario connected(Function<Access, Endpoint> endpoints) {
        return connected(scenario.id(), "", endpoints);
    }

    /**
     * The scenario, ready to be planned.
     *
     * @param id the run's name, as in subscription names
     * @param suffix comes behind the name of each destination, so that no other trial has used it; empty for none
     * @param endpoints the endpoint of each access; called for each group
     */
    public Scenario connected(String id, String suffix, Function<Access, Endpoint> endpoints) {
        List<ProducerSide> sending = new ArrayList<>();
        for (int i = 0; i < producers.size(); i++) {
            sending.add(at(scenario.producers().get(i), endpoints.apply(producers.get(i)), suffix));
        }
        List<ConsumerSide> receiving = new ArrayList<>();
        for (int i = 0; i < consumers.size(); i++) {
            receiving.add(at(scenario.consumers().get(i), endpoints.apply(consumers.get(i)), suffix));
        }
        return new Scenario(id, sending, receiving, scenario.phases(), scenario.limits(), scenario.pacing(),
                scenario.realtime(), scenario.seed());
    }

    private static ProducerSide at(ProducerSide side, Endpoint endpoint, String suffix) {
        return new ProducerSide(side.name(), endpoint, suffixed(side.destinations(), suffix), side.perDestination(),
                side.threads(), side.sharedConnections(), side.maxPending(), side.load(), side.batch(), side.thinkTime(),
                side.start(), side.messageCount(), side.messages(), side.commitInterval(), side.rollbackShare(), side.request());
    }

    private static ConsumerSide at(ConsumerSide side, Endpoint endpoint, String suffix) {
        Summarizer summarizer = side.summarizer() == null ? null
                : new Summarizer(side.summarizer().to().withSuffix(suffix), side.summarizer().every(), side.summarizer().sum());
        return new ConsumerSide(side.name(), endpoint, suffixed(side.destinations(), suffix), side.perDestination(),
                side.sharedSubscriptions(), side.durable(), side.keepSubscriptions(), side.ackMode(), side.batch(),
                side.connections(), side.prefetch(), side.polling(), side.processing(), side.rate(), side.requeueShare(),
                side.rejectShare(), side.start(), side.messageCount(), side.selector(), side.replies(), summarizer);
    }

    private static List<Destination> suffixed(List<Destination> destinations, String suffix) {
        return suffix.isEmpty() ? destinations : destinations.stream().map(one -> one.withSuffix(suffix)).toList();
    }
}
