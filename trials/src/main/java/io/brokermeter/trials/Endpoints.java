package io.brokermeter.trials;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Workload;
import io.brokermeter.experiment.Workload.Group;
import io.brokermeter.experiment.access.BrokerChoice;
import io.brokermeter.experiment.access.EndpointChoice;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.trials.faults.FaultTargets;
import io.brokermeter.trials.worker.EndpointSpec;
import org.jspecify.annotations.Nullable;

/**
 * Determines how the groups of a workload reach their broker.
 *
 * @param drivers the available protocols
 * @param broker the broker that is started for the workload, or null for none
 * @param passwords passwords of groups that were given beside the workload, by the group's key
 * @param password the password of all other groups that have a user and no password of their own, or null
 */
public record Endpoints(
        Drivers drivers, @Nullable BrokerName broker, Map<String, Secret> passwords, @Nullable Secret password) {

    /** Returns whose password a group needs, for sentences. */
    public static String owner(EndpointChoice access) {
        return access.who() == null ? "the connection" : "user '" + access.who() + "'";
    }

    /** Returns whether any group leaves open where its broker is. */
    public static boolean isOpen(Workload workload) {
        return workload.groups().stream().anyMatch(group -> isOpen(group.access()));
    }

    private static boolean isOpen(EndpointChoice access) {
        return access.url() == null || isNode(access.url());
    }

    /** Returns whether a URL such as {@code #2} stands for a further broker of the topology that is started. */
    private static boolean isNode(String url) {
        return url.matches("#[0-9]+");
    }

    /** Returns the protocol of a group: the one that it names, else that of its URL, else the first one of the broker. */
    public String protocol(EndpointChoice access) {
        if (access.protocol() != null) {
            return drivers.named(access.protocol(), "key 'protocol'");
        }
        BrokerName name = broker == null ? BrokerName.parse(Broker.names().getFirst()) : broker;
        return drivers.ofUrl(isOpen(access) ? null : access.url(), drivers.firstOf(Broker.protocols(name), name.toString()));
    }

    /**
     * Returns the URLs to which the groups of a workload connect, which are their own or the default ones; none for groups whose broker is
     * started.
     */
    List<String> urls(Workload workload) {
        return workload.groups().stream().map(Group::access).filter(access -> broker == null || !isOpen(access))
            .map(access -> access.url() == null ? drivers.localUrl(protocol(access)) : access.url()).distinct().toList();
    }

    /**
     * Returns the targets of the faults of a workload.
     *
     * @param started the broker that is started for the workload, or null for one that runs already
     * @param owned whether the user declares that a broker that runs already is theirs to stop
     */
    public FaultTargets faultTargets(Workload workload, @Nullable BrokerChoice started, boolean owned) {
        return new FaultTargets(started == null ? null : started.name(), started == null ? BrokerOptions.defaults() : started.options(),
            urls(workload), owned, workload.directory());
    }

    /**
     * Returns a function from a group to its endpoint.
     *
     * @param urls returns the URL, by protocol, for groups that have none of their own
     */
    public Function<Group, Endpoint> endpoints(UnaryOperator<String> urls) {
        return group -> {
            EndpointChoice access = group.access();
            String protocol = protocol(access);
            String url = access.url();
            String found = url == null ? urls.apply(protocol) : isNode(url) ? urls.apply(protocol + url) : url;
            if (!access.hidden().isEmpty()) {
                throw new UsageException("The files of a run keep no passwords: replay that run alone, and give the parameter "
                    + access.hidden().getFirst() + " there.");
            }
            if (access.wantsAnotherPassword()) {
                throw new UsageException("The files of a sweep keep no passwords, and this one has several for one key: start it again.");
            }
            try {
                return access.endpoint(protocol, found, secret(group));
            } catch (IllegalArgumentException e) {
                throw new UsageException(e);
            }
        };
    }

    /** Returns the endpoints of all groups in the form that workers receive, by the groups' keys. */
    public Map<String, EndpointSpec> specs(Workload workload, UnaryOperator<String> urls) {
        Function<Group, Endpoint> endpoints = endpoints(urls);
        return workload.groups().stream().collect(Collectors.toMap(Group::key, group -> {
            Endpoint endpoint = endpoints.apply(group);
            ConnectionSettings settings = endpoint.settings();
            Secret secret = settings.password();
            return new EndpointSpec(endpoint.protocol(), settings.url(), settings.user(), secret == null ? null : secret.reveal(),
                settings.properties());
        }));
    }

    /** Returns a protocol of the workload that the broker to be started does not speak; empty when there is none. */
    public Optional<String> unserved(Workload workload) {
        return broker == null ? Optional.empty() : unserved(workload, Broker.protocols(broker));
    }

    private Optional<String> unserved(Workload workload, Set<String> served) {
        return workload.groups().stream().map(Group::access).filter(Endpoints::isOpen).map(this::protocol)
            .filter(name -> !served.contains(name)).findFirst();
    }

    /**
     * Checks that the broker to be started speaks the protocols of a workload in the topology of its options.
     *
     * @throws UsageException with one sentence, when it does not
     */
    public void requireServed(Workload workload, BrokerOptions options) {
        if (broker != null) {
            Set<String> served = Broker.protocols(broker, options.topology());
            unserved(workload, served).ifPresent(protocol -> {
                throw new UsageException("Broker " + broker + " as " + options.topology() + " does not speak " + protocol + ", but "
                    + String.join(", ", served) + ".");
            });
        }
    }

    private @Nullable Secret secret(Group group) {
        Secret given = passwords.get(group.key());
        if (given != null) {
            return given;
        }
        EndpointChoice access = group.access();
        if (access.wantsPassword()) {
            if (password == null) {
                throw new UsageException("The files of a run keep no passwords: give that of " + owner(access)
                    + " in " + EndpointChoice.PASSWORD_VARIABLE + ".");
            }
            return password;
        }
        Secret own = access.password();
        return own != null || access.user() == null ? own : password;
    }
}
