package io.brokermeter.driver.beanstalkd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Retry;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.failure.DriverException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Behaviour that needs a scripted broker. */
@Tag("slow")
class BeanstalkdScriptTest {

    private static final Destination QUEUE = new Destination(Destination.Kind.QUEUE, "q");

    /** The number of jobs in the tube; their ids start at 1. */
    private volatile int jobs = 1;
    /** The received commands that reserve or delete jobs, in order. */
    private final List<String> commands = new CopyOnWriteArrayList<>();

    private void serve(ServerSocket server) {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                Thread.ofVirtual().start(() -> answer(socket));
            } catch (IOException e) {
                // the test is over
            }
        }
    }

    private void answer(Socket socket) {
        try (socket) {
            var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            int reserved = 0;
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String stats = "---\nversion: 1.0\nmax-job-size: 65535\n";
                String answer = switch (line.split(" ")[0]) {
                    case "stats" -> "OK " + stats.length() + "\r\n" + stats;
                    case "watch", "ignore" -> "WATCHING 1";
                    case "delete" -> "DELETED";
                    case "reserve-with-timeout" -> reserved == jobs ? "TIMED_OUT" : "RESERVED " + ++reserved + " 1\r\nx";
                    default -> "USING default";
                };
                if (line.startsWith("reserve") || line.startsWith("delete")) {
                    commands.add(line);
                }
                if (!line.equals("reserve-with-timeout 4")) {
                    socket.getOutputStream().write((answer + "\r\n").getBytes(StandardCharsets.US_ASCII));
                }
            }
        } catch (IOException e) {
            // the connection has ended
        }
    }

    private static Connection connect(ServerSocket server, int seconds) throws Exception {
        var settings = new ConnectionSettings("beanstalkd://127.0.0.1:" + server.getLocalPort(), null, null, null,
            Duration.ofSeconds(seconds));
        // The limit of a test that waits until it expires is shorter than a stall of the machine.
        return Retry.upTo(5, DriverException.class, () -> new BeanstalkdDriver().connect(settings, new ConnectionLog()));
    }

    @Test
    void saysThatADeliveryDidNotEndBeforeTheConsumerClosed() throws Exception {
        try (var server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> serve(server));
            var connection = connect(server, 5);
            var began = new CountDownLatch(1);
            var ends = new CountDownLatch(1);
            var consumer = connection.consumer(QUEUE, ConsumerSettings.of(its -> its.mayBlock = true), new Deliveries(delivery -> {
                began.countDown();
                Await.until(() -> ends.getCount() == 0, () -> "the test goes on");
                return Settlement.ACCEPT;
            }));
            assertThat(began.await(60, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(consumer::close).hasMessageContaining("did not end");
            ends.countDown();
            connection.close();
        }
    }

    /** By default the number of jobs reserved ahead grows while jobs arrive, so that two are reserved when the first one is settled. */
    @ParameterizedTest
    @CsvSource({"0, 0", "-1, 10000000"})
    void reservesOneJobAtATimeWhereNoneIsWantedAhead(int prefetch, int bytes) throws Exception {
        jobs = 3;
        try (var server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> serve(server));
            var connection = connect(server, 60);
            var deliveries = new Deliveries();
            connection.consumer(QUEUE, ConsumerSettings.of(its -> {
                its.prefetch = prefetch;
                its.messageBytes = bytes;
            }), deliveries);
            deliveries.await(3);
            Await.until(() -> commands.size() >= 7, () -> "only " + commands);
            String reserve = "reserve-with-timeout 0";
            assertThat(List.copyOf(commands).subList(0, 7)).containsExactly(reserve, "delete 1", reserve, "delete 2", reserve, "delete 3",
                reserve);
            connection.close();
        }
    }
}
