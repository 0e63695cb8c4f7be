package io.brokermeter.trials.network;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import io.brokermeter.brokers.observe.Servers;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.NetworkFigures;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.run.connect.BrokerWatch;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Workload;
import io.brokermeter.experiment.Workload.Group;
import io.brokermeter.network.Namespace;
import io.brokermeter.network.NetworkPath;
import io.brokermeter.network.NetworkProcess;
import io.brokermeter.network.NetworkRule;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Directions;
import io.brokermeter.spi.failure.Failure;
import io.brokermeter.spi.parameter.ServerUrl;
import io.brokermeter.trials.Drivers;
import org.jspecify.annotations.Nullable;

/**
 * The networks between the groups of a run and their brokers, as the groups' rules require. Belongs to the process that connects, and is
 * used by one thread except for {@link #close}.
 */
public final class GroupNetworks implements AutoCloseable {

    /** No networks. */
    public static final GroupNetworks NONE = new GroupNetworks(null, new Drivers(List.of()));

    private static final int PROBE_MILLIS = 2_000;
    private static final String LOCAL = "localhost";

    /**
     * A server behind a rule. When faults act on connections, each side has an entry of its own, named by its key in a scenario.
     *
     * @param number number of the broker's way for proxies, 0 for a broker that has none
     */
    private record Way(Servers.Server server, NetworkRule rule, String side, int number) {}

    private final @Nullable NetworkProcess network;
    private final Drivers drivers;
    private final Map<Way, NetworkPath> lines = new LinkedHashMap<>();
    private final Map<String, Endpoint> through = new LinkedHashMap<>();
    private final Map<String, String> rules = new LinkedHashMap<>();
    /** The ports of the servers to which connections must lead through a network. */
    private final Set<Integer> ports = new HashSet<>();
    /** The addresses to which brokers refer their clients, by connection settings and by the address as the broker names it. */
    private final Map<ConnectionSettings, Map<String, ServerUrl.Server>> told = new HashMap<>();
    /** The brokers' own URLs by those that stand for them in this network, both redacted. */
    private final Map<String, String> plainUrls = new HashMap<>();
    private @Nullable String why;
    private @Nullable Namespace namespace;

    private GroupNetworks(@Nullable NetworkProcess network, Drivers drivers) {
        this.network = network;
        this.drivers = drivers;
    }

    /**
     * Opens the networks that the rules of a workload require: a link where that is possible, else proxies.
     *
     * @param endpoints returns the endpoint of each group without networks
     * @throws UsageException with one sentence, when that is not possible
     * @throws RunFailure when a broker does not report its addresses
     */
    public static GroupNetworks open(Workload workload, Drivers drivers, Function<Group, Endpoint> endpoints) throws RunFailure {
        if (workload.groups().stream()
            .allMatch(group -> group.access().network().isNone() && !NetworkRequirements.isFaulted(workload, group))) {
            return NONE;
        }
        GroupNetworks networks;
        try {
            networks = new GroupNetworks(NetworkProcess.start(), drivers);
        } catch (IOException e) {
            throw new UsageException("The process that hands over what passes the network does not start: " + e.getMessage());
        }
        boolean opened = false;
        try {
            workload.groups().forEach(group -> networks.rules.put(group.key(), group.access().network().toString()));
            String why = networks.linked(workload, endpoints);
            networks.why = why;
            if (why != null) {
                networks.ports.clear();
                for (Group group : workload.groups()) {
                    if (NetworkRequirements.isFaulted(workload, group) || !group.access().network().isNone()) {
                        networks.proxied(workload, group, endpoints.apply(group), why);
                    }
                }
                networks.watchPorts(workload, endpoints);
            }
            opened = true;
            return networks;
        } finally {
            if (!opened) {
                networks.close();
            }
        }
    }

    /** Makes a link for a workload, or returns why that is not possible. */
    private @Nullable String linked(Workload workload, Function<Group, Endpoint> endpoints) {
        String missing = NetworkRequirements.whyNoLink(workload, drivers, group -> endpoints.apply(group).protocol());
        if (missing != null) {
            return missing;
        }
        Map<NetworkProcess.Alias, Integer> aliases = new LinkedHashMap<>();
        boolean uniform = NetworkRequirements.isUniform(workload);
        for (Group group : workload.groups()) {
            NetworkRule rule = group.access().network();
            Endpoint plain = endpoints.apply(group);
            if (plain.protocol().equals(NetworkRequirements.IN_MEMORY)) {
                continue;
            }
            for (Servers.Server server : Servers.of(plain.settings().url())) {
                ports.add(server.port());
                String address = Namespace.local(server.host());
                if (address == null) {
                    return Namespace.whyNotLocal(server.host());
                }
                if (!uniform && !rule.isNone()) {
                    aliases.putIfAbsent(new NetworkProcess.Alias(rule, address), aliases.size());
                }
            }
        }
        Namespace made;
        try {
            made = handover().link(uniform ? workload.groups().getFirst().access().network() : NetworkRule.NONE,
                List.copyOf(aliases.keySet()));
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
        if (!uniform) {
            for (Group group : workload.groups()) {
                NetworkRule rule = group.access().network();
                if (!rule.isNone()) {
                    replace(group, endpoints.apply(group), server -> new Servers.Server(made.aliases().get(Objects.requireNonNull(
                        aliases.get(new NetworkProcess.Alias(rule, String.valueOf(Namespace.local(server.host())))))), server.port()));
                }
            }
        }
        namespace = made;
        return null;
    }

    /** Returns whether a broker has the way for proxies with a number: one that runs already may have been started by another program. */
    private static boolean leads(int number, Endpoint plain) {
        return Servers.of(plain.settings().url()).stream().allMatch(server -> {
            try (Socket probe = new Socket()) {
                probe.connect(new InetSocketAddress("127.0.1." + number, server.port() + number), PROBE_MILLIS);
                return true;
            } catch (IOException | IllegalArgumentException e) {
                return false;
            }
        });
    }

    private void proxied(Workload workload, Group group, Endpoint plain, String why) throws RunFailure {
        int place = NetworkRequirements.hasWays(group, plain.protocol())
            ? NetworkRequirements.waysOf(workload).indexOf(NetworkRequirements.way(workload, group)) + 1 : 0;
        boolean leads = place > 0 && place <= NetworkRequirements.WAYS && leads(place, plain);
        boolean faulted = NetworkRequirements.isFaulted(workload, group);
        NetworkRequirements.requireProxy(group, faulted, drivers, plain, why, leads);
        NetworkRule rule = group.access().network();
        String side = faulted ? NetworkRequirements.side(group) : "";
        UnaryOperator<Servers.Server> before = server -> behind(new Way(server, rule, side, leads ? place : 0));
        Directions directions = drivers.get(plain.protocol()).directions().orElse(null);
        if (directions == null) {
            replace(group, plain, before);
            return;
        }
        Map<String, ServerUrl.Server> instead = new LinkedHashMap<>();
        told(plain, directions).forEach((address, server) -> {
            Servers.Server proxy = before.apply(new Servers.Server(server.host(), server.port()));
            instead.put(address, new ServerUrl.Server(proxy.host(), proxy.port()));
        });
        replace(group, new Endpoint(plain.protocol(), directions.leading(plain.settings(), instead), plain.roundTrip()), before);
    }

    /** Returns the addresses to which a broker refers its clients; asks the broker once. */
    private Map<String, ServerUrl.Server> told(Endpoint plain, Directions directions) throws RunFailure {
        Map<String, ServerUrl.Server> known = told.get(plain.settings());
        if (known == null) {
            try {
                known = directions.ask(plain.settings());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new RunFailure(new Finding.StoppedConnecting());
            } catch (Exception e) {
                throw new RunFailure(new Finding.Broken(Finding.Step.CONNECT, ConnectionSettings.redacted(plain.settings().url()),
                    e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage()));
            }
            told.put(plain.settings(), known);
        }
        return known;
    }

    /** Adds the ports of the servers when all groups are behind proxies: connections to the servers themselves then bypass the networks. */
    private void watchPorts(Workload workload, Function<Group, Endpoint> endpoints) {
        if (through.size() < workload.groups().size()) {
            return;
        }
        workload.groups().stream().map(endpoints)
            .forEach(plain -> Servers.of(plain.settings().url()).forEach(server -> ports.add(server.port())));
        told.values().forEach(servers -> servers.values().forEach(server -> ports.add(server.port())));
        lines.values().forEach(path -> ports.remove(path.address().getPort()));
    }

    private void replace(Group group, Endpoint plain, UnaryOperator<Servers.Server> change) {
        try {
            String url = Servers.replaced(plain.settings().url(), change);
            through.put(group.key(), new Endpoint(plain.protocol(), plain.settings().withUrl(url), plain.roundTrip()));
            plainUrls.put(ConnectionSettings.redacted(url), ConnectionSettings.redacted(plain.settings().url()));
        } catch (IllegalArgumentException e) {
            throw new UsageException(e);
        }
    }

    private Servers.Server behind(Way way) {
        NetworkPath path = lines.computeIfAbsent(way, this::line);
        return new Servers.Server(way.number() == 0 && way.server().host().equals(LOCAL) ? LOCAL : path.address().getHostString(),
            path.address().getPort());
    }

    private NetworkPath line(Way way) {
        int port = way.server().port() + way.number();
        try {
            return way.number() == 0 ? handover().proxy(way.server().host(), port, way.rule())
                : handover().proxy("127.0.1." + way.number(), port, way.rule(), new InetSocketAddress("127.0.2." + way.number(), port));
        } catch (IOException e) {
            throw new UsageException("No proxy can stand before " + way.server().host() + ":" + way.server().port() + ": "
                + e.getMessage());
        }
    }

    private NetworkProcess handover() {
        return Objects.requireNonNull(network);
    }

    /**
     * Moves the calling thread into the network of the groups until this thread closes the returned object. All threads that connect must
     * be started by this thread.
     */
    public Namespace.Stay enter() {
        Namespace there = namespace;
        try {
            return there == null ? () -> {} : there.enter();
        } catch (IOException e) {
            throw new UsageException("The network namespace cannot be entered: " + e.getMessage());
        }
    }

    /** Returns what the processes of the clients need to know about these networks. */
    public NetworkEntry entry() {
        Namespace there = namespace;
        return new NetworkEntry(there == null ? "" : there.path(), ports.stream().sorted().toList());
    }

    /** Returns a function from a group to its endpoint behind these networks. */
    public Function<Group, Endpoint> through(Function<Group, Endpoint> endpoints) {
        return group -> {
            Endpoint behind = through.get(group.key());
            return behind == null ? endpoints.apply(group) : behind;
        };
    }

    /**
     * Returns a failure to connect as the user knows the broker: a proxy takes each connection, and resets it when its broker takes none,
     * so a client can report neither the broker's address nor that nobody listens there. Tries the broker itself. Blocks for up to 2 s.
     */
    public RunFailure seenFromOutside(RunFailure failure) {
        if (!(failure.finding() instanceof Finding.Broken(Finding.Step step, String subject, String cause))
            || step != Finding.Step.CONNECT) {
            return failure;
        }
        String plain = plainUrls.get(subject);
        if (plain == null) {
            return failure;
        }
        Optional<String> unreachable = Failure.unreachable(servers(plain), Duration.ofMillis(PROBE_MILLIS));
        Finding.Failure finding = unreachable
            .map(reason -> new Finding.Broken(step, plain, reason))
            .orElseGet(() -> new Finding.Broken(step, plain + " through the " + (namespace == null ? "proxy at " : "link at ")
                + servers(subject).stream().map(ServerUrl.Server::toString).collect(Collectors.joining(", ")), cause));
        return failure.as(finding);
    }

    private static List<ServerUrl.Server> servers(String url) {
        return Servers.of(url).stream().map(server -> new ServerUrl.Server(server.host(), server.port())).toList();
    }

    /** Returns the paths on which a fault of connections acts, each with the rule that the scenario gives it. */
    public Map<NetworkPath, NetworkRule> lines(String target) {
        Map<NetworkPath, NetworkRule> found = new LinkedHashMap<>();
        lines.forEach((way, path) -> {
            if (target.equals(Fault.CONNECTION) || target.equals(way.side())) {
                found.put(path, way.rule());
            }
        });
        return found;
    }

    /** Returns a watch of the broker that reports these networks as well. */
    public BrokerWatch watched(BrokerWatch broker) {
        NetworkProcess process = network;
        return process == null ? broker : new NetworkWatch(broker, process, this::figures, entry()::trouble, sentence());
    }

    private NetworkFigures figures(double seconds, double percent) {
        Namespace link = namespace;
        if (link == null) {
            return new NetworkFigures("proxy", String.valueOf(why), rules, -1, -1, -1, seconds, percent);
        }
        long[] packets = link.packets();
        return new NetworkFigures("link", "", rules, packets[0], packets[1], packets[2], seconds, percent);
    }

    private String sentence() {
        if (rules.values().stream().allMatch(NetworkRule.NONE.toString()::equals)) {
            return "A TCP proxy stands before the broker for the faults of connections. Each connection is two, so two windows of TCP are in "
                + "play where one would be.";
        }
        List<String> parts = new ArrayList<>();
        rules.forEach((group, rule) -> parts.add(rule + " for the " + Group.words(group)));
        return namespace != null ? "A link of two devices adds the network, with TCP from end to end: " + String.join(", ", parts) + "."
            : "A TCP proxy adds the network: " + String.join(", ", parts) + ". Each connection is two, so two windows of TCP are in play "
                + "where one would be; " + (handover().keepsWindows() ? "no more is on its way than a receiver's socket has room for"
                    : "what a receiver's socket has room for is not known on this system, and not kept to")
                + ". It is no link, because " + why + ".";
    }

    /** Closes all networks. Any thread may call this. */
    @Override
    public void close() {
        if (network != null) {
            network.close();
        }
    }
}
