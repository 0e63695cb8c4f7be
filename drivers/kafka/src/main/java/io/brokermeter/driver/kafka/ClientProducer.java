package io.brokermeter.driver.kafka;

import java.time.Duration;

import io.brokermeter.spi.Producer;
import io.brokermeter.spi.SendListener;
import org.apache.kafka.clients.producer.KafkaProducer;

/** A producer over a Kafka client of its own. */
abstract class ClientProducer implements Producer {

    final KafkaConnection connection;
    final RecordFactory outgoing;
    final SendListener listener;

    ClientProducer(KafkaConnection connection, RecordFactory records, SendListener listener) {
        this.connection = connection;
        this.outgoing = records;
        this.listener = listener;
    }

    /** Returns the client that is in use. Any thread. */
    abstract KafkaProducer<byte[], byte[]> client();

    @Override
    public final String stallReason() {
        return connection.stallReason();
    }

    /** Closes the client at once, which gives up unconfirmed messages. */
    final void abort() {
        client().close(Duration.ZERO);
    }
}
