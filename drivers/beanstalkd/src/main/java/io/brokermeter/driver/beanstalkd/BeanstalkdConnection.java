package io.brokermeter.driver.beanstalkd;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.driver.wire.Dialer;
import io.brokermeter.driver.wire.InTurnConnection;
import io.brokermeter.driver.wire.LineBuffer;
import io.brokermeter.driver.wire.Wire;
import io.brokermeter.driver.wire.WireEndpoint;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.ServerUrl;

/** A connection with one socket for all producers and requests; each consumer has a socket of its own. */
final class BeanstalkdConnection extends InTurnConnection implements Connection {

    /** A connected socket with the broker's answer to {@code stats}. */
    record Dialed(Wire wire, LineBuffer answers, String stats) {}

    static final String HARMLESS = "list-tube-used";
    private static final int LARGEST_JOB = 1 << 30;
    private static final Pattern WAITING = Pattern.compile("(?m)^current-jobs-(?:ready|reserved): (\\d+)");
    private static final DeliveryListener DISCARDING = new DeliveryListener() {

        @Override
        public Settlement delivered(ByteBuffer body, boolean redelivered) {
            return Settlement.ACCEPT;
        }

        @Override
        public void failed(Throwable cause) {}
    };

    private final ServerUrl url;
    private final ConnectionSettings settings;
    private final int ttr;
    private final AtomicBoolean mute;
    private final String version;
    /** The size in bytes of the largest job that the broker accepts, as it reports it. */
    final String largest;
    private final List<BeanstalkdProducer> producers = new CopyOnWriteArrayList<>();
    private final List<BeanstalkdConsumer> consumers = new CopyOnWriteArrayList<>();
    /** The tube of the next jobs; guarded by the lock. */
    private String used = "default";

    private BeanstalkdConnection(
            Dialed dialed, ServerUrl url, ConnectionSettings settings, int ttr, ConnectionListener listener, AtomicBoolean mute) {
        super("beanstalkd", dialed.wire(), dialed.answers(), listener, settings.connectTimeout(), mute, HARMLESS);
        this.url = url;
        this.settings = settings;
        this.ttr = ttr;
        this.mute = mute;
        this.version = stat(dialed.stats(), "version");
        this.largest = stat(dialed.stats(), "max-job-size");
    }

    static BeanstalkdConnection connect(
            ServerUrl url, ConnectionSettings settings, int ttr, ConnectionListener listener) throws DriverException {
        BeanstalkdConnection made =
            new BeanstalkdConnection(dial(url, settings, ""), url, settings, ttr, listener, new AtomicBoolean());
        made.begin();
        return made;
    }

    /** @param first commands to send before {@code stats}; their answers must be the regular ones */
    private static Dialed dial(ServerUrl url, ConnectionSettings settings, String first) throws DriverException {
        return Dialer.dial(url.servers(), settings.source(), settings.connectTimeout(), null, TlsNames.OWN,
            "does that port speak beanstalkd?",
            (wire, server) -> {
                wire.write(ByteBuffer.wrap(ascii(first + "stats\r\n")));
                LineBuffer answers = new LineBuffer(LARGEST_JOB, "RESERVED", "OK");
                do {
                    answers.await(wire);
                } while (answers.is("USING") || answers.is("KICKED") || answers.is("WATCHING"));
                if (!answers.is("OK")) {
                    throw new DriverException(server + " answered '" + answers.text() + "'; does that port speak beanstalkd?", null);
                }
                return new Dialed(wire, answers, answers.text());
            });
    }

    private static String stat(String stats, String name) {
        Matcher line = Pattern.compile("(?m)^" + name + ": \"?([^\"\r\n]*)").matcher(stats);
        return line.find() ? line.group(1) : "";
    }

    /** Selects the tube of the jobs that are put next. Call under the lock. */
    void use(String tube) {
        if (!used.equals(tube)) {
            used = tube;
            append("use " + tube, answer -> {});
        }
    }

    @Override
    public Producer producer(Destination destination, ProducerSettings settings, SendListener listener) throws Exception {
        BeanstalkdProducer producer = new BeanstalkdProducer(this, destination, settings, ttr, listener);
        check();
        producers.add(producer);
        sends();
        return producer;
    }

    @Override
    public Consumer consumer(Destination destination, ConsumerSettings settings, DeliveryListener listener) throws Exception {
        return consumer(destination, settings, listener, "");
    }

    private BeanstalkdConsumer consumer(
            Destination destination, ConsumerSettings wanted, DeliveryListener listener, String first) throws Exception {
        check();
        String tube = destination.name();
        Dialed dialed = dial(url, settings, first + "watch " + tube + "\r\n" + (tube.equals("default") ? "" : "ignore default\r\n"));
        BeanstalkdConsumer consumer =
            new BeanstalkdConsumer(this, dialed, this::tellLost, settings.connectTimeout(), mute, destination, wanted, listener);
        consumers.add(consumer);
        consumer.begin();
        return consumer;
    }

    void remove(Object closed) {
        producers.remove(closed);
        consumers.remove(closed);
    }

    private String stats(Destination destination) throws Exception {
        return ask("stats-tube " + destination.name(), "The broker did not answer about " + destination);
    }

    /** Creates a missing tube by watching it, since a tube without references ceases to exist; nothing is reserved on this socket. */
    @Override
    public boolean declare(Destination destination) throws Exception {
        boolean created = stats(destination).equals("NOT_FOUND");
        if (created) {
            ask("watch " + destination.name(), "The broker did not create " + destination);
        }
        return created;
    }

    /** Removes all jobs of the tube, including buried and delayed jobs. The empty tube vanishes as soon as nothing refers to it. */
    @Override
    public void delete(Destination destination) throws Exception {
        String tube = destination.name();
        // one kick is for the buried jobs; a kick of a tube without buried jobs kicks the delayed ones
        BeanstalkdConsumer drain = consumer(destination, ConsumerSettings.DEFAULT, DISCARDING,
            "use " + tube + "\r\n" + "kick 1000000000\r\n".repeat(2));
        try {
            drain.awaitEmpty();
        } finally {
            drain.close();
        }
        ask("ignore " + tube, "The broker did not delete " + destination);
    }

    @Override
    public OptionalLong depth(Destination destination) throws Exception {
        return OptionalLong.of(
            WAITING.matcher(stats(destination)).results().mapToLong(each -> Long.parseLong(each.group(1))).sum());
    }

    @Override
    protected List<? extends WireEndpoint> endpoints() {
        return producers;
    }

    @Override
    public void close() {
        for (BeanstalkdConsumer each : consumers) {
            try {
                each.close();
            } catch (DriverException e) {
                // the next consumers must be closed as well
            }
        }
        closeAll();
    }

    @Override
    public String broker() {
        return "beanstalkd " + version;
    }

    @Override
    public String client() {
        return "brokermeter path for beanstalkd " + version;
    }
}
