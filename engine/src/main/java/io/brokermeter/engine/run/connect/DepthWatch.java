package io.brokermeter.engine.run.connect;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.plan.ConsumerGroup;
import io.brokermeter.engine.plan.Group;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.run.Failures;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import org.jspecify.annotations.Nullable;

/**
 * Asks once a second how many messages wait in the run's destinations, on a thread and connections of its own. A failure to
 * find out is reported once and does not affect the run.
 */
public final class DepthWatch implements AutoCloseable {

    /** The time before the first look, in nanoseconds: a run that is over sooner needs no depth, and no connection for it. */
    private static final long FIRST = 500_000_000;
    private static final long PERIOD = 1_000_000_000;
    /**
     * The pause after a look, in multiples of the time that the look took: where asking takes long, as with thousands of queues, it is
     * done less often.
     */
    private static final int REST = 20;
    /** The pause after a failure, in nanoseconds; it doubles with each further failure in a row. */
    private static final long FIRST_RETRY = 250_000_000;
    /** The longest pause after a failure, in nanoseconds, when the broker answered before: it may be back at any moment. */
    private static final long RETRY_LOST = PERIOD;
    /**
     * The longest pause after a failure, in nanoseconds, when the broker never answered: asking is not allowed or not possible, and will
     * hardly become so.
     */
    private static final long RETRY_UNKNOWN = 5_000_000_000L;
    private static final long OLD = 3_000_000_000L;
    private static final long CLOSE_WITHIN = 1_000_000_000;

    private static final ConnectionListener IGNORING = new ConnectionListener() {
        @Override
        public void lost(Throwable cause) {
            // the next question fails and says so
        }

        @Override
        public void interrupted(String cause) {
            // the run's own connections report the same
        }

        @Override
        public void resumed() {
            // as above
        }
    };

    private final List<Place> places;
    private final Consumer<Finding.Notice> notice;
    private final Failures failures;
    private final Clock clock;
    private @Nullable Thread thread;
    private volatile boolean closed;
    private volatile boolean measuring;
    private boolean reported;

    private long waiting = -1;
    private long askedAt;
    private long tookNanos;
    private long most = -1;

    /** The destinations that one connection is asked about. */
    private record Place(Driver driver, Endpoint endpoint, List<Destination> destinations) {}

    private DepthWatch(List<Place> places, Failures failures, Clock clock, Consumer<Finding.Notice> notice) {
        this.places = places;
        this.failures = failures;
        this.clock = clock;
        this.notice = notice;
    }

    /** Creates a watch that asks nothing. */
    public static DepthWatch none(Failures failures, Clock clock) {
        return new DepthWatch(List.of(), failures, clock, _ -> {});
    }

    /**
     * Creates a watch of every destination, except those of replies, whose protocol can report the depth.
     *
     * @param notice takes the first failure; called by any thread
     */
    public static DepthWatch of(Plan plan, Failures failures, Clock clock, Consumer<Finding.Notice> notice) {
        Map<Endpoint, Place> places = new LinkedHashMap<>();
        Set<Destination> known = new HashSet<>();
        for (Group group : plan.groups()) {
            Endpoint endpoint = group.endpoint();
            if (group instanceof ConsumerGroup consumers && consumers.requesters() != null
                || !group.driver().capabilities(endpoint.settings()).contains(Capability.DEPTH)) {
                continue;
            }
            Endpoint anonymous = new Endpoint(endpoint.protocol(), endpoint.settings().withClientId(null));
            for (Destination destination : group.destinations()) {
                if (known.add(destination)) {
                    places.computeIfAbsent(anonymous, e -> new Place(group.driver(), e, new ArrayList<>())).destinations.add(destination);
                }
            }
        }
        return new DepthWatch(List.copyOf(places.values()), failures, clock, notice);
    }

    /** Starts to ask, when the load begins. */
    public void start() {
        if (!places.isEmpty()) {
            thread = clock.start("brokermeter-depth", this::run);
        }
    }

    /** Begins the measured phase, in which {@link #most} counts. */
    public synchronized void begin() {
        measuring = true;
        most = -1;
    }

    /** Ends the measured phase, after which {@link #most} no longer grows. */
    public synchronized void end() {
        measuring = false;
    }

    /** Returns the number of messages that waited at the last look; -1 when that is unknown or too long ago. */
    public synchronized long latest() {
        return waiting < 0 || clock.nanos() - askedAt > OLD + REST * tookNanos ? -1 : waiting;
    }

    /** Returns the greatest number of waiting messages seen in the measured phase; -1 when none is known. */
    public synchronized long most() {
        return most;
    }

    private void run() {
        Map<Place, Connection> connections = new LinkedHashMap<>();
        boolean answered = false;
        long retry = FIRST_RETRY;
        try {
            sleep(FIRST);
            while (!closed) {
                long begin = clock.nanos();
                if (look(connections, begin)) {
                    long took = clock.nanos() - begin;
                    answered = true;
                    retry = FIRST_RETRY;
                    sleep(Math.max(PERIOD - took, REST * took));
                } else {
                    sleep(retry);
                    retry = Math.min(2 * retry, answered ? RETRY_LOST : RETRY_UNKNOWN);
                }
            }
        } finally {
            closeAll(connections);
        }
    }

    /** Asks for the depth of every destination. Returns false when that failed. */
    private boolean look(Map<Place, Connection> connections, long begin) {
        long sum = -1;
        for (Place place : places) {
            Destination asked = null;
            try {
                Connection connection = connections.get(place);
                if (connection == null) {
                    connection = place.driver.connect(place.endpoint.settings(), IGNORING);
                    connections.put(place, connection);
                }
                for (Destination destination : place.destinations) {
                    if (closed) {
                        return true;
                    }
                    asked = destination;
                    OptionalLong depth = connection.depth(destination);
                    if (depth.isPresent()) {
                        sum = Math.max(0, sum) + depth.getAsLong();
                    }
                }
            } catch (Exception | LinkageError e) {
                failed(asked, e);
                closeAll(connections);
                note(-1, begin);
                return false;
            }
        }
        note(sum, begin);
        return true;
    }

    private synchronized void note(long sum, long begin) {
        waiting = sum;
        askedAt = begin;
        tookNanos = clock.nanos() - begin;
        if (measuring) {
            most = Math.max(most, sum);
        }
    }

    private void failed(@Nullable Destination asked, Throwable e) {
        if (!reported && !closed) {
            reported = true;
            notice.accept(new Finding.DepthUnknown(asked == null ? "" : asked.toString(), failures.text(e)));
        }
    }

    private static void closeAll(Map<Place, Connection> connections) {
        for (Connection connection : connections.values()) {
            try {
                connection.close();
            } catch (RuntimeException e) {
                // nothing was sent there, and nothing can be lost
            }
        }
        connections.clear();
    }

    private void sleep(long nanos) {
        long until = clock.nanos() + nanos;
        while (!closed && until - clock.nanos() > 0) {
            clock.park(until - clock.nanos());
        }
    }

    /** Stops asking, and waits at most a second until the connections are closed. */
    @Override
    public void close() {
        closed = true;
        Thread started = thread;
        if (started != null) {
            clock.unpark(started);
            clock.join(started, CLOSE_WITHIN);
        }
    }
}
