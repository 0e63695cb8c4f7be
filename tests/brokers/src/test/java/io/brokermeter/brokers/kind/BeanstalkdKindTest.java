package io.brokermeter.brokers.kind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests with the beanstalkd that is installed on this machine. */
class BeanstalkdKindTest {

    private static final BrokerName BEANSTALKD = BrokerName.parse("beanstalkd");
    private static final BrokerOptions OPTIONS = BrokerOptions.defaults();

    @Test
    void servesAndLeavesNothingBehind() throws Exception {
        Path directory = BrokerOptions.newDirectory();
        Broker broker = Broker.start(BEANSTALKD, OPTIONS.withDirectory(directory).withProperty("z", "10"));
        try (broker) {
            assertThat(broker.name().toString()).matches("beanstalkd:\\d+\\.\\d+.*");
            assertThat(broker.urls()).containsExactly(Map.entry("BEANSTALKD", "beanstalkd://127.0.0.1:" + broker.port()));
            assertThat(asked(broker, "put 0 0 60 10\r\n0123456789\r\n")).isEqualTo("INSERTED 1");
            assertThat(asked(broker, "put 0 0 60 11\r\n01234567890\r\n")).isEqualTo("JOB_TOO_BIG");
        }
        assertThat(broker.isAlive()).isFalse();
        assertThat(directory).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({"interval", "always", "no"})
    void findsItsJobsAgainInAJournalThatIsKept(String journal, @TempDir Path directory) throws Exception {
        BrokerOptions kept = OPTIONS.withDirectory(directory).withJournal(journal);
        try (Broker broker = Broker.start(BEANSTALKD, kept)) {
            assertThat(asked(broker, "put 0 0 60 2\r\nhi\r\n")).isEqualTo("INSERTED 1");
        }
        try (Broker broker = Broker.start(BEANSTALKD, kept)) {
            assertThat(asked(broker, "peek 1\r\n")).isEqualTo("FOUND 1 2");
        }
    }

    @Test
    void keepsNoJournalWhenItIsNotPersistent(@TempDir Path directory) throws Exception {
        try (Broker broker = Broker.start(BEANSTALKD, OPTIONS.withDirectory(directory).withPersistent(false));
                Stream<Path> files = Files.list(directory)) {
            assertThat(asked(broker, "put 0 0 60 2\r\nhi\r\n")).isEqualTo("INSERTED 1");
            assertThat(files.map(file -> file.getFileName().toString())).noneMatch(file -> file.startsWith("binlog"));
        }
    }

    @Test
    void refusesAnotherVersionAndWhatItDoesNotHave() {
        assertThatThrownBy(() -> Broker.start(BrokerName.parse("beanstalkd:0.1")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("beanstalkd:0.1");
        for (BrokerOptions options : List.of(OPTIONS.withJournal("nio"), OPTIONS.withJournal("always").withPersistent(false),
            OPTIONS.withTopology("pair"), OPTIONS.withForbidden("x"), OPTIONS.withLogin("somebody", Secret.of("unseen")),
            OPTIONS.withTls(Path.of("keys.p12"), Secret.of("unseen")), OPTIONS.withTraining(Path.of("cache")),
            OPTIONS.withProperty("b", "1"), OPTIONS.withProperty("z", "many"))) {
            assertThatThrownBy(() -> Broker.check(BEANSTALKD, options)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Broker beanstalkd has no ").hasMessageEndingWith(".").hasMessageNotContaining("unseen");
        }
    }

    /** Returns the first line of the answer to a command. */
    private static String asked(Broker broker, String command) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", broker.port())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(command.getBytes(StandardCharsets.US_ASCII));
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII)).readLine();
        }
    }
}
