package io.brokermeter.engine.plan;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.LinkedHashMap;
import java.util.Map;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.proc.OpenFiles;
import io.brokermeter.spi.failure.Failure;
import io.brokermeter.spi.parameter.Setting;

/** What this machine allows of sockets, beside what a plan needs of them in one process. */
public final class SocketLimits {

    /** The files that a process has open beside its connections: jars, reports, sockets of its own. */
    private static final int OTHER_FILES = 300;

    private SocketLimits() {}

    /**
     * Refuses a share of a plan that needs more open files or local ports than this process may have, or an address that is none of this
     * machine.
     *
     * @throws UsageException with one sentence
     */
    public static void check(Plan plan, Share share) {
        check(plan, share, OpenFiles.limit(), OpenFiles.localPorts());
        for (String source : plan.scenario().connecting().sources()) {
            try (Socket socket = new Socket()) {
                socket.bind(new InetSocketAddress(InetAddress.ofLiteral(source), 0));
            } catch (IOException e) {
                throw new UsageException("%s: %s is no address of this machine (%s).", Setting.SOURCE_ADDRESSES, source, Failure.words(e));
            }
        }
    }

    /**
     * Refuses a share that needs more.
     *
     * @param files largest number of open files of a process; negative if unknown
     * @param ports number of ports for connections from one address; negative if unknown
     */
    static void check(Plan plan, Share share, long files, long ports) {
        int sources = Math.max(1, plan.scenario().connecting().sources().size());
        Map<String, Long> to = new LinkedHashMap<>();
        for (Group group : plan.groups()) {
            if (group.driver().connectsBySockets()) {
                to.merge(group.url(), (long) share.connections(group).cardinality(), Long::sum);
            }
        }
        long all = to.values().stream().mapToLong(Long::longValue).sum();
        if (files >= 0 && all + OTHER_FILES > files && all > OTHER_FILES) {
            throw new UsageException(
                "%,d connections are more than this process may have open (%,d files, of which it needs %d for the rest); "
                    + "raise the limit with 'ulimit -n %d'.",
                all, files, OTHER_FILES, all + OTHER_FILES);
        }
        to.forEach((url, count) -> {
            // A URL with several servers may have as many connections to each of them.
            long most = ports * sources * (1 + url.chars().filter(c -> c == ',').count());
            if (ports >= 0 && count > most) {
                throw new UsageException(
                    "%,d connections to %s are more than the %,d that %d local %s of this machine can have to one port "
                        + "(net.ipv4.ip_local_port_range); name more with %s.",
                    count, url, most, sources,
                    sources == 1 ? "address" : "addresses", Setting.SOURCE_ADDRESSES);
            }
        });
    }
}
