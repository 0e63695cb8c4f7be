package io.brokermeter.engine.scenario;

import java.util.List;
import java.util.Map;

import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Destination;

/** A group of producers or of consumers, as the user asked for it. */
public sealed interface GroupSpec permits ProducerGroupSpec, ConsumerGroupSpec {

    /** Returns the name of the group, which is unique among the groups of its kind. */
    String name();

    Endpoint endpoint();

    List<Destination> destinations();

    Start start();

    /** Returns the number of producers or of consumers in the group, over all its destinations. */
    long size();

    /** Returns for each capability that such groups may need of a driver, besides topics, variants and envelopes, whether this one does. */
    Map<Capability, Boolean> needs();
}
