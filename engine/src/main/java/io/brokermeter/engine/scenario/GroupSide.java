package io.brokermeter.engine.scenario;

import java.util.List;

import io.brokermeter.spi.Destination;

/** What a group of producers and one of consumers have in common. */
public sealed interface GroupSide permits ProducerSide, ConsumerSide {

    /** Unique among the groups of its kind. */
    String name();

    Endpoint endpoint();

    List<Destination> destinations();

    Start start();
}
