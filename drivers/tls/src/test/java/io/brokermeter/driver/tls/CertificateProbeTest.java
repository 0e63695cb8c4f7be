package io.brokermeter.driver.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

import io.brokermeter.contract.Acceptor;
import io.brokermeter.contract.Retry;
import io.brokermeter.contract.tls.CertificateAuthority;
import io.brokermeter.spi.parameter.ServerUrl;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Servers that do not answer the handshake at once. */
@Execution(ExecutionMode.CONCURRENT)
class CertificateProbeTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    /** How long a server looks at the certificate of the other side before it ends the connection. */
    private static final Duration LATE = Duration.ofSeconds(2);

    @TempDir
    private Path directory;

    /** A server that leaves some connections unanswered, and presents a certificate that nobody trusts on all others. */
    private final class Server implements AutoCloseable {

        private final List<Socket> accepted = new CopyOnWriteArrayList<>();
        private final SSLContext context = SSLContext.getInstance("TLS");
        private final int unanswered;
        private final Acceptor acceptor;

        Server(int unanswered) throws Exception {
            this.unanswered = unanswered;
            char[] password = CertificateAuthority.PASSWORD.toCharArray();
            KeyStore keys = KeyStore.getInstance("PKCS12");
            Path file = CertificateAuthority.of("a stranger").server("127.0.0.1").keyStore(directory.resolve("server.p12"));
            try (InputStream in = Files.newInputStream(file)) {
                keys.load(in, password);
            }
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(keys, password);
            context.init(factory.getKeyManagers(), null, null);
            this.acceptor = new Acceptor(0, this::accept);
        }

        private void accept(Socket socket) {
            accepted.add(socket);
            if (accepted.size() > unanswered) {
                Thread.ofPlatform().daemon().start(() -> {
                    try (SSLSocket tls = (SSLSocket) context.getSocketFactory().createSocket(socket, (@Nullable InputStream) null, true)) {
                        tls.startHandshake();
                        Thread.sleep(LATE);
                    } catch (IOException | InterruptedException e) {
                        // the other side refuses the certificate
                    }
                });
            }
        }

        ServerUrl.Server address() {
            return new ServerUrl.Server("127.0.0.1", acceptor.port());
        }

        @Override
        public void close() throws IOException {
            acceptor.close();
            for (Socket socket : accepted) {
                socket.close();
            }
        }
    }

    private static Optional<String> sentence(ServerUrl.Server... servers) throws Exception {
        return sentence(false, servers);
    }

    private static Optional<String> sentence(boolean trustAll, ServerUrl.Server... servers) throws Exception {
        Tls tls = Tls.open(new TlsOptions(Optional.empty(), Optional.empty(), trustAll, true));
        return new CertificateProbe(tls, TlsNames.OWN).sentence(List.of(servers), LIMIT);
    }

    @Test
    void asksAgainAfterAStall() throws Exception {
        try (Server server = new Server(1)) {
            assertThat(sentence(server.address())).hasValueSatisfying(words -> assertThat(words)
                .contains("The certificate of " + server.address() + " is not trusted"));
        }
    }

    @Test
    void waitsForALateEndOfTheConnection() throws Exception {
        // A stall of the machine may make the end later than the probe waits for it.
        Retry.upToThree(() -> {
            try (Server server = new Server(0)) {
                assertThat(sentence(true, server.address())).hasValueSatisfying(words -> assertThat(words)
                    .contains(server.address() + " ended the connection right after the TLS handshake"));
            }
        });
    }

    @Test
    void asksAServerThatNeverAnswersTwiceAtMost() throws Exception {
        try (Server server = new Server(Integer.MAX_VALUE)) {
            assertThat(sentence(server.address())).isEmpty();
            assertThat(server.accepted).hasSizeBetween(1, 2);
        }
    }

    @Test
    void silentServersLeaveTimeForTheLastOne() throws Exception {
        try (Server silent = new Server(Integer.MAX_VALUE); Server last = new Server(0)) {
            ServerUrl.Server mute = silent.address();
            assertThat(sentence(mute, mute, mute, last.address())).hasValueSatisfying(words -> assertThat(words)
                .contains("The certificate of " + last.address() + " is not trusted"));
        }
    }
}
