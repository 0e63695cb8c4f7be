package io.brokermeter.contract.brokers;

import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.BrokerTrait;
import io.brokermeter.contract.BrokerUnderTest;
import io.brokermeter.contract.Victim;
import io.brokermeter.contract.tls.CertificateAuthority;
import io.brokermeter.contract.tls.Listener;
import io.brokermeter.contract.tls.TlsFront;
import io.brokermeter.contract.tls.Wish;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.parameter.Secret;
import org.jspecify.annotations.Nullable;

/**
 * A throwaway broker under test, configured step by step and started when it is first needed. Brokers of the same kind and options are
 * shared, also by several test classes. URLs are templates in which HOST and PORT are replaced.
 */
public class ThrowawayBroker extends BrokerUnderTest {

    public static final String USER = "meter";

    private static final String FULL = "full.";

    private final Driver driver;
    private final BrokerName kind;
    private final String url;
    private final Set<BrokerTrait> traits = EnumSet.copyOf(BrokerTrait.usual());
    private final Map<String, String> parameters = new HashMap<>();
    private BrokerOptions options = BrokerOptions.defaults().withHeap("400m").withStartLimit(Duration.ofSeconds(120));
    private BrokerOptions victims = options.withHeap("300m");
    private @Nullable BrokerName victim;
    private String keepAlives = "";
    private @Nullable String protocol;
    private String query = "";
    private String cut;
    private String unknown;
    private @Nullable Reconnecting reconnecting;
    private @Nullable List<String> several;
    private @Nullable String refusedTls;
    private @Nullable String tls;
    private Function<Wish, Map<String, String>> wishes = Wish::parameters;
    private Duration timeout = Duration.ofSeconds(30);
    private @Nullable String user;
    private @Nullable Secret password;
    private @Nullable String forbidden;
    private boolean refuses;
    private boolean full;
    private @Nullable Foreign foreign;

    /** Sends messages with a client other than the driver under test. */
    @FunctionalInterface
    public interface Foreign {

        void send(Broker broker, String queue) throws Exception;
    }

    /** URL and parameters of connections that reconnect by themselves. */
    private record Reconnecting(String template, Map<String, String> parameters) {}

    /** Creates a broker of a kind, reached by a URL. */
    public ThrowawayBroker(Driver driver, String kind, String url) {
        this.driver = driver;
        this.kind = BrokerName.parse(kind);
        this.url = url;
        this.cut = url;
        this.unknown = url.replace("HOST", "localhost").replace("PORT", "1").replaceAll("\\?.*", "") + "?noSuchSetting=1";
    }

    // ---- configuration

    /** Changes the broker's own options. */
    public ThrowawayBroker with(UnaryOperator<BrokerOptions> change) {
        options = change.apply(options);
        return this;
    }

    /** Selects the protocol whose port is used, among several that the broker serves. */
    public ThrowawayBroker protocol(String name) {
        protocol = name;
        return this;
    }

    /** Requires a login with this password; only the user {@link #USER} may connect. */
    public ThrowawayBroker login(String secret) {
        user = USER;
        password = Secret.of(secret);
        options = options.withLogin(USER, password);
        victims = victims.withLogin(USER, password);
        return this;
    }

    /** Sets the connect timeout of all connections, which also limits their requests. */
    public ThrowawayBroker timeout(Duration limit) {
        timeout = limit;
        return this;
    }

    /** Adds a parameter of all connections. */
    public ThrowawayBroker parameter(String name, String value) {
        parameters.put(name, value);
        return this;
    }

    /** Adds text to the query of each URL. */
    public ThrowawayBroker query(String more) {
        query = more;
        return this;
    }

    /** Removes traits that the broker does not have. */
    public ThrowawayBroker without(BrokerTrait... missing) {
        traits.removeAll(List.of(missing));
        return this;
    }

    /** Adds traits that the broker has although they are not usual. */
    public ThrowawayBroker having(BrokerTrait... more) {
        traits.addAll(List.of(more));
        return this;
    }

    /** Sets the URL of connections that a test cuts. */
    public ThrowawayBroker cut(String template) {
        cut = template;
        return this;
    }

    /** Sets the URL and the parameters of connections that reconnect by themselves. */
    public ThrowawayBroker reconnecting(String template, Map<String, String> more) {
        reconnecting = new Reconnecting(template, more);
        return this;
    }

    /**
     * Sets the URL of connections that know several servers: {@code prefix}, the servers with {@code each} before every one of them and
     * commas between them, and {@code suffix}.
     */
    public ThrowawayBroker several(String prefix, String each, String suffix) {
        several = List.of(prefix, each, suffix);
        return this;
    }

    /** Sets a URL with an unknown setting. */
    public ThrowawayBroker unknown(String setting) {
        unknown = setting;
        return this;
    }

    /** Sets the URL of a connection with TLS to a port that does not support it. */
    public ThrowawayBroker refusedTls(String template) {
        refusedTls = template;
        return this;
    }

    /** Sets the URL of a connection with TLS, and the client's parameters for certificates. */
    public ThrowawayBroker tls(String template, Function<Wish, Map<String, String>> certificates) {
        tls = template;
        wishes = certificates;
        return this;
    }

    /** Forbids the creation of addresses with a prefix. */
    public ThrowawayBroker forbidding(String prefix) {
        forbidden = prefix + ".queue";
        options = options.withForbidden(prefix);
        return this;
    }

    /** Sets the broker for tests that kill it, which may be of another kind. */
    public ThrowawayBroker killing(String name) {
        victim = BrokerName.parse(name);
        return this;
    }

    /**
     * Sets the query of the URL of connections to the broker that a test kills. It makes their keep-alives rarer than the time limit of any
     * test, so that only the end of the connection can report the death of the broker.
     */
    public ThrowawayBroker rareKeepAlives(String text) {
        keepAlives = text;
        return this;
    }

    /** Allows the broker that a test has killed to be started again. */
    public ThrowawayBroker restarting() {
        return having(BrokerTrait.STARTS_AGAIN);
    }

    /** Changes the options of the broker that a test kills. */
    public ThrowawayBroker victims(UnaryOperator<BrokerOptions> change) {
        victims = change.apply(victims);
        return this;
    }

    /** Sets a client that sends foreign messages. */
    public ThrowawayBroker foreign(Foreign client) {
        foreign = client;
        return this;
    }

    /** Makes an Artemis broker refuse the 51st message of queues with a certain prefix. */
    public ThrowawayBroker refusingAfter50() {
        refuses = true;
        options = options.withProperty("addressSettings.\"" + FULL + "#\".maxSizeMessages", "50")
            .withProperty("addressSettings.\"" + FULL + "#\".addressFullMessagePolicy", "FAIL");
        return this;
    }

    /** Declares that the broker refuses more than some hundred messages of 1 KiB in any queue. */
    public ThrowawayBroker full() {
        full = true;
        return this;
    }

    // ---- access for tests

    /** Returns the running broker, which is started when necessary. */
    public final Broker broker() {
        return RunningBrokers.of(kind, options);
    }

    private int port(Broker running) {
        String own = protocol;
        return own == null ? running.port() : URI.create(Objects.requireNonNull(running.urls().get(own))).getPort();
    }

    /** Returns the port at which the driver reaches the broker. */
    public final int port() {
        return port(broker());
    }

    /** Returns settings for a URL, with the parameters of all connections. */
    public ConnectionSettings withUrl(String template) {
        return new ConnectionSettings(withQuery(template, query), user, password, null, timeout, parameters);
    }

    private static String withQuery(String template, String more) {
        return more.isEmpty() ? template : template + (template.contains("?") ? "&" : "?") + more;
    }

    private static String at(String template, String host, int port) {
        return template.replace("HOST", host).replace("PORT", Integer.toString(port));
    }

    @Override
    public final Driver driver() {
        return driver;
    }

    @Override
    public boolean has(BrokerTrait trait) {
        return traits.contains(trait);
    }

    @Override
    public ConnectionSettings settings() {
        return withUrl(at(url, "127.0.0.1", port()));
    }

    @Override
    public Optional<Callable<InetSocketAddress>> address() {
        return Optional.of(() -> new InetSocketAddress("127.0.0.1", port()));
    }

    @Override
    public ConnectionSettings settings(String host, int port) {
        return withUrl(at(cut, host, port));
    }

    @Override
    public Optional<ConnectionSettings> elsewhere(String host, int port) {
        return Optional.of(withUrl(at(url, host, port)));
    }

    @Override
    public Optional<Callable<ConnectionSettings>> reconnecting(String host, int port) {
        return Optional.ofNullable(reconnecting).map(own -> () -> {
            ConnectionSettings settings = withUrl(at(own.template(), host, port));
            for (var each : own.parameters().entrySet()) {
                settings = settings.withProperty(each.getKey(), each.getValue());
            }
            return settings;
        });
    }

    @Override
    public Optional<Callable<ConnectionSettings>> among(List<String> before, List<String> behind) {
        return Optional.ofNullable(several).map(form -> () -> {
            List<String> all = new ArrayList<>(before);
            all.add(entrance());
            all.addAll(behind);
            return withUrl(form.get(0) + String.join(",", all.stream().map(form.get(1)::concat).toList()) + form.get(2));
        });
    }

    /** Returns host and port of the server of the broker that a URL names. */
    protected String entrance() {
        return "127.0.0.1:" + port();
    }

    @Override
    public Optional<Callable<ConnectionSettings>> wrongPassword() {
        return Optional.ofNullable(password).map(_ -> () -> {
            ConnectionSettings right = settings();
            return new ConnectionSettings(right.url(), user, Secret.of("battery staple"), null, timeout, right.properties());
        });
    }

    @Override
    public Optional<Callable<ConnectionSettings>> refusedTls() {
        return Optional.ofNullable(refusedTls).map(template -> () -> new ConnectionSettings(at(template, "127.0.0.1", port()), user,
            password, null, Duration.ofSeconds(10)));
    }

    @Override
    public Optional<ConnectionSettings> unknownSetting() {
        return Optional.of(withUrl(unknown));
    }

    @Override
    public Optional<Destination> forbidden() {
        return Optional.ofNullable(forbidden).map(name -> new Destination(Destination.Kind.QUEUE, name));
    }

    @Override
    public Optional<Callable<Destination>> refusing(Destination fresh) {
        if (full) {
            return Optional.of(() -> fresh);
        }
        return refuses ? Optional.of(() -> new Destination(Destination.Kind.QUEUE, FULL + UUID.randomUUID())) : Optional.empty();
    }

    @Override
    public Optional<Callable<?>> foreign(Destination destination) {
        return Optional.ofNullable(foreign).map(client -> () -> {
            client.send(broker(), destination.name());
            return destination;
        });
    }

    @Override
    public Optional<Callable<Victim>> victim() {
        return Optional.ofNullable(victim).map(name -> () -> new KilledBroker(name, victims, has(BrokerTrait.STARTS_AGAIN)) {

            @Override
            public ConnectionSettings settings() {
                ConnectionSettings settings = to(broker());
                return settings.withUrl(withQuery(settings.url(), keepAlives));
            }

            @Override
            public ConnectionSettings reconnecting() throws Exception {
                return ThrowawayBroker.this.reconnecting(broker());
            }
        });
    }

    /** Returns settings for another broker of the same configuration. */
    protected ConnectionSettings to(Broker other) {
        return withUrl(at(url, "127.0.0.1", port(other)));
    }

    /** Returns settings of a connection to another broker of the same configuration that reconnects by itself. */
    protected ConnectionSettings reconnecting(Broker other) throws Exception {
        return reconnecting("127.0.0.1", port(other)).orElseThrow().call();
    }

    @Override
    public Listener listener(CertificateAuthority.Identity identity, @Nullable CertificateAuthority clients) throws Exception {
        return Listener.of(new TlsFront(identity, clients, port()));
    }

    @Override
    public ConnectionSettings settings(String host, int port, Wish wish) {
        Map<String, String> all = new HashMap<>(parameters);
        all.putAll(wishes.apply(wish));
        return new ConnectionSettings(at(String.valueOf(tls), host, port), user, password, null, Duration.ofSeconds(40), all);
    }
}
