package io.brokermeter.experiment.access;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.table.ValueSyntax;
import io.brokermeter.spi.parameter.Setting;
import org.jspecify.annotations.Nullable;

/**
 * The agents that run a workload together, as the user specifies them. Immutable.
 *
 * @param who the agents
 * @param key file with the key of their cluster, or null for none, which is possible only for agents on this machine
 * @param onLoss what the run does when an agent is lost
 * @param expect number of agents that must be there before the run begins; 0 for {@linkplain #needed all that are named}
 * @param within the longest wait for the agents
 * @param deployed whether the agents are started on their hosts for the run, by {@code ssh}, and ended with it
 */
public record Agents(Who who, @Nullable Path key, Loss onLoss, int expect, Duration within, boolean deployed) {

    /** Creates agents that run already, or that are started on this machine. */
    public Agents(Who who, @Nullable Path key, Loss onLoss, int expect, Duration within) {
        this(who, key, onLoss, expect, within, false);
    }

    /** The default of the longest wait for agents. */
    public static final Duration WITHIN = Duration.ofSeconds(60);

    /** No agents: a run in one process. */
    public static final Agents NONE = new Agents(new Nobody(), null, Loss.END, 0, WITHIN);

    private static final int MOST_HERE = 64;
    private static final String DNS = "dns:";
    private static final Pattern HOST =
        Pattern.compile("(\\[[0-9a-fA-F:.]+(?:%[\\p{L}\\p{N}_.-]+)?]|[\\p{L}\\p{N}_][\\p{L}\\p{N}_.-]*)(?::([0-9]{1,5}))?");

    /** A specification of agents. */
    public sealed interface Who {}

    /** No agents. */
    public record Nobody() implements Who {

        @Override
        public String toString() {
            return "none";
        }
    }

    /** A number of agents that are started on this machine for the run. */
    public record Here(int count) implements Who {

        @Override
        public String toString() {
            return Integer.toString(count);
        }
    }

    /** The agents on some hosts. */
    public record On(List<Host> hosts) implements Who {

        public On {
            hosts = List.copyOf(hosts);
        }

        @Override
        public String toString() {
            return hosts.stream().map(Host::toString).collect(Collectors.joining(","));
        }
    }

    /** The agents at all addresses to which a name resolves, such as that of a headless service of Kubernetes. */
    public record Behind(Host name) implements Who {

        @Override
        public String toString() {
            return DNS + name;
        }
    }

    /**
     * The address on which an agent listens.
     *
     * @param name name or address of the host, an IPv6 address in brackets
     * @param port port, or 0 for the default one
     */
    public record Host(String name, int port) {

        /** Returns whether the host is certainly this machine. */
        boolean isLoopback() {
            return name.equalsIgnoreCase("localhost") || name.matches("127(\\.[0-9]{1,3}){3}") || name.equals("[::1]");
        }

        @Override
        public String toString() {
            return port == 0 ? name : name + ":" + port;
        }
    }

    /** The reaction of a run to the loss of an agent. */
    public enum Loss {
        /** The run ends, with a summary of what is known. */
        END,
        /** The run goes on with the other agents. */
        CONTINUE
    }

    /** Returns whether there are any agents. */
    public boolean areAny() {
        return !(who instanceof Nobody);
    }

    /** Returns whether the agents are started on this machine for the run, as children of this process. */
    public boolean areStartedHere() {
        return who instanceof Here;
    }

    /**
     * Returns the number of agents that must be there before the run begins: as many as expected, else all that are named, and at least one
     * of those at the addresses of a name.
     */
    public int needed() {
        return expect > 0 ? expect : named();
    }

    /** Returns the number of agents that are named; the addresses of a name count as many as are expected, but at least one. */
    public int named() {
        return switch (who) {
            case Nobody _ -> 0;
            case Here(int count) -> count;
            case On(List<Host> hosts) -> hosts.size();
            case Behind _ -> Math.max(1, expect);
        };
    }

    /**
     * Checks that the file with the key can be read. The files of runs are read without this check, since that may be long after the run.
     *
     * @throws UsageException with one sentence
     */
    public void requireKey() {
        if (key != null && (!Files.isReadable(key) || Files.isDirectory(key))) {
            throw new UsageException("%s names the file %s, which does not exist or cannot be read.", Setting.AGENT_KEY, key);
        }
    }

    /** Returns whether an agent may be on another machine, which requires a key. */
    public boolean areElsewhere() {
        return switch (who) {
            case Nobody _,Here _ -> false;
            case On(List<Host> hosts) -> !hosts.stream().allMatch(Host::isLoopback);
            case Behind _ -> true;
        };
    }

    /**
     * Parses {@code 3}, {@code host1,host2:7801}, {@code dns:NAME} or {@code none}.
     *
     * @throws UsageException with one sentence
     */
    public static Who who(String text) {
        String form = text.strip();
        if (form.equals("none")) {
            return new Nobody();
        }
        if (form.matches("[0-9]+")) {
            int count = form.length() > 6 ? Integer.MAX_VALUE : Integer.parseInt(form);
            if (count < 1 || count > MOST_HERE) {
                throw new UsageException("Agents '" + form + "': 1 to " + MOST_HERE + " of them can be started on this machine.");
            }
            return new Here(count);
        }
        if (form.startsWith(DNS)) {
            return new Behind(host(form.substring(DNS.length()), form));
        }
        List<Host> hosts = new ArrayList<>();
        for (String part : form.split(",", -1)) {
            Host host = host(part.strip(), form);
            if (hosts.contains(host)) {
                throw new UsageException("Agents '" + form + "': " + host + " is named twice.");
            }
            hosts.add(host);
        }
        return new On(hosts);
    }

    private static Host host(String text, String whole) {
        Matcher host = HOST.matcher(text);
        if (!host.matches()) {
            throw new UsageException("Agents '" + whole + "' must be " + ValueSyntax.AGENTS.description() + (text.equals(whole) ? "."
                : "; '" + text + "' is no host."));
        }
        int port = host.group(2) == null ? 0 : Integer.parseInt(host.group(2));
        if (host.group(2) != null && (port < 1 || port > 65_535)) {
            throw new UsageException("Agents '" + whole + "': " + host.group(2) + " is no port; ports are 1 to 65535.");
        }
        return new Host(host.group(1), port);
    }
}
