package io.brokermeter.cluster;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.brokermeter.cluster.group.GroupChannel;
import io.brokermeter.cluster.group.JGroupsSetup;
import org.jgroups.Address;
import org.jgroups.stack.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a coordinator: calls each address repeatedly as long as no process at that address is a member, and records what is known
 * about the address.
 */
final class AddressCalls {

    private static final long SOON_MILLIS = 200;
    private static final long LATER_MILLIS = 750;
    private static final int SOON_TIMES = 25;

    private final List<Targets.Target> targets;
    private final boolean dns;
    private final Object lock = new Object();
    private final Map<IpAddress, Known> agents = new HashMap<>();
    private final Map<IpAddress, String> reasons = new HashMap<>();
    private final Map<String, List<IpAddress>> addresses = new HashMap<>();
    private final Set<IpAddress> there = new HashSet<>();
    private final Set<IpAddress> calling = new HashSet<>();
    private volatile boolean closed;

    /** The agent that answered at an address. */
    record Known(Address agent, IpAddress dialed, Hello hello) {}

    AddressCalls(List<Targets.Target> targets, boolean dns) {
        this.targets = targets;
        this.dns = dns;
    }

    void open(GroupChannel session) {
        for (Targets.Target target : targets) {
            Thread.ofVirtual().name("cluster calls").start(() -> work(session, target));
        }
    }

    void close() {
        closed = true;
    }

    private void work(GroupChannel session, Targets.Target target) {
        try {
            for (int times = 0; !closed; times++) {
                for (IpAddress address : resolve(target)) {
                    if (begin(address)) {
                        // Each address has a thread of its own, so that an address that does not answer does not delay the others.
                        Thread.ofVirtual().name("cluster call").start(() -> call(session, address));
                    }
                }
                Thread.sleep(times < SOON_TIMES ? SOON_MILLIS : LATER_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<IpAddress> resolve(Targets.Target target) {
        List<IpAddress> found;
        try {
            found = target.resolve(dns).stream().map(AddressCalls::ip).toList();
        } catch (UnknownHostException e) {
            found = List.of();
        }
        synchronized (lock) {
            addresses.put(target.text(), found);
        }
        return found;
    }

    private static IpAddress ip(InetSocketAddress address) {
        return new IpAddress(address.getAddress(), address.getPort());
    }

    private boolean begin(IpAddress address) {
        synchronized (lock) {
            return !there.contains(address) && calling.add(address);
        }
    }

    private void call(GroupChannel session, IpAddress address) {
        try {
            session.line.keep(address);
            session.calls.call(address);
        } catch (IOException | RuntimeException e) {
            JGroupsSetup.log("a call to " + address + ": " + e);
        } finally {
            synchronized (lock) {
                calling.remove(address);
                Exception failure = session.line.failures().get(address);
                if (failure != null) {
                    reasons.put(address, CallDiscovery.text(address) + " " + Targets.reason(failure));
                } else if (!agents.containsKey(address)) {
                    reasons.putIfAbsent(address, CallDiscovery.text(address) + " does not answer");
                }
            }
        }
    }

    /**
     * Records that an agent answered at an address and is about to join.
     *
     * @return the agent that answered at the address before, if it was a different one; else null
     */
    @Nullable Address comes(Address agent, IpAddress dialed, Hello hello) {
        synchronized (lock) {
            Known earlier = agents.put(dialed, new Known(agent, dialed, hello));
            reasons.put(dialed, hello.name() + " at " + CallDiscovery.text(dialed) + " is about to join");
            return earlier == null || earlier.agent().equals(agent) ? null : earlier.agent();
        }
    }

    void comesNot(IpAddress dialed, String sentence) {
        synchronized (lock) {
            reasons.put(dialed, sentence);
        }
    }

    @Nullable Known known(Address agent) {
        synchronized (lock) {
            return agents.values().stream().filter(one -> one.agent().equals(agent)).findAny().orElse(null);
        }
    }

    void isThere(Address agent) {
        Known known = known(agent);
        synchronized (lock) {
            if (known != null) {
                there.add(known.dialed());
            }
        }
    }

    void gone(Address agent, Departure why) {
        Known known = known(agent);
        synchronized (lock) {
            if (known != null) {
                there.remove(known.dialed());
                reasons.put(known.dialed(), known.hello().name() + " at " + CallDiscovery.text(known.dialed()) + switch (why) {
                    case LEFT -> " has left";
                    case KILLED -> " was killed";
                    case SILENT -> " fell silent";
                });
            }
        }
    }

    Map<String, String> missing() {
        synchronized (lock) {
            Map<String, String> missing = new LinkedHashMap<>();
            for (Targets.Target target : targets) {
                List<IpAddress> all = addresses.get(target.text());
                if (all == null) {
                    missing.put(target.text(), target.text() + " was not called yet");
                } else if (all.isEmpty()) {
                    missing.put(target.text(), "there is no host '" + target.host() + "'");
                } else {
                    String reasonsOfAll = String.join("; ", all.stream().filter(one -> !there.contains(one))
                        .map(one -> reasons.getOrDefault(one, CallDiscovery.text(one) + " does not answer")).toList());
                    if (!reasonsOfAll.isEmpty()) {
                        missing.put(target.text(), reasonsOfAll);
                    }
                }
            }
            return missing;
        }
    }
}
