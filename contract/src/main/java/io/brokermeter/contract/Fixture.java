package io.brokermeter.contract;

import java.util.List;
import java.util.function.Predicate;

import io.brokermeter.contract.needs.Needs;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Destination;

/** What only some brokers under test, or their drivers, have ready for a test that {@link Needs} it. */
public enum Fixture {
    /** {@link BrokerUnderTest#address()}, before which a proxy can stand. */
    NETWORK(broker -> broker.address().isPresent()),
    /** {@link BrokerUnderTest#elsewhere}. */
    OTHER_ADDRESS(broker -> broker.elsewhere("127.0.0.1", 1).isPresent()),
    /** {@link BrokerUnderTest#takesSource()}. */
    SOURCE(BrokerUnderTest::takesSource),
    /** {@link BrokerUnderTest#reconnecting}. */
    RECONNECTING(broker -> broker.reconnecting("127.0.0.1", 1).isPresent()),
    /** {@link BrokerUnderTest#among}. */
    SEVERAL_SERVERS(broker -> broker.among(List.of(), List.of()).isPresent()),
    /** {@link BrokerUnderTest#victim()}. */
    VICTIM(broker -> broker.victim().isPresent()),
    /** {@link BrokerUnderTest#foreign}. */
    FOREIGN_CLIENT(broker -> broker.foreign(nowhere()).isPresent()),
    /** {@link BrokerUnderTest#refusing}. */
    FULL_QUEUE(broker -> broker.refusing(nowhere()).isPresent()),
    /** {@link BrokerUnderTest#bounded}. */
    BOUNDED_QUEUE(broker -> broker.bounded(nowhere()).isPresent()),
    /** {@link BrokerUnderTest#forbidden()}. */
    FORBIDDEN_DESTINATION(broker -> broker.forbidden().isPresent()),
    /** {@link BrokerUnderTest#wrongPassword()}. */
    WRONG_PASSWORD(broker -> broker.wrongPassword().isPresent()),
    /** {@link BrokerUnderTest#refusedTls()}. */
    REFUSED_TLS(broker -> broker.refusedTls().isPresent()),
    /** {@link BrokerUnderTest#unknownSetting()}. */
    UNKNOWN_SETTING(broker -> broker.unknownSetting().isPresent()),
    /** The driver has the parameter {@code server-name}. */
    SERVER_NAME(broker -> broker.driver().parameters().stream().anyMatch(own -> own.name().equals("server-name"))),
    /** {@link Capability#PRIORITY} with the settings of {@link BrokerUnderTest#prioritising}. */
    PRIORITIES(broker -> broker.capabilities(broker::prioritising).contains(Capability.PRIORITY)),
    /** {@link Capability#DURABLE_SUBSCRIPTIONS} of a connection with a client id. */
    DURABLE_SUBSCRIPTION_OF_A_CLIENT(
        broker -> broker.capabilities(settings -> settings.withClientId("client")).contains(Capability.DURABLE_SUBSCRIPTIONS));

    private final Predicate<BrokerUnderTest> there;

    Fixture(Predicate<BrokerUnderTest> there) {
        this.there = there;
    }

    private static Destination nowhere() {
        return new Destination(Destination.Kind.QUEUE, "nowhere");
    }

    /** Returns whether a broker, or its driver, has this. Starts no broker. */
    public boolean isOf(BrokerUnderTest broker) {
        return there.test(broker);
    }
}
