package io.brokermeter.driver.kafka;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.brokermeter.driver.kafka.BrokerLossWatch.Change;
import io.brokermeter.driver.kafka.BrokerLossWatch.Watched;
import io.brokermeter.driver.kafka.direct.DirectProducer;
import io.brokermeter.driver.kafka.direct.Owner;
import io.brokermeter.spi.failure.DriverException;
import org.apache.kafka.common.Node;
import org.jspecify.annotations.Nullable;

/** What a connection is to one producer of brokermeter's own path. */
final class DirectOwner implements Owner {

    private final KafkaConnection connection;
    private Watched watched = () -> Change.NONE;

    DirectOwner(KafkaConnection connection) {
        this.connection = connection;
    }

    /** Returns the connections of the producer as they are watched. Called once, before the producer can be closed. */
    Watched watched(DirectProducer producer) {
        watched = () -> producer.takeBack() ? Change.BROKE : producer.takeClosed() ? Change.CLOSED : Change.NONE;
        return watched;
    }

    @Override
    public List<@Nullable Node> leaders(String topic) throws DriverException {
        return connection.brokers().leaders(topic);
    }

    @Override
    public DriverException sendFailure(Throwable failure) {
        return connection.sendFailure(failure);
    }

    @Override
    public DriverException notTaken(Exception failure) {
        return connection.notTaken(failure);
    }

    @Override
    public boolean leavesUnknown(Throwable failure) {
        return connection.leavesUnknown(failure);
    }

    @Override
    public void close(DirectProducer producer, Consumer<Duration> closing) {
        connection.close(producer, watched, closing);
    }

    @Override
    public String stallReason() {
        return connection.stallReason();
    }
}
