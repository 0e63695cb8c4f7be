package io.brokermeter.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Access;
import io.brokermeter.experiment.BrokerChoice;
import io.brokermeter.experiment.Workload;
import io.brokermeter.spi.Secret;
import org.jspecify.annotations.Nullable;

/**
 * How the groups of a workload reach their broker.
 *
 * @param drivers the protocols at hand
 * @param broker the broker that is started for it, or null for none
 * @param password the password of everybody who has a name and none of their own, or null
 */
record TrialEndpoints(Drivers drivers, @Nullable BrokerChoice broker, @Nullable Secret password) {

    /** Whose password it is, for sentences. */
    static String owner(Access access) {
        return access.who() == null ? "the connection" : "user '" + access.who() + "'";
    }

    /** Whether a group says nothing of where its broker is. */
    static boolean isOpen(Workload workload) {
        return accesses(workload).anyMatch(TrialEndpoints::isOpen);
    }

    private static boolean isOpen(Access access) {
        return access.url() == null || isNode(access.url());
    }

    /** Whether a URL stands for a further broker of the topology that is started: {@code #2}. */
    private static boolean isNode(String url) {
        return url.matches("#[0-9]+");
    }

    /** The access of each group. */
    static Stream<Access> accesses(Workload workload) {
        return Stream.concat(workload.producers().stream(), workload.consumers().stream());
    }

    /** The protocol of a group: as it says, else by its URL, else the first one of the broker. */
    String protocol(Access access) {
        if (access.protocol() != null) {
            return drivers.named(access.protocol(), "key 'protocol'");
        }
        BrokerName name = broker == null ? BrokerName.parse(Broker.names().getFirst()) : broker.name();
        return drivers.ofUrl(isOpen(access) ? null : access.url(), drivers.firstOf(Broker.protocols(name), name.toString()));
    }

    /**
     * The endpoint of each group.
     *
     * @param urls the URL, by protocol, for groups that have none of their own
     */
    Function<Access, Endpoint> endpoints(UnaryOperator<String> urls) {
        return access -> {
            String protocol = protocol(access);
            String url = access.url();
            String found = url == null ? urls.apply(protocol) : isNode(url) ? urls.apply(protocol + url) : url;
            if (!access.hidden().isEmpty()) {
                throw new UsageException("The files of a run keep no passwords: replay that run alone, and give the parameter "
                        + access.hidden().getFirst() + " there.");
            }
            try {
                return access.endpoint(protocol, found, secret(access));
            } catch (IllegalArgumentException e) {
                throw new UsageException(String.valueOf(e.getMessage()));
            }
        };
    }

    /** The same as a worker is told. */
    List<WorkerOrder.Way> ways(Workload workload, UnaryOperator<String> urls) {
        Function<Access, Endpoint> endpoints = endpoints(urls);
        List<WorkerOrder.Way> ways = new ArrayList<>();
        accesses(workload).map(endpoints).forEach(endpoint -> {
            Secret secret = endpoint.settings().password();
            ways.add(new WorkerOrder.Way(endpoint.protocol(), endpoint.settings().url(), secret == null ? null : secret.reveal()));
        });
        return ways;
    }

    /** Refuses a protocol that the broker does not speak which is to be started. */
    void requireServed(Workload workload) {
        if (broker == null) {
            return;
        }
        Set<String> served = Broker.protocols(broker.name());
        accesses(workload).filter(TrialEndpoints::isOpen).map(this::protocol).filter(name -> !served.contains(name))
                .findFirst().ifPresent(name -> {
                    throw new UsageException("Broker " + broker.name() + " does not speak " + name + ", but "
                            + String.join(", ", served) + ".");
                });
    }

    private @Nullable Secret secret(Access access) {
        if (access.wantsPassword()) {
            if (password == null) {
                throw new UsageException("The files of a run keep no passwords: give that of " + owner(access)
                        + " in " + Access.PASSWORD_VARIABLE + ".");
            }
            return password;
        }
        Secret own = access.password();
        return own != null || access.user() == null ? own : password;
    }
}
