package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.Driver;
import org.junit.jupiter.api.Test;

/** Tests of consumers that open during the load on a connection that is gone, which its client has not noticed yet. */
class LateConsumersTest {

    private final LoopbackRun run = LoopbackRun.of().rate("100").duration(20_000).consumers(2).consumersAfter(3_000).knobs("delay=5ms")
        .reconnect(100, 60_000);
    private final AtomicInteger opened = new AtomicInteger();

    /** What happens when a consumer is opened. */
    private interface Opening {
        Object open(Callable<Object> loopback, ConnectionListener connection) throws Exception;
    }

    private Driver opening(Opening how) {
        return LoopbackRun.with(run.driver(), (own, listener, method, args) -> method.getName().equals("consumer")
            ? how.open(() -> method.invoke(own, args), listener) : LoopbackRun.unwrapped(() -> method.invoke(own, args)));
    }

    /** The second of two consumers cannot be opened at first, and its client reports no loss. */
    @Test
    void consumersThatCannotBeOpenedAreTriedAgainAndThoseThatAreOpenAreNotOpenedTwice() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        RunResult r = run.over(opening((loopback, _) -> {
            int call = calls.incrementAndGet();
            if (call > 1 && call < 6) {
                throw new IOException("broken pipe");
            }
            opened.incrementAndGet();
            return loopback.call();
        })).execute();

        assertThat(LoopbackRun.failuresButTheRate(r)).isEmpty();
        assertThat(opened).hasValue(2);
        assertThat(r.received()).isEqualTo(r.sent());
    }

    /** The load ends after 4 s, the consumers open after 6 s, and then the backlog takes many times the drain timeout. */
    @Test
    void consumersThatOpenTooLateForTheLoadTakeTheTimeThatABacklogTakes() throws Exception {
        RunResult r = run.knobs("linger=1ms").duration(4_000).drain(500).processing(30).over(opening((loopback, _) -> {
            if (run.clock().elapsed() < 6_000_000_000L) {
                throw new IOException("broken pipe");
            }
            return loopback.call();
        })).execute();

        assertThat(LoopbackRun.failuresButTheRate(r)).isEmpty();
        assertThat(r.received()).isEqualTo(r.sent());
    }

    /** What is wrong does not pass, so the run ends and says what it is. */
    @Test
    void consumersThatCanNeverBeOpenedEndTheRun() throws Exception {
        RunResult r = run.over(opening((_, _) -> {
            throw new IOException("not permitted");
        })).execute();

        assertThat(r.failures()).anyMatch(failure -> failure instanceof Finding.Broken broken && broken.cause().equals("not permitted"));
        assertThat(r.elapsed().toSeconds()).isLessThan(20);
    }

    /** The connection is lost while its first consumer is being opened, and restored before the client returns the consumer. */
    @Test
    void aConsumerOfAConnectionThatIsLostMeanwhileIsOpenedOnTheNextOne() throws Exception {
        RunResult r = run.over(opening((loopback, connection) -> {
            Object consumer = loopback.call();
            if (opened.incrementAndGet() == 1) {
                connection.lost(new IOException("cut"));
                long until = run.clock().elapsed() + 500_000_000;
                while (run.clock().elapsed() < until) {
                    // The events of the loss wake this thread.
                    run.clock().park(until - run.clock().elapsed());
                }
            }
            return consumer;
        })).execute();

        assertThat(LoopbackRun.failuresButTheRate(r)).isEmpty();
        assertThat(opened).as("the first one twice, the second one once").hasValue(3);
        assertThat(r.received()).isEqualTo(r.sent());
    }
}
