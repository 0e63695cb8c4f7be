package io.brokermeter.driver.kafka;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.brokermeter.spi.failure.DriverException;
import org.apache.kafka.common.KafkaFuture;

/** Waits for answers of the brokers, for a limited time, and words what comes instead. */
final class Answers {

    private final Duration timeout;

    /** @param timeout the longest time that an answer may take */
    Answers(Duration timeout) {
        this.timeout = timeout;
    }

    /** Returns the answer; {@code doing} says what was being done, for the sentence about a failure. */
    <T> T get(KafkaFuture<T> answer, String doing) throws DriverException {
        try {
            return await(answer, doing);
        } catch (ExecutionException e) {
            throw refused(doing, e);
        }
    }

    /**
     * Returns the answer like {@link #get}.
     *
     * @throws ExecutionException if the broker refuses
     */
    <T> T await(KafkaFuture<T> answer, String doing) throws DriverException, ExecutionException {
        return await(answer, timeout, doing);
    }

    private static <T> T await(KafkaFuture<T> answer, Duration limit, String doing) throws DriverException, ExecutionException {
        try {
            return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (java.util.concurrent.TimeoutException e) {
            throw new DriverException("The broker did not answer within " + limit.toMillis() / 1e3 + " s while " + doing + ".",
                e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DriverException("The wait for the broker was interrupted while " + doing + ".", e);
        }
    }

    /** Waits for the answer to an optional request, and ignores failures. */
    static void tryIt(KafkaFuture<?> answer, Duration limit, String doing) {
        try {
            await(answer, limit, doing);
        } catch (ExecutionException | DriverException e) {
            // still in use, or gone
        }
    }

    /** Returns the exception for what a broker refused. */
    static DriverException refused(String doing, ExecutionException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return new DriverException(FailureWords.sentence(doing, cause), cause);
    }

    /** Pauses before the next look, unless the deadline has passed. */
    void pause(long deadline, String doing) throws DriverException {
        try {
            if (System.nanoTime() < deadline) {
                Thread.sleep(10);
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new DriverException("The broker was not done within " + timeout.toMillis() / 1e3 + " s with " + doing + ".", null);
    }
}
