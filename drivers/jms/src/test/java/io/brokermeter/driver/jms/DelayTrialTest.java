package io.brokermeter.driver.jms;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is concluded from what a broker delivers, and when. */
class DelayTrialTest {

    private long millis;
    private int queues;

    /** What the client receives first, the message with a delay or the other one, and after how many milliseconds. */
    private record Arrival(String type, long after) {

        private static final Arrival LATE_AT_ONCE = new Arrival("late", 10);
        /** As after a standstill of this process: both were there at its end. */
        private static final Arrival LATE_IN_TIME = new Arrival("late", 1200);
        private static final Arrival OTHER = new Arrival("", 10);
        /** Nothing came. */
        private static final Arrival NONE = new Arrival("none", 3000);
    }

    private static <T> T fake(Class<T> type, Map<String, Answer> answers) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            Answer answer = answers.get(method.getName());
            return answer == null ? null : answer.give();
        }));
    }

    private interface Answer {

        @Nullable Object give();
    }

    private boolean deliversAtOnce(Arrival... arrivals) throws JMSException {
        Deque<Arrival> coming = new ArrayDeque<>(Arrays.asList(arrivals));
        MessageConsumer receiver = fake(MessageConsumer.class, Map.of("receive", () -> {
            Arrival arrival = coming.remove();
            millis += arrival.after();
            return arrival.type().equals("none") ? null : fake(Message.class, Map.of("getJMSType", arrival::type));
        }));
        Session session = fake(Session.class, Map.of("createTemporaryQueue", () -> {
            queues++;
            return fake(TemporaryQueue.class, Map.of());
        }, "createConsumer", () -> receiver, "createProducer", () -> fake(MessageProducer.class, Map.of()), "createMessage",
            () -> fake(Message.class, Map.of())));
        var trial = new DelayTrial(session, (producer, delay) -> Map.of(), () -> TimeUnit.MILLISECONDS.toNanos(millis));
        boolean found = trial.deliversAtOnce();
        assertThat(coming).isEmpty();
        return found;
    }

    @Test
    void believesAMessageThatCameBeforeItsTime() throws Exception {
        assertThat(deliversAtOnce(Arrival.LATE_AT_ONCE, Arrival.OTHER)).isTrue();
        assertThat(queues).isEqualTo(1);
    }

    @Test
    void believesAMessageThatCameBeforeTheDelayedOne() throws Exception {
        assertThat(deliversAtOnce(Arrival.OTHER, Arrival.LATE_IN_TIME)).isFalse();
        assertThat(queues).isEqualTo(1);
    }

    @Test
    void learnsNothingFromWhatComesInTimeOrNot() throws Exception {
        assertThat(deliversAtOnce(Arrival.LATE_IN_TIME, Arrival.OTHER, Arrival.NONE, Arrival.LATE_AT_ONCE, Arrival.OTHER)).isTrue();
        assertThat(queues).as("each trial on a queue of its own").isEqualTo(3);
    }

    @Test
    void takesABrokerForGoodOfWhichItLearnsNothing() throws Exception {
        assertThat(deliversAtOnce(Arrival.NONE, Arrival.NONE, Arrival.LATE_IN_TIME, Arrival.OTHER, Arrival.NONE, Arrival.NONE)).isFalse();
        assertThat(queues).isEqualTo(5);
    }
}
