package io.brokermeter.trials.network;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Workload;
import io.brokermeter.experiment.Workload.Group;
import io.brokermeter.network.Namespace;
import io.brokermeter.network.NetworkRule;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.Endpoints;
import org.jspecify.annotations.Nullable;

/** Which networks the groups of a workload need, a link or proxies, and whether they are possible. */
public final class NetworkRequirements {

    /**
     * The protocol whose brokers refer their clients to addresses of their own, and whose driver cannot be directed elsewhere. Brokers that
     * are started here have additional listeners for proxies, the ways: beside the one at 127.0.0.1:P one at 127.0.1.W:(P + W), for W from
     * 1, which refers clients to 127.0.2.W:(P + W).
     */
    private static final String HAS_WAYS = "KAFKA";
    static final int WAYS = 2;
    /** The protocol that needs no network. */
    static final String IN_MEMORY = "LOOPBACK";
    /** Whether proxies are used even where a link is possible, for measurements of the proxy. */
    private static final boolean PROXY_ALONE = Boolean.getBoolean("brokermeter.network.proxy");

    private NetworkRequirements() {}

    /**
     * Refuses networks that are impossible on this machine, before anything is started.
     *
     * @param endpoints the endpoints of the workload
     * @param starts whether a broker is started for groups that name none
     * @throws UsageException with one sentence
     */
    public static void require(Workload workload, Endpoints endpoints, boolean starts) {
        Function<Group, Endpoint> ways = endpoints.endpoints(endpoints.drivers()::localUrl);
        String missing = whyNoLink(workload, endpoints.drivers(), group -> endpoints.protocol(group.access()));
        for (Group group : workload.groups()) {
            String protocol = endpoints.protocol(group.access());
            boolean faulted = isFaulted(workload, group);
            boolean hasWays = hasWays(group, protocol) && starts && waysOf(workload).size() <= WAYS;
            if ((faulted || !group.access().network().isNone()) && protocol.equals(IN_MEMORY)) {
                throw new UsageException("Protocol LOOPBACK is in memory, so no network can lie before it; its parameters delay messages.");
            }
            requireDelays(workload, group);
            if (missing == null) {
                requireLink(workload, protocol);
            } else if (faulted || !group.access().network().isNone()) {
                requireProxy(group, faulted, endpoints.drivers(), ways.apply(group), missing, hasWays);
            }
        }
    }

    /** Refuses faults whose delay cannot be added to that of the group's rule. */
    private static void requireDelays(Workload workload, Group group) {
        NetworkRule rule = group.access().network();
        for (Fault fault : workload.scenario().faults()) {
            Duration by = fault.by();
            if (by != null && isAbout(fault, group)) {
                try {
                    rule.delayed(by);
                } catch (IllegalArgumentException e) {
                    throw new UsageException("Fault '" + fault + "' cannot be made beside network '" + rule + "' of the " + group.words()
                        + ". " + e.getMessage());
                }
            }
        }
    }

    static boolean hasWays(Group group, String protocol) {
        return protocol.equals(HAS_WAYS) && group.access().url() == null && System.getProperty("os.name", "").contains("Linux");
    }

    /**
     * Returns the distinct networks between the groups of a workload and a broker. The index in the list plus 1 is the number of a way for
     * proxies.
     */
    static List<Map.Entry<NetworkRule, String>> waysOf(Workload workload) {
        return workload.groups().stream().map(group -> way(workload, group)).distinct().toList();
    }

    static Map.Entry<NetworkRule, String> way(Workload workload, Group group) {
        return Map.entry(group.access().network(), isFaulted(workload, group) ? side(group) : "");
    }

    /** Returns whether faults act on the connections of a group. */
    static boolean isFaulted(Workload workload, Group group) {
        return workload.scenario().faults().stream().anyMatch(fault -> isAbout(fault, group));
    }

    private static boolean isAbout(Fault fault, Group group) {
        return fault.action().subject() == Fault.Subject.CONNECTION
            && (fault.target().equals(Fault.CONNECTION) || fault.target().equals(side(group)));
    }

    static String side(Group group) {
        return group.key().split(" ", 2)[0];
    }

    /** Returns the beginning of a sentence about the addresses of a protocol's brokers. */
    private static String tellsAddresses(String protocol) {
        return "A broker of protocol " + protocol + " sends its clients on to addresses of its own, ";
    }

    static void requireProxy(Group group, boolean faulted, Drivers drivers, Endpoint way, String missing, boolean hasWays) {
        NetworkRule rule = group.access().network();
        if (way.protocol().equals(HAS_WAYS) && !hasWays) {
            if (faulted) {
                throw new UsageException(tellsAddresses(way.protocol())
                    + "and they lead around the proxy that faults of connections need; pause or kill one of its processes.");
            }
            throw new UsageException(tellsAddresses(way.protocol())
                + "and they lead around a proxy, unless it is started for the run and has at "
                + "most " + WAYS + " different networks before it; '" + rule + "' of the " + group.words()
                + " needs a link, which cannot be "
                + "made: " + missing + ".");
        }
        try {
            drivers.get(way.protocol()).directions().ifPresent(directions -> directions.check(way.settings()));
        } catch (IllegalArgumentException e) {
            throw new UsageException(e);
        }
        if (rule.loss() > 0) {
            throw new UsageException("'" + rule + "' of the " + group.words() + " loses packets, which a proxy on TCP cannot; it needs a "
                + "link, which cannot be made: " + missing + ".");
        }
    }

    private static void requireLink(Workload workload, String protocol) {
        if (protocol.equals(HAS_WAYS) && !isUniform(workload)) {
            throw new UsageException(
                tellsAddresses(protocol) + "the same ones for both sides: all groups need the same network then.");
        }
    }

    static boolean isUniform(Workload workload) {
        return workload.groups().stream().map(group -> group.access().network()).distinct().count() == 1;
    }

    /** Returns why the network of a workload cannot be a link, as a part of a sentence; null as long as nothing prevents it. */
    static @Nullable String whyNoLink(Workload workload, Drivers drivers, Function<Group, String> protocols) {
        String planned = whyProxy(workload);
        if (planned != null) {
            return planned;
        }
        String missing = Namespace.missing();
        if (missing != null) {
            return missing;
        }
        if (isUniform(workload)) {
            return null;
        }
        return workload.groups().stream()
            .filter(group -> hasWays(group, protocols.apply(group)) || drivers.get(protocols.apply(group)).directions().isPresent())
            .map(group -> "there a broker of protocol " + protocols.apply(group) + " sends both sides to the same addresses")
            .findFirst().orElse(null);
    }

    /** Returns why a workload needs proxies on every machine; null when nothing in it requires them. */
    private static @Nullable String whyProxy(Workload workload) {
        if (PROXY_ALONE) {
            return "a proxy was asked for";
        }
        if (workload.agents().areAny() && !workload.agents().areStartedHere()) {
            return "agents that run already stay in the network where they are";
        }
        return workload.scenario().faults().isEmpty() ? null : "faults act on a proxy";
    }

    /** Returns whether a workload may have a link where the machine permits one. */
    static boolean mayBeLink(Workload workload) {
        return whyProxy(workload) == null;
    }
}
