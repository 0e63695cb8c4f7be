package io.brokermeter.trials;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

import io.brokermeter.engine.run.judge.EndingThresholds;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Workload;
import io.brokermeter.experiment.portable.PortableFiles;
import io.brokermeter.experiment.portable.PortableScenario;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.parameter.Setting;
import io.brokermeter.spi.parameter.StoreParameter;
import org.jspecify.annotations.Nullable;

/**
 * Refuses what several agents cannot run together, with the reason, before anything starts. The limits that depend on the agents present
 * are in {@code agents.SpreadLimit}.
 */
public final class NotWithAgents {

    private NotWithAgents() {}

    /**
     * Refuses a workload that agents cannot run.
     *
     * @param started whether a broker is started for the workload on this machine, or expected there
     * @param address the address on which the started broker listens, null for loopback
     * @param endpoints returns the endpoint of each group, as far as the endpoints are known
     * @param drivers the available protocols
     * @throws UsageException with one sentence
     */
    public static void require(Workload workload, boolean started, @Nullable InetAddress address,
            Function<Workload.Group, Endpoint> endpoints,
            Drivers drivers) {
        if (!workload.agents().areAny()) {
            if (address != null) {
                throw new UsageException("%s is for agents, which reach the broker there; without them leave it out.",
                    Setting.BROKER_ADDRESS);
            }
            return;
        }
        requireOwn(address);
        workload.agents().requireKey();
        refusals(workload, started && address == null).findFirst().ifPresent(refusal -> {
            throw refusal;
        });
        PortableFiles portable = PortableScenario.parcel(workload, workload.scenario().id());
        for (Workload.Group group : workload.groups()) {
            Endpoint endpoint = endpoints.apply(group);
            List<StoreParameter> stores = drivers.stores(endpoint.protocol());
            ConnectionSettings settings = endpoint.settings();
            String url = portable.url(settings.url(), stores);
            PortableScenario.require(url, portable.properties(settings.properties(), stores), stores, portable.files().keySet());
        }
        portable.contents();
    }

    private static void requireOwn(@Nullable InetAddress address) {
        if (address == null) {
            return;
        }
        try {
            if (address.isAnyLocalAddress() || address.isMulticastAddress()
                || !address.isLoopbackAddress() && NetworkInterface.getByInetAddress(address) == null) {
                throw new UsageException("%s: %s is no address of this machine that agents could connect to.", Setting.BROKER_ADDRESS,
                    address.getHostAddress());
            }
        } catch (SocketException e) {
            throw new UsageException("%s: the addresses of this machine cannot be read: %s.", Setting.BROKER_ADDRESS, e.getMessage());
        }
    }

    private static Stream<UsageException> refusals(Workload workload, boolean hidden) {
        boolean elsewhere = workload.agents().areElsewhere();
        boolean network = workload.groups().stream().anyMatch(group -> !group.access().network().isNone());
        Optional<Threshold> unwatched =
            workload.scenario().thresholds().stream().filter(one -> one.abort() && !EndingThresholds.isWatched(one)).findFirst();
        return Stream.of(
            when(elsewhere && workload.scenario().faults().stream().anyMatch(fault -> fault.action().subject() == Fault.Subject.CONNECTION),
                "%s: faults of connections are made by a proxy on this machine, and connections of agents elsewhere do not lead through it; "
                    + "kill, stop, pause or restart the broker, or let the agents be on this machine.",
                Setting.AGENTS),
            when(elsewhere && network,
                "%s: a network between clients and broker is made on this machine, and connections of agents elsewhere do not lead through it; "
                    + "let the agents be on this machine.",
                Setting.AGENTS),
            when(workload.scenario().limits().settles(),
                "%s: each of several processes would decide by itself when 'warmup: auto' (--warmup auto) ends; give a time.",
                Setting.AGENTS),
            when(hidden && elsewhere,
                "%s: the broker would be on this machine, at an address that agents elsewhere do not reach; name a "
                    + "broker by its URL, with a host that all of them know, or have one started with %s.",
                Setting.AGENTS, Setting.BROKER_ADDRESS),
            unwatched.map(threshold -> new UsageException(
                "%s: '%s' cannot end a run on agents, whose intervals do not have that figure; leave ', abort' out, and "
                    + "it is judged at the end.",
                Setting.AGENTS, threshold.text())))
            .flatMap(Optional::stream);
    }

    private static Optional<UsageException> when(boolean wrong, String sentence, Object... parts) {
        return wrong ? Optional.of(new UsageException(sentence, parts)) : Optional.empty();
    }
}
