package io.brokermeter.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HandoverTest {

    @Test
    void aProcessOfItsOwnDoesWhatAProxyDoes() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress()); Handover handover = Handover.start()) {
            Line line = handover.proxy("127.0.0.1", server.getLocalPort(), NetworkRule.parse("rtt=20ms"));
            assertThat(handover.pid()).isNotEqualTo(ProcessHandle.current().pid());
            long begun = System.nanoTime();
            try (Socket client = new Socket(line.address().getAddress(), line.address().getPort()); Socket served = server.accept()) {
                client.getOutputStream().write(5);
                assertThat(served.getInputStream().read()).isEqualTo(5);
                assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(30_000_000);
                assertThat(line.connections()).isEqualTo(1);
                line.blackHole(true);
                line.rule(NetworkRule.NONE);
                client.getOutputStream().write(6);
                line.heal();
                assertThat(served.getInputStream().read()).isEqualTo(6);
                line.reset();
                assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
                line.cut();
            }
            assertThat(handover.cpu()).isPositive();
            assertThatThrownBy(() -> handover.proxy("127.0.0.1", 1, NetworkRule.parse("loss=1%")))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("loss needs a link");
            assertThatThrownBy(() -> handover.proxy("no host", 1, NetworkRule.NONE)).isInstanceOf(IOException.class)
                .hasMessageContaining("no host");
            line.close();
            assertThatThrownBy(() -> new Socket(line.address().getAddress(), line.address().getPort()).close())
                .isInstanceOf(IOException.class);
            ProcessHandle.of(handover.pid()).orElseThrow().destroyForcibly();
            assertThatThrownBy(() -> handover.proxy("127.0.0.1", 1, NetworkRule.NONE)).isInstanceOf(IOException.class)
                .hasMessageContaining("has ended");
        }
    }
}
