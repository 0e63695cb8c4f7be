package io.brokermeter.driver.beanstalkd;

import java.nio.ByteBuffer;

import io.brokermeter.driver.wire.InTurnProducer;
import io.brokermeter.driver.wire.LineBuffer;
import io.brokermeter.driver.wire.WriteBuffer;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.failure.DriverException;
import org.jspecify.annotations.Nullable;

/** A producer that puts jobs into a tube. */
final class BeanstalkdProducer extends InTurnProducer {

    /** The usual priority of clients, used for messages of priority 4 and for messages without a priority. */
    private static final int USUAL = 1024;

    private final BeanstalkdConnection connection;
    private final Destination destination;
    /** The command up to the length of the body, for each variant. */
    private final byte[][] heads;

    BeanstalkdProducer(
            BeanstalkdConnection connection, Destination destination, ProducerSettings settings, int ttr, SendListener listener) {
        super(connection, destination, settings.maxPending(), listener);
        this.connection = connection;
        this.destination = destination;
        long delay = Math.ceilDiv(settings.delayMillis(), 1000L);
        this.heads = settings.variants().stream().map(variant -> BeanstalkdConnection.ascii("put "
            + (variant.priority() < 0 ? USUAL : USUAL + 4 - variant.priority()) + " " + delay + " " + ttr + " ")).toArray(byte[][]::new);
    }

    @Override
    protected void append(Payload payload) {
        connection.use(destination.name());
        byte[] head = heads[payload.variant()];
        int length = payload.length();
        ByteBuffer out = connection.out.room(payload, head.length + 24).put(head);
        WriteBuffer.decimal(out, length).put((byte) '\r').put((byte) '\n');
        connection.out.body(payload, 0, length, 2).put((byte) '\r').put((byte) '\n');
        connection.out.appended();
        connection.expect(this);
    }

    @Override
    protected @Nullable Throwable refusal(LineBuffer answer) {
        if (answer.is("INSERTED")) {
            return null;
        }
        return new DriverException("The broker refused a message on " + destination + ": " + (answer.is("JOB_TOO_BIG")
            ? "it is larger than " + connection.largest + " bytes, the broker's option -z." : answer.text() + "."), null);
    }

    @Override
    protected void closed() {
        connection.remove(this);
    }
}
