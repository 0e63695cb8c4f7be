package io.brokermeter.driver.beanstalkd;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionMemory;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.Parameters;
import io.brokermeter.spi.parameter.ServerUrl;

/** The driver for beanstalkd, whose tubes serve as queues. The protocol has neither users nor message properties. */
public final class BeanstalkdDriver implements Driver {

    private static final Set<String> SCHEMES = Set.of("beanstalkd");
    private static final int PORT = 11300;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9+/;.$_()][A-Za-z0-9+/;.$_()-]{0,199}");

    @Override
    public String protocol() {
        return "BEANSTALKD";
    }

    @Override
    public Set<String> schemes() {
        return SCHEMES;
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.of(Capability.PREFETCH, Capability.VARIANTS, Capability.PRIORITY, Capability.DELAYED_DELIVERY,
            Capability.REQUEUE, Capability.REJECT, Capability.BATCH_ACKNOWLEDGEMENT, Capability.CONFIRMATIONS, Capability.DEPTH);
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(new Parameter("ttr", "SECONDS", "120",
            "Time to run of messages that are sent: who receives one must settle it within that time, or it is delivered again."));
    }

    @Override
    public String client() {
        return "brokermeter's own";
    }

    private static ServerUrl url(ConnectionSettings settings) {
        ServerUrl url = ServerUrl.parse(settings.url(), SCHEMES, PORT);
        if (url.servers().size() > 1 || !url.path().isEmpty()) {
            throw new IllegalArgumentException("URL '" + url.address() + "' must name one server and nothing behind it, as in"
                + " beanstalkd://localhost:11300.");
        }
        return url;
    }

    private int ttr(ConnectionSettings settings) {
        return Parameters.of(this, url(settings), settings).number("ttr", 1, Integer.MAX_VALUE);
    }

    @Override
    public void check(ConnectionSettings settings) {
        ttr(settings);
        String what = settings.user() != null ? "user" : settings.password() != null ? "password"
            : settings.clientId() != null ? "client id" : null;
        if (what != null) {
            throw new IllegalArgumentException("beanstalkd lets everybody in and carries no " + what + "; leave it out.");
        }
    }

    @Override
    public void check(ConnectionSettings settings, Destination destination) {
        if (destination.isTopic() || !NAME.matcher(destination.name()).matches()) {
            throw new IllegalArgumentException(destination + " cannot be used: beanstalkd has only queues, with names of at most 200"
                + " letters, digits and -+/;.$_(), which do not begin with a hyphen.");
        }
    }

    @Override
    public boolean takesSource(ConnectionSettings settings) {
        return true;
    }

    /** A consumer has two sockets. */
    @Override
    public ConnectionMemory memory(ConnectionSettings settings) {
        return new ConnectionMemory(8_000, 15_000, 0, 3);
    }

    @Override
    public Connection connect(ConnectionSettings settings, ConnectionListener listener) throws Exception {
        return BeanstalkdConnection.connect(url(settings), settings, ttr(settings), listener);
    }
}
