package io.brokermeter.driver.amqp091.model;

import java.util.Map;
import java.util.OptionalLong;

import io.brokermeter.spi.Connection;
import io.brokermeter.spi.Destination;

/** A connection whose destinations are those of a {@link Topology}. */
public interface TopologyConnection extends Connection {

    Topology topology();

    /** Returns the properties that the broker announces. */
    Map<String, Object> serverProperties();

    @Override
    default boolean declare(Destination destination) throws Exception {
        return topology().declare(destination);
    }

    @Override
    default void delete(Destination destination) throws Exception {
        topology().delete(destination);
    }

    @Override
    default OptionalLong depth(Destination destination) throws Exception {
        return topology().depth(destination);
    }

    @Override
    default void unsubscribe(Destination destination, String subscription) throws Exception {
        topology().unsubscribe(destination, subscription);
    }

    @Override
    default String broker() {
        Object product = serverProperties().get("product");
        Object version = serverProperties().get("version");
        return product == null ? "" : version == null ? product.toString() : product + " " + version;
    }
}
