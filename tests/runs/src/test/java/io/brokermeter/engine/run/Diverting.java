package io.brokermeter.engine.run;

import java.lang.reflect.Proxy;

import io.brokermeter.spi.Connection;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;

/** A driver of a broker with a divert: what is sent to one destination is delivered from another one as well. */
final class Diverting {

    private Diverting() {}

    static Driver over(Driver driver, Destination from, Destination to) {
        return (Driver) Proxy.newProxyInstance(Driver.class.getClassLoader(), new Class<?>[] {Driver.class}, (_, method, args) -> {
            Object made = method.invoke(driver, args);
            return !(made instanceof Connection connection) ? made : Proxy.newProxyInstance(Driver.class.getClassLoader(),
                new Class<?>[] {Connection.class}, (_, called, with) -> {
                    Object opened = called.invoke(connection, with);
                    return opened instanceof Producer producer && with[0].equals(from)
                        ? new Both(producer, connection.producer(to, (ProducerSettings) with[1], SendListener.NONE)) : opened;
                });
        });
    }

    private record Both(Producer producer, Producer copies) implements Producer {

        @Override
        public void send(Payload payload, long token) throws Exception {
            copies.send(payload, token);
            producer.send(payload, token);
        }

        @Override
        public void close() {
            producer.close();
            copies.close();
        }
    }
}
