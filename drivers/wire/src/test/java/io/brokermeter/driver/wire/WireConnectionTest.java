package io.brokermeter.driver.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.spi.failure.DriverException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WireConnectionTest {

    private final ConnectionLog log = new ConnectionLog();
    private Pair pair;
    private BufferedReader peer;

    @BeforeEach
    void open() throws IOException {
        pair = new Pair();
        peer = new BufferedReader(new InputStreamReader(pair.far.socket().getInputStream(), StandardCharsets.US_ASCII));
    }

    @AfterEach
    void close() throws IOException {
        pair.close();
    }

    /** A buffer whose frames are lines. */
    private static final class Lines extends ReadBuffer {

        private String line = "";

        Lines() {
            super(false, 256, 1 << 16);
        }

        @Override
        public boolean next() {
            for (int i = start; i < in.limit(); i++) {
                if (in.get(i) == '\n') {
                    line = new String(in.array(), start, i - start, StandardCharsets.US_ASCII);
                    start = i + 1;
                    return true;
                }
            }
            return false;
        }
    }

    /** A protocol whose broker answers "bye" with "bye", and whose client answers "no" with "so be it". */
    private final class Spoken extends WireConnection {

        private final Lines lines;
        private final long silence;
        private final long beat;
        private final long write;
        private volatile boolean released;
        private final CountDownLatch goesOn = new CountDownLatch(1);
        private volatile int answers;
        private final List<String> heard = new CopyOnWriteArrayList<>();
        private final AtomicInteger batches = new AtomicInteger();
        private volatile boolean virtual;
        private volatile boolean failsToBeat;
        private final List<Throwable> ends = new CopyOnWriteArrayList<>();
        /** The endpoints that are listed before {@link #endpoint}. */
        private final List<WireEndpoint> others = new CopyOnWriteArrayList<>();
        private final WireEndpoint endpoint = new WireEndpoint() {

            @Override
            protected void endOfBatch() {
                batches.incrementAndGet();
            }

            @Override
            protected void ended(Throwable reason) {
                ends.add(reason);
            }
        };

        Spoken(Lines lines, long silenceMillis, long beatMillis, long writeMillis, Duration timeout) {
            super("test", pair.wire, lines, log, timeout, new AtomicBoolean());
            this.lines = lines;
            this.silence = TimeUnit.MILLISECONDS.toNanos(silenceMillis);
            this.beat = TimeUnit.MILLISECONDS.toNanos(beatMillis);
            this.write = TimeUnit.MILLISECONDS.toNanos(writeMillis);
            start(TimeUnit.MILLISECONDS.toNanos(200), 0);
        }

        private void say(String line) {
            lock.lock();
            try {
                byte[] bytes = (line + "\n").getBytes(StandardCharsets.US_ASCII);
                out.append(bytes, bytes.length);
            } finally {
                lock.unlock();
            }
        }

        @Override
        protected void frame() throws IOException {
            heard.add(lines.line);
            virtual = Thread.currentThread().isVirtual();
            touch(endpoint);
            touch(endpoint);
            switch (lines.line) {
                case "ask" -> {
                    say("answer " + ++answers);
                    owe();
                }
                case "bye" -> {
                    released = true;
                    signal();
                }
                case "no" -> {
                    say("so be it");
                    throw new DriverException("The broker said no.", null);
                }
                case "wait" -> Await.until(() -> goesOn.getCount() == 0, () -> "the test goes on");
                case "nonsense" -> throw new IllegalStateException("nonsense");
                default -> {}
            }
        }

        @Override
        protected long longestSilence() {
            return silence;
        }

        @Override
        protected long longestWrite() {
            return write;
        }

        @Override
        protected boolean beatDue(long unwritten, long unread) {
            return beat > 0 && unwritten > beat;
        }

        @Override
        protected void beat() {
            if (failsToBeat) {
                throw new IllegalStateException("no beat");
            }
            say("beat");
        }

        @Override
        protected void goodbye() {
            say("bye");
        }

        @Override
        protected boolean isReleased() {
            return released;
        }

        @Override
        protected boolean isAnswered(Throwable end) {
            return end instanceof DriverException;
        }

        @Override
        protected List<WireEndpoint> endpoints() {
            return Stream.concat(others.stream(), Stream.of(endpoint)).toList();
        }

        void close() {
            closeAll();
        }
    }

    private Spoken connection(Duration timeout) {
        return new Spoken(new Lines(), 0, 0, 60_000, timeout);
    }

    private void peerSays(String lines) throws IOException {
        pair.far.write(ByteBuffer.wrap(lines.getBytes(StandardCharsets.US_ASCII)));
    }

    private void awaitLoss(Spoken connection, String sentence) {
        Await.until(() -> !log.losses().isEmpty(), () -> "no loss");
        assertThat(log.losses()).hasSize(1);
        assertThat(log.losses().getFirst()).isInstanceOf(DriverException.class).message().contains(sentence);
        assertThat(connection.ends).containsExactly(log.losses().getFirst());
        assertThat(connection.isAlive()).isFalse();
        assertThatThrownBy(connection::check).hasMessageContaining(sentence);
        connection.close();
        assertThat(log.losses()).hasSize(1);
    }

    @Test
    void answersOnceForAllThatOneReadBrought() throws Exception {
        peerSays("ask\nask\nask\nrest");
        var connection = connection(Duration.ofSeconds(20));
        assertThat(List.of(peer.readLine(), peer.readLine(), peer.readLine())).containsExactly("answer 1", "answer 2", "answer 3");
        assertThat(connection.batches).hasValue(1);
        connection.sends();
        peerSays("\nask\n");
        assertThat(peer.readLine()).isEqualTo("answer 4");
        assertThat(connection.heard).containsExactly("ask", "ask", "ask", "rest", "ask");
        peerSays("bye\n");
        connection.close();
        assertThat(peer.readLine()).isEqualTo("bye");
        assertThat(log.losses()).isEmpty();
        // closing waits for the reader only up to a limit, so the end may be reported later
        Await.until(() -> !connection.ends.isEmpty(), () -> "no end");
        assertThat(connection.ends).hasSize(1);
        assertThatThrownBy(connection::check).isInstanceOf(DriverException.class);
    }

    @Test
    void tellsOfAPeerThatIsGone() throws Exception {
        var connection = connection(Duration.ofSeconds(20));
        pair.far.close();
        awaitLoss(connection, "The broker closed the connection.");
        assertThatThrownBy(() -> connection.await(() -> false, 1_000_000_000L, "Nothing came")).hasMessageContaining("closed");
        assertThat(connection.awaitClosing(() -> false)).isFalse();
    }

    @Test
    void tellsEveryEndpointThoughOneThrows() throws Exception {
        var connection = connection(Duration.ofSeconds(20));
        connection.others.add(new WireEndpoint() {

            @Override
            protected void ended(Throwable reason) {
                throw new IllegalStateException("a listener that fails");
            }
        });
        pair.far.close();
        awaitLoss(connection, "closed the connection");
    }

    @Test
    void tellsWhatTheBrokerSaidAndAnswersItFirst() throws Exception {
        var connection = connection(Duration.ofSeconds(20));
        peerSays("no\n");
        assertThat(peer.readLine()).isEqualTo("so be it");
        assertThat(peer.readLine()).isNull();
        awaitLoss(connection, "The broker said no.");
    }

    /** A write to a broker that has said why it ends the connection may fail before the reader is there. */
    @Test
    void tellsWhatTheBrokerSaidThoughAWriteFailed() throws Exception {
        var connection = connectionThatHears("wait\nno\n");
        connection.fail(new IOException("Broken pipe"));
        connection.goesOn.countDown();
        awaitLoss(connection, "The broker said no.");
    }

    @Test
    void readsWhatTheBrokerSaidAfterAWriteFailed() throws Exception {
        var connection = connectionThatHears("wait\n");
        peerSays("no\n");
        writeInVain(connection);
        connection.goesOn.countDown();
        awaitLoss(connection, "The broker said no.");
    }

    /** Nothing comes from this broker, not even an end. */
    @Test
    void givesUpAConnectionThatCannotBeWritten() throws Exception {
        var connection = connection(Duration.ofSeconds(20));
        writeInVain(connection);
        awaitLoss(connection, "The connection was closed.");
    }

    /** Returns a connection whose reader has come to the word "wait", and stays there until the test goes on. */
    private Spoken connectionThatHears(String lines) throws Exception {
        peerSays(lines);
        var connection = connection(Duration.ofSeconds(20));
        Await.until(() -> connection.heard.contains("wait"), () -> "it reads nothing");
        return connection;
    }

    private void writeInVain(Spoken connection) throws IOException {
        pair.near.shutdownOutput();
        connection.say("in vain");
        assertThat(connection.flushAll()).isFalse();
        assertThat(connection.flushAll()).isFalse();
    }

    @Test
    void tellsOfWhatItCannotRead() throws Exception {
        var connection = connection(Duration.ofSeconds(20));
        peerSays("nonsense\n");
        awaitLoss(connection, "The connection was given up: nonsense.");
        assertThat(connection.batches).hasValue(1);
    }

    @Test
    void tellsOfSilence() {
        awaitLoss(new Spoken(new Lines(), 250, 0, 60_000, Duration.ofSeconds(20)), "The broker sent nothing for ");
    }

    @Test
    void tellsOfAPeerThatDoesNotRead() {
        var connection = new Spoken(new Lines(), 0, 0, 300, Duration.ofSeconds(20));
        connection.lock.lock();
        try {
            connection.out.append(new byte[64 << 20], 64 << 20);
        } finally {
            connection.lock.unlock();
        }
        connection.help();
        awaitLoss(connection, "The broker has read nothing from its socket for ");
        connection.say("more");
        assertThat(connection.flushAll()).isFalse();
    }

    /** Thousands of connections must not need thousands of stacks. */
    @Test
    void worksOnVirtualThreadsWhereThereAreManyOthers() throws Exception {
        var over = new CountDownLatch(1);
        for (int i = 0; i < 64; i++) {
            ConsumerThread.unstarted("another-" + i, () -> Await.until(() -> over.getCount() == 0, () -> "the test goes on")).start();
        }
        Spoken connection;
        try {
            connection = new Spoken(new Lines(), 0, 100, 60_000, Duration.ofSeconds(20));
        } finally {
            over.countDown();
        }
        connection.sends();
        peerSays("ask\n");
        assertThat(Stream.generate(this::line).filter(line -> !"beat".equals(line)).findFirst()).contains("answer 1");
        assertThat(line()).isEqualTo("beat");
        assertThat(connection.virtual).isTrue();
        peerSays("bye\n");
        connection.close();
        assertThat(log.losses()).isEmpty();
        Await.until(() -> !connection.ends.isEmpty(), () -> "no end");
        Await.until(() -> !ConsumerThread.unstarted("none", () -> {}).isVirtual(), () -> "threads of the system again");
    }

    private String line() {
        try {
            return peer.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void goesOnGivingSignsOfLifeAfterAnotherConnectionFailed() throws Exception {
        Pair other = pair;
        var failing = new Spoken(new Lines(), 0, 100, 60_000, Duration.ofSeconds(20));
        assertThat(line()).isEqualTo("beat");
        open();
        var connection = new Spoken(new Lines(), 0, 100, 60_000, Duration.ofSeconds(20));
        failing.failsToBeat = true;
        awaitLoss(failing, "The connection was given up: no beat.");
        assertThat(List.of(line(), line(), line())).containsExactly("beat", "beat", "beat");
        peerSays("bye\n");
        connection.close();
        other.close();
    }

    @Test
    void givesSignsOfLifeWhileNothingIsSent() throws Exception {
        var connection = new Spoken(new Lines(), 0, 100, 60_000, Duration.ofSeconds(20));
        assertThat(List.of(peer.readLine(), peer.readLine())).containsExactly("beat", "beat");
        peerSays("bye\n");
        connection.close();
        assertThat(log.losses()).isEmpty();
    }

    /**
     * Appended output that no thread has written is no sign of life. The helper thread that writes the heartbeat writes this output as
     * well.
     */
    @Test
    void givesSignsOfLifeWhileSomethingWaitsThatNobodyWrites() throws Exception {
        pair.far.socket().setSoTimeout(60_000);
        var connection = new Spoken(new Lines(), 0, 100, 60_000, Duration.ofSeconds(20));
        connection.say("held back");
        assertThat(peer.lines().anyMatch("held back"::equals)).isTrue();
        assertThat(peer.readLine()).isEqualTo("beat");
        peerSays("bye\n");
        connection.close();
        assertThat(log.losses()).isEmpty();
    }

    @Test
    void waitsForAMuteBrokerOnceAndNotAgain() {
        var connection = connection(Duration.ofMillis(300));
        assertThatThrownBy(() -> connection.await(() -> false, 300_000_000L, "The broker did not commit"))
            .hasMessage("The broker did not commit within 300 ms.");
        // would take 300 s if each call waited up to its limit
        for (int i = 0; i < 1000; i++) {
            assertThat(connection.awaitClosing(() -> false)).isFalse();
        }
        connection.close();
        assertThat(log.losses()).isEmpty();
        // closing waits for the reader only up to a limit, so the end may be reported later
        Await.until(() -> !connection.ends.isEmpty(), () -> "no end");
        assertThat(connection.ends).hasSize(1);
    }

    /** The answer may have arrived during the stall. The lock keeps the closing thread from running, as a stall of the process does. */
    @Test
    void takesAStallOfThisProcessForNoSilenceOfTheBroker() throws Exception {
        var limit = Duration.ofSeconds(4);
        var connection = connection(limit);
        var looks = new AtomicInteger();
        var answered = new AtomicBoolean();
        var closing = new FutureTask<>(() -> connection.awaitClosing(() -> {
            looks.incrementAndGet();
            return answered.get();
        }));
        Thread.ofPlatform().daemon().start(closing);
        Await.until(() -> looks.get() > 0, () -> "it does not wait");
        int before = connection.locked(() -> {
            long end = System.nanoTime() + limit.toNanos();
            while (System.nanoTime() < end) {
                LockSupport.parkNanos(end - System.nanoTime());
            }
            return looks.get();
        });
        Await.until(() -> looks.get() > before + 1 || closing.isDone(), () -> "it does not look again");
        answered.set(true);
        assertThat(closing.get()).isTrue();
    }

    @Test
    void closesThoughTheBrokerReadsNothing() {
        var connection = connection(Duration.ofMillis(300));
        connection.lock.lock();
        try {
            connection.out.append(new byte[64 << 20], 64 << 20);
        } finally {
            connection.lock.unlock();
        }
        connection.close();
        assertThat(log.losses()).isEmpty();
        // closing waits for the reader only up to a limit, so the end may be reported later
        Await.until(() -> !connection.ends.isEmpty(), () -> "no end");
        assertThat(connection.ends).hasSize(1);
    }
}
