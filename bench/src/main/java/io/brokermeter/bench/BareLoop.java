package io.brokermeter.bench;

import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import jakarta.jms.BytesMessage;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

/**
 * The minimum that a program can do with the CORE client for the same work: asynchronous sends of 1 KiB, non-persistent, in a window of
 * 100, and an auto-acknowledging listener that counts. There is no latency measurement and no verification; a separate thread prints the
 * count once a second, as {@code artemis perf client} does. The cost of this program is that of the client library.
 */
public final class BareLoop {

    private static final long SECOND = 1_000_000_000L;

    private BareLoop() {}

    /**
     * Runs the loop.
     *
     * @param args broker URL, seconds of warm-up, and seconds in total, warm-up included
     */
    public static void main(String[] args) throws Exception {
        long warmup = Long.parseLong(args[1]);
        long seconds = Long.parseLong(args[2]);
        byte[] body = new byte[1024];
        Semaphore window = new Semaphore(100);
        AtomicLong received = new AtomicLong();
        long sent = 0;
        try (ActiveMQConnectionFactory sending = new ActiveMQConnectionFactory(args[0] + "?confirmationWindowSize=20000");
                ActiveMQConnectionFactory receiving = new ActiveMQConnectionFactory(args[0]);
                Connection consuming = receiving.createConnection();
                Connection producing = sending.createConnection();
                Session in = consuming.createSession(false, Session.AUTO_ACKNOWLEDGE);
                Session out = producing.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
            Queue queue = in.createQueue("BARE");
            MessageConsumer consumer = in.createConsumer(queue);
            consumer.setMessageListener(m -> received.incrementAndGet());
            consuming.start();
            MessageProducer producer = out.createProducer(queue);
            producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
            producer.setDisableMessageID(true);
            producer.setDisableMessageTimestamp(true);
            CompletionListener completion = new CompletionListener() {
                @Override
                public void onCompletion(Message message) {
                    window.release();
                }

                @Override
                public void onException(Message message, Exception e) {
                    window.release();
                }
            };
            long begin = System.nanoTime();
            Thread.ofPlatform().daemon().start(() -> report(received, begin, warmup, seconds));
            long end = begin + seconds * SECOND;
            while (System.nanoTime() - end < 0) {
                if (!window.tryAcquire(1, TimeUnit.SECONDS)) {
                    continue;
                }
                BytesMessage message = out.createBytesMessage();
                message.writeBytes(body);
                producer.send(message, completion);
                sent++;
            }
            long deadline = System.nanoTime() + 5 * SECOND;
            while (received.get() < sent && System.nanoTime() - deadline < 0) {
                Thread.onSpinWait();
                TimeUnit.MILLISECONDS.sleep(1);
            }
        }
        System.out.printf(Locale.ROOT, "--- total sent: %d%n--- total received: %d%n", sent, received.get());
    }

    private static void report(AtomicLong received, long begin, long warmup, long seconds) {
        long then = begin;
        long before = 0;
        for (long i = 1; i <= seconds; i++) {
            LockSupport.parkNanos(begin + i * SECOND - System.nanoTime());
            long now = System.nanoTime();
            long count = received.get();
            System.out.printf(Locale.ROOT, "--- warmup %s%n--- received: %d msg/sec%n", i <= warmup,
                Math.round((count - before) * (double) SECOND / (now - then)));
            then = now;
            before = count;
        }
    }
}
