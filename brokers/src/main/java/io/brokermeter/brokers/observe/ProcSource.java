package io.brokermeter.brokers.observe;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;

import io.brokermeter.engine.recording.BrokerSample;

/** The processes of a broker on this machine: finds them, and finds them again when it was started anew. */
final class ProcSource extends Source {

    /** How often a broker that is gone is looked for. */
    private static final long LOOK_AGAIN = 2_000_000_000L;

    private final List<Long> pids;
    private final List<Servers.Server> servers;
    private final long machineBytes;
    private final Consumer<ObservedProcess> found;
    private final Consumer<String> notice;
    private final Readings usage;
    private final Map<Long, Member> members = new LinkedHashMap<>();
    private final ProcessGroup group;
    private volatile String description = "";
    private boolean searched;
    private boolean everFound;
    private long searchedAt;

    private record Member(String name, Readings series) {}

    /**
     * @param pids the processes, or empty to find those that serve {@code servers}
     * @param found is told of each process of the broker, once
     */
    ProcSource(List<Long> pids, List<Servers.Server> servers, long machineBytes, LongUnaryOperator next, Readings usage,
               Consumer<ObservedProcess> found, Consumer<String> notice) {
        super("broker", next);
        this.pids = pids;
        this.servers = servers;
        this.machineBytes = machineBytes;
        this.usage = usage;
        this.found = found;
        this.notice = notice;
        group = new ProcessGroup(pid -> {
            if (!isClosed()) {
                notice.accept("The broker's process " + pid + " is gone");
            }
        });
    }

    /** Which processes are watched, for people. */
    String description() {
        return description;
    }

    @Override
    boolean read() throws Hopeless {
        if (group.isEmpty() && !find()) {
            return false;
        }
        ProcessGroup.All all = group.read();
        Reading sum = all.sum();
        if (sum == null) {
            return false;
        }
        synchronized (members) {
            members.keySet().retainAll(all.singles().stream().map(ProcessGroup.Single::pid).collect(Collectors.toSet()));
            for (ProcessGroup.Single single : all.singles()) {
                members.computeIfAbsent(single.pid(), _ -> new Member(single.name(), new Readings(machineBytes)))
                    .series.add(single.reading());
            }
        }
        usage.add(sum);
        return true;
    }

    private boolean find() throws Hopeless {
        long now = System.nanoTime();
        if (searched && now - searchedAt < LOOK_AGAIN) {
            return false;
        }
        searched = true;
        searchedAt = now;
        List<Long> owners = pids;
        if (pids.isEmpty()) {
            PortOwners.Found search = PortOwners.of(servers);
            if (!search.local()) {
                throw new Hopeless();
            }
            owners = search.pids();
            // A broker that was there and is not comes back in its own time, and the notice of its end was enough.
            if (search.trouble() != null && !everFound) {
                notice.accept(search.trouble());
            }
        } else if (everFound) {
            throw new Hopeless();
        }
        for (long pid : owners) {
            group.add(pid);
        }
        List<ObservedProcess> named = group.named();
        if (named.isEmpty()) {
            return false;
        }
        description = named.stream().map(p -> p.name() + " (pid " + p.pid() + ")").collect(Collectors.joining(", "));
        if (everFound) {
            notice.accept("The broker runs again: " + description);
        }
        everFound = true;
        named.forEach(found);
        return true;
    }

    /** Each process since the last call, when there are several. */
    List<BrokerSample.Part> parts() {
        synchronized (members) {
            List<BrokerSample.Part> parts = new ArrayList<>();
            if (members.size() > 1) {
                members.forEach((pid, member) -> {
                    Reading taken = member.series.take();
                    if (taken != null) {
                        parts.add(new BrokerSample.Part(member.name, pid, taken.usage()));
                    }
                });
            }
            return parts.size() > 1 ? parts : List.of();
        }
    }
}
