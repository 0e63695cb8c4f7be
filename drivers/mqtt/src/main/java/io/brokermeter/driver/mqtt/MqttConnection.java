package io.brokermeter.driver.mqtt;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.brokermeter.driver.mqtt.MqttConsumer.Ending;
import io.brokermeter.driver.mqtt.MqttConsumer.Filter;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * A connection that consists of one session, and a further session for each consumer that the first cannot serve. In MQTT a second
 * subscription of a session to the same topic replaces the first, and messages of overlapping filters cannot be told apart, so such
 * consumers need sessions of their own. Durable consumers need them because a broker keeps whole sessions.
 */
final class MqttConnection implements Connection {

    /** How long the message for a share may come behind another one: not every broker keeps the order between topics. */
    private static final long GRACE_MILLIS = 1000;
    private static final long VERSION_MILLIS = 100;
    private static final String VERSION_TOPIC = "$SYS/broker/version";

    private final ConnectionSettings settings;
    private final MqttOptions options;
    private final Map<String, Unreleased> unreleased;
    private final ConnectionListener listener;
    private final AtomicBoolean toldLost = new AtomicBoolean();
    /** Whether the broker left a session's request unanswered: then closing does not wait for any session. */
    private final AtomicBoolean mute = new AtomicBoolean();
    private final Session session;
    private final List<Session> others = new ArrayList<>();
    private int numbered;
    private @Nullable Boolean shares;
    private @Nullable String broker;

    private MqttConnection(
            ConnectionSettings settings, MqttOptions options, Map<String, Unreleased> unreleased,
            ConnectionListener listener) throws IOException {
        this.settings = settings;
        this.options = options;
        this.unreleased = unreleased;
        this.listener = listener;
        this.session = session(new Handshake(settings.clientId() == null ? anonymous() : settings.clientId(), true, 0));
        session.start();
    }

    /**
     * Connects to a broker.
     *
     * @param unreleased the ids of received QoS 2 messages by the name of their kept session; shared by successive connections
     */
    static MqttConnection connect(
            ConnectionSettings settings, MqttOptions options, Map<String, Unreleased> unreleased,
            ConnectionListener listener) throws IOException {
        return new MqttConnection(settings, options, unreleased, listener);
    }

    private static String anonymous() {
        return "brokermeter-" + UUID.randomUUID().toString().substring(0, 11);
    }

    private Session session(Handshake handshake) throws IOException {
        return Session.connect(settings, options, handshake, mute, cause -> {
            if (toldLost.compareAndSet(false, true)) {
                listener.lost(cause);
            }
        });
    }

    /** Connects a session for a single question. Its loss is not reported, since a broker may end it because it rejects the question. */
    private Session asking(Handshake handshake) throws IOException {
        return Session.connect(settings, options, handshake, mute, cause -> {});
    }

    /** Connects a further session that the broker does not keep. */
    private Session anotherSession() throws IOException {
        String id = settings.clientId() == null ? anonymous() : settings.clientId() + "-" + ++numbered;
        Session another = session(new Handshake(id, true, 0));
        others.add(another);
        return another;
    }

    /** Does nothing: topics exist by being used, and a queue is a shared subscription, which its consumers create. */
    @Override
    public boolean declare(Destination destination) throws Exception {
        session.check();
        return false;
    }

    /** Does nothing: the protocol has nothing that could be deleted. */
    @Override
    public void delete(Destination destination) throws Exception {}

    @Override
    public Producer producer(Destination destination, ProducerSettings wanted, SendListener sendListener) throws Exception {
        String name = destination.name();
        if (name.indexOf('+') >= 0 || name.indexOf('#') >= 0 || name.startsWith("$share/")) {
            throw new DriverException("Nothing can be sent to " + destination
                + ", which is a filter; the name of a topic has no + and no #.", null);
        }
        MqttProducer producer = new MqttProducer(session, destination, wanted, sendListener);
        session.add(producer, options.qos() == 0 ? 1 : wanted.maxPending());
        return producer;
    }

    @Override
    public Consumer consumer(Destination destination, ConsumerSettings wanted, DeliveryListener deliveryListener) throws Exception {
        session.check();
        if (wanted.durable() && wanted.shared()) {
            throw new DriverException(new Refusal("MQTT keeps subscriptions with a session, which belongs to one consumer; leave out"
                + " %s or %s.", Setting.SHARED, Setting.DURABLE));
        }
        Filter filter = filter(destination, wanted);
        if (filter.isShared()) {
            checkShares(filter);
        }
        if (wanted.durable()) {
            return durable(filter, wanted, deliveryListener);
        }
        boolean fits = session.hasRoomFor(filter);
        Session at = fits ? session : anotherSession();
        MqttConsumer consumer = new MqttConsumer(at, filter, deliveryListener, wanted, options.retain(),
            fits ? Ending.STAYS : Ending.ENDS);
        at.add(consumer);
        if (!fits) {
            at.start();
        }
        return subscribed(at, consumer);
    }

    private Filter filter(Destination destination, ConsumerSettings wanted) {
        if (!destination.isTopic()) {
            return Filter.shared(options.group(), destination.name());
        }
        return wanted.shared()
            ? Filter.shared(Objects.requireNonNullElse(wanted.subscription(), options.group()), destination.name())
            : Filter.of(destination.name());
    }

    private Consumer subscribed(Session at, MqttConsumer consumer) throws Exception {
        try {
            at.requests.subscribe(consumer.filter(), options.consumerQos(), options.retain());
            return consumer;
        } catch (Exception e) {
            try {
                consumer.close();
            } catch (Exception suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    private Consumer durable(Filter filter, ConsumerSettings wanted, DeliveryListener deliveryListener) throws Exception {
        String id = sessionId(Objects.requireNonNull(wanted.subscription()));
        boolean clean = options.cleanStart() && !wanted.resumes();
        Session kept = session(new Handshake(id, options.five() && clean, options.sessionExpiry()));
        if (!options.five() && clean && kept.grant.sessionPresent()) {
            kept.start();
            kept.close();
            forget(id);
            kept = session(new Handshake(id, false, options.sessionExpiry()));
        }
        others.add(kept);
        Unreleased last = unreleased.put(name(id), kept.unreleased());
        if (kept.grant.sessionPresent()) {
            if (last != null) {
                kept.unreleased().resume(last);
            }
            listener.notice("The broker had kept the session '" + id + "'; what waits in it is delivered first.");
        }
        if (kept.grant.sessionExpiry() < options.sessionExpiry()) {
            listener.notice("The broker keeps the session '" + id + "' for " + kept.grant.sessionExpiry() + " s only, not "
                + options.sessionExpiry() + " s.");
        }
        MqttConsumer consumer =
            new MqttConsumer(kept, filter, deliveryListener, wanted, options.retain(), Ending.IS_KEPT);
        kept.add(consumer);
        kept.start();
        return subscribed(kept, consumer);
    }

    /** Returns the client id of a durable subscription's session; each durable subscription has its own. */
    private String sessionId(String subscription) throws DriverException {
        if (settings.clientId() == null) {
            throw new DriverException(new Refusal("A durable subscription of MQTT belongs to a client id; give %s.", Setting.CLIENT_ID));
        }
        return settings.clientId() + "-" + subscription;
    }

    /** Returns the name by which a kept session is told from those of other brokers. */
    private String name(String id) {
        return options.url().address() + " " + id;
    }

    @Override
    public void unsubscribe(Destination destination, String subscription) throws Exception {
        session.check();
        String id = sessionId(subscription);
        unreleased.remove(name(id));
        forget(id);
    }

    /** Removes the session that the broker keeps for a client id, by a session that begins clean and is not kept. */
    private void forget(String id) throws IOException {
        Session last = asking(new Handshake(id, true, 0));
        last.start();
        last.close();
    }

    // ---- capabilities of the broker

    private void checkShares(Filter filter) throws Exception {
        boolean can = options.five() ? session.grant.shared() : sharesByTrial();
        if (!can) {
            throw new DriverException(
                new Refusal("The broker has no shared subscriptions with %s, which %s needs; use topic:// without %s.",
                    options.version(), filter.text(), Setting.SHARED));
        }
    }

    /**
     * Finds out by trial whether the broker has shared subscriptions, which version 3.1.1 does not tell: a broker without them takes the
     * filter for an unusual topic. It has none if it delivers the message on another topic, which is sent last, and not the one for the
     * share.
     */
    private boolean sharesByTrial() throws Exception {
        Boolean known = shares;
        if (known != null) {
            return known;
        }
        String topic = "brokermeter/trial/" + UUID.randomUUID();
        Session trial = asking(new Handshake(anonymous(), true, 0));
        try {
            First shared = new First(trial, Filter.shared("brokermeter", topic));
            First plain = new First(trial, Filter.of(topic + "/plain"));
            trial.start();
            for (First each : List.of(shared, plain)) {
                trial.requests.subscribe(each.filter, options.consumerQos(), true);
            }
            for (First each : List.of(shared, plain)) {
                MqttProducer producer = new MqttProducer(trial, new Destination(Destination.Kind.TOPIC, each.filter.topic()),
                    ProducerSettings.of(its -> its.maxPending = 1), SendListener.NONE);
                trial.add(producer, 1);
                producer.send(new Payload(new byte[0]), 0);
                producer.flush();
            }
            trial.await(() -> shared.came() || plain.came(), trial.requestLimitNanos(),
                "The broker did not deliver a message on " + topic + ", which tells whether it has shared subscriptions,");
            boolean answer = shared.comes(GRACE_MILLIS);
            if (!answer) {
                trial.check();
            }
            shares = answer;
            return answer;
        } finally {
            trial.close();
        }
    }

    /** Returns name and version of the broker; Mosquitto and some others publish them as a retained message. */
    @Override
    public String broker() {
        String known = broker;
        if (known != null) {
            return known;
        }
        try {
            known = askForVersion();
            broker = known;
            return known;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        } catch (Exception e) {
            return ""; // the broker did not answer, or does not allow the question
        }
    }

    /**
     * Asks for the retained message with the broker's version; empty if it has none. The subscription is made twice: a broker that has the
     * message sends it before it confirms the second one, however slow it is, and others cost a short grace only.
     */
    private String askForVersion() throws Exception {
        Session asking = asking(new Handshake(anonymous(), true, 0));
        try {
            First version = new First(asking, Filter.of(VERSION_TOPIC));
            asking.start();
            asking.requests.subscribe(version.filter, 0, true);
            if (!version.came()) {
                asking.requests.subscribe(version.filter, 0, true);
            }
            if (!version.comes(VERSION_MILLIS)) {
                asking.check();
            }
            return version.text.replaceFirst("^mosquitto version ", "mosquitto ");
        } finally {
            asking.close();
        }
    }

    /** A consumer's listener that keeps the first message that arrives, as a text. */
    private static final class First implements DeliveryListener {

        private static final long LOOK_MILLIS = 10;

        private final Session session;
        private final Filter filter;
        private final CountDownLatch came = new CountDownLatch(1);
        private volatile String text = "";

        /** Adds a consumer to a session, which does not subscribe yet. */
        First(Session session, Filter filter) {
            this.session = session;
            this.filter = filter;
            session.add(new MqttConsumer(session, filter, this, ConsumerSettings.DEFAULT, true, Ending.STAYS));
        }

        @Override
        public Settlement delivered(ByteBuffer body, boolean redelivered) {
            if (!came()) {
                text = StandardCharsets.UTF_8.decode(body).toString();
                came.countDown();
                session.signal();
            }
            return Settlement.ACCEPT;
        }

        @Override
        public void failed(Throwable cause) {}

        boolean came() {
            return came.getCount() == 0;
        }

        /** Returns whether a message comes within a time, of which a stall of this process uses up one look only. */
        boolean comes(long millis) throws InterruptedException {
            for (long left = millis; left > 0 && !came(); left -= LOOK_MILLIS) {
                came.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            }
            return came();
        }
    }

    @Override
    public String client() {
        return "brokermeter " + (options.five() ? "MQTT 5.0" : options.version()) + " path";
    }

    @Override
    public void close() {
        session.close();
        others.forEach(Session::close);
    }
}
