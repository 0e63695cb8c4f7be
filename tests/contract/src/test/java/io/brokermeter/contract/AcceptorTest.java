package io.brokermeter.contract;

import static org.assertj.core.api.Assertions.assertThatCode;

import java.net.InetSocketAddress;
import java.net.Socket;

import org.junit.jupiter.api.Test;

/** Tests of listeners in place of a broker, at a port that the broker advertises. */
class AcceptorTest {

    @Test
    void givesItsPortBackWhenItIsClosed() throws Exception {
        try (var behind = new Acceptor(0, Socket::getPort)) {
            var broker = new InetSocketAddress("127.0.0.1", behind.port());
            int port = FreePorts.one();
            for (int i = 0; i < 300; i++) {
                var proxy = new FaultProxy(broker, port, () -> {});
                try (var client = new Socket("127.0.0.1", port)) {
                    client.getOutputStream().write(1);
                }
                proxy.close();
                assertThatCode(() -> new Acceptor(port, Socket::getPort).close()).as("after proxy " + i).doesNotThrowAnyException();
            }
        }
    }
}
