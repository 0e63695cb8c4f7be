package io.brokermeter.engine.run.send;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/**
 * Collisions of the threads of an in-flight window at the slot of message 0. The window has two slots, so the sending thread needs that slot
 * for message 2 and sets message 0 aside. jcstress repeats each collision some hundred thousand times with the interpreter and with both
 * compilers, on the processors that the kernel chooses. The results are listed in the order of the fields of {@link JJJ_Result}; any that is not listed
 * fails the test.
 */
public final class WindowInterleavings {

    private WindowInterleavings() {}

    private static Window window(@Nullable Duration replyWithin) {
        Window window = new Window(2, replyWithin, false);
        window.take(100, 0, 0);
        window.take(101, 0, 0);
        return window;
    }

    private static Window plain() {
        Window window = window(null);
        window.confirm(1, 0, (_, _, _, _, _) -> {});
        return window;
    }

    /** Number of confirmations of message 0, its time, and number of messages in flight. */
    @JCStressTest
    @Outcome(id = "1, 100, 1", expect = Expect.ACCEPTABLE)
    @Outcome(expect = Expect.FORBIDDEN)
    @State
    public static class Confirmation {

        private final Window window = plain();

        @Actor
        public void sending() {
            window.take(102, 0, 0);
        }

        @Actor
        public void confirming(JJJ_Result r) {
            window.confirm(0, 0, (_, intended, _, _, _) -> {
                r.r1++;
                r.r2 = intended;
            });
        }

        @Arbiter
        public void after(JJJ_Result r) {
            window.confirm(0, 0, (_, _, _, _, _) -> r.r1++);
            r.r3 = window.inFlightNow();
        }
    }

    /** Number of confirmations of messages 0 and 1 by one call for both, the sum of their times, and number of messages in flight. */
    @JCStressTest
    @Outcome(id = "2, 201, 1", expect = Expect.ACCEPTABLE)
    @Outcome(expect = Expect.FORBIDDEN)
    @State
    public static class ConfirmationUpTo {

        private final Window window = window(null);

        @Actor
        public void sending() {
            window.take(102, 0, 0);
        }

        @Actor
        public void confirming(JJJ_Result r) {
            window.confirmUpTo(1, 0, (_, intended, _, _, _) -> {
                r.r1++;
                r.r2 += intended;
            });
        }

        @Arbiter
        public void after(JJJ_Result r) {
            window.confirm(0, 0, (_, _, _, _, _) -> r.r1++);
            window.confirm(1, 0, (_, _, _, _, _) -> r.r1++);
            r.r3 = window.inFlightNow();
        }
    }

    /** Whether message 0 is confirmed, whether it is dropped, and number of messages in flight. */
    @JCStressTest
    @Outcome(id = {"1, 0, 0", "0, 1, 0"}, expect = Expect.ACCEPTABLE)
    @Outcome(expect = Expect.FORBIDDEN)
    @State
    public static class Drop {

        private final Window window = plain();

        @Actor
        public void dropping(JJJ_Result r) {
            r.r2 = window.drop(0) ? 1 : 0;
        }

        @Actor
        public void confirming(JJJ_Result r) {
            r.r1 = window.confirm(0, 0, (_, _, _, _, _) -> {}) ? 1 : 0;
        }

        @Arbiter
        public void after(JJJ_Result r) {
            r.r3 = window.inFlightNow();
        }
    }

    /** Whether request 0 is answered, whether it is answered again, and number of requests without a reply. */
    @JCStressTest
    @Outcome(id = "1, 0, 2", expect = Expect.ACCEPTABLE)
    @Outcome(expect = Expect.FORBIDDEN)
    @State
    public static class Reply {

        private final Window window = window(Duration.ofNanos(10));

        @Actor
        public void sending() {
            window.take(102, 0, 0);
        }

        @Actor
        public void replying(JJJ_Result r) {
            r.r1 = window.answer(0, 5) ? 1 : 0;
        }

        @Arbiter
        public void after(JJJ_Result r) {
            r.r2 = window.answer(0, 5) ? 1 : 0;
            r.r3 = window.inFlightNow();
        }
    }

    /** Whether request 0 is answered, number of requests given up of the two, and number of requests without a reply. */
    @JCStressTest
    @Outcome(id = {"1, 1, 0", "0, 2, 0"}, expect = Expect.ACCEPTABLE)
    @Outcome(expect = Expect.FORBIDDEN)
    @State
    public static class Expiry {

        private final Window window = window(Duration.ofNanos(10));

        @Actor
        public void sending() {
            window.expire(100);
        }

        @Actor
        public void replying(JJJ_Result r) {
            r.r1 = window.answer(0, 5) ? 1 : 0;
        }

        @Arbiter
        public void after(JJJ_Result r) {
            window.expire(100);
            r.r2 = window.expired.get();
            r.r3 = window.inFlightNow();
        }
    }
}
