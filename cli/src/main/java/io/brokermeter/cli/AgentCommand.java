package io.brokermeter.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

import io.brokermeter.cli.options.NumberLimits;
import io.brokermeter.cluster.ClusterException;
import io.brokermeter.cluster.Credential;
import io.brokermeter.engine.run.Interruptible;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.IoCause;
import io.brokermeter.trials.ToolVersion;
import io.brokermeter.trials.agents.Agent;
import io.brokermeter.trials.agents.AgentService;
import io.brokermeter.trials.agents.MemberFile;
import io.brokermeter.trials.network.Interruption;
import io.brokermeter.trials.worker.WorkerLauncher;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code agent}: takes part in runs that other machines coordinate. */
@Command(name = "agent",
    description = "Wait for runs that a command with --agents on another machine conducts, and take part in them: send and receive what it says, and give back what was "
        + "measured.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  brokermeter agent --new-key cluster.p12      # once; copy the file to each machine, nobody else may read it",
        "  brokermeter agent --key cluster.p12          # on each machine that is to carry load",
        "  brokermeter client --agents host1,host2 --key cluster.p12 --url tcp://broker:61616 queue://Q",
        "",
        "Exit status: 0 the key was made, or with --once the runs have ended, 1 not so, 2 wrong usage,",
        "129, 130 and 143 ended by SIGHUP, Ctrl-C and SIGTERM."})
final class AgentCommand implements Action {

    private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}][\\p{L}\\p{N}_.-]{0,99}");

    /** The form of the name and of the value of a label. It has no comma, since commas separate the parts of a placement. */
    private static final Pattern LABEL = Pattern.compile("[\\p{L}\\p{N}][\\p{L}\\p{N}_./:-]{0,99}");

    @Option(names = "--new-key", order = 1, paramLabel = "FILE",
        description = "Make the key of a new cluster, write it to this file, and end. Whoever has it belongs to the cluster. Default: none.")
    @Nullable Path newKey;

    @Option(names = "--key", order = 2, paramLabel = "FILE",
        description = "The key of the cluster. Without one it listens on loopback alone, for anybody on this machine. Default: none.")
    @Nullable Path key;

    @Option(names = "--bind", order = 3, paramLabel = "ADDRESS",
        description = "The address of this machine to listen on. Default: all with --key, else loopback.")
    @Nullable String bind;

    @Option(names = "--port", order = 4, paramLabel = "PORT", defaultValue = "7800",
        description = "The port to listen on; 0 is any free one. Default: ${DEFAULT-VALUE}.")
    int port = 7800;

    @Option(names = "--name", order = 5, paramLabel = "NAME",
        description = "Name of the agent, by which runs place groups on it and which reports show. Default: the name of this machine.")
    @Nullable String name;

    @Option(names = "--label", order = 6, paramLabel = "NAME[=VALUE]",
        description = "Label by which runs may place groups on the agent; may be given more than once. Default: none.")
    List<String> labels = List.of();

    @Option(names = "--once", order = 7,
        description = "End when the first coordinator that calls has left, after all of its runs. Default: off.")
    boolean once;

    @Option(names = "--member-file", order = 8, paramLabel = "FILE",
        description = "An empty file that is there as long as a coordinator has this agent in its cluster, for whatever looks after the process. Default: none.")
    @Nullable Path memberFile;

    @Option(names = "--verbose", order = 9, description = "The stack trace behind an error. Default: off.")
    boolean verbose;

    @Override
    public boolean verbose() {
        return verbose;
    }

    /**
     * Runs until a signal ends the process, with {@code --once} until the first coordinator has left.
     *
     * @throws UsageException for what the user must change
     */
    @Override
    public int run(PrintStream out, PrintStream err) throws InterruptedException {
        try {
            if (newKey != null) {
                return makeKey(newKey, out);
            }
            NumberLimits.port("--port", port);
            Credential credential = key == null ? null : Credential.read(key);
            Agent.Identity identity = new Agent.Identity(name(), ToolVersion.text(), labels(), once, "");
            try (AgentService service = new AgentService(identity, address(), port, credential, WorkerLauncher.following(Main.class)::start,
                Drivers::storesOf, memberFile(),
                sentence -> say(out, sentence)); Interruption interruption = Interruption.install(service::kill)) {
                interruption.runs(ending(service));
                InetSocketAddress at = service.address();
                say(out,
                    "Agent " + identity.name() + " listens on "
                        + (credential == null ? "loopback, port " : (bind == null ? "port " : bind + ", port "))
                        + at.getPort() + (credential == null ? ", without a key: only from this machine" : "") + ". It waits for "
                        + (once ? "one coordinator." : "runs until Ctrl-C."));
                return service.run();
            }
        } catch (ClusterException e) {
            throw new UsageException(sentence(String.valueOf(e.getMessage())));
        }
    }

    private MemberFile memberFile() {
        try {
            return memberFile == null ? MemberFile.none() : MemberFile.at(memberFile);
        } catch (IOException e) {
            throw new UsageException("--member-file " + memberFile + " cannot be written: " + IoCause.of(e) + ".");
        }
    }

    private static int makeKey(Path file, PrintStream out) throws ClusterException {
        Credential.create(file);
        say(out, "Made " + file + ". Copy it to each machine of the cluster, as a file that only its user may read.");
        return 0;
    }

    private static synchronized void say(PrintStream out, String sentence) {
        out.println(sentence);
        out.flush();
    }

    private static String sentence(String text) {
        String whole = text.endsWith(".") ? text : text + ".";
        return whole.substring(0, 1).toUpperCase(Locale.ROOT) + whole.substring(1);
    }

    private String name() {
        String own = name;
        if (own == null) {
            try {
                own = InetAddress.getLocalHost().getHostName().replaceFirst("\\..*", "");
            } catch (UnknownHostException e) {
                throw new UsageException("This machine has no name that is known; give the agent one with --name.");
            }
        }
        if (!NAME.matcher(own).matches()) {
            throw new UsageException("--name '" + own + "' must be letters, digits, '.', '-' and '_', at most 100.");
        }
        return own;
    }

    private Map<String, String> labels() {
        Map<String, String> all = new LinkedHashMap<>();
        for (String label : labels) {
            int equals = label.indexOf('=');
            String named = equals < 0 ? label : label.substring(0, equals);
            String value = equals < 0 ? "" : label.substring(equals + 1);
            if (!LABEL.matcher(named).matches() || !value.isEmpty() && !LABEL.matcher(value).matches()) {
                throw new UsageException("--label '" + label + "' must be NAME or NAME=VALUE, each of letters, digits, '.', '-', '_', '/' "
                    + "and ':', at most 100.");
            }
            if (all.put(named, value) != null) {
                throw new UsageException("--label gives " + named + " twice.");
            }
        }
        return all;
    }

    private @Nullable InetAddress address() {
        if (bind == null) {
            return null;
        }
        try {
            return InetAddress.getByName(bind);
        } catch (UnknownHostException e) {
            throw new UsageException("--bind '" + bind + "' is no address of this machine.");
        }
    }

    private static Interruptible ending(AgentService service) {
        return new Interruptible() {
            @Override
            public boolean hasBegun() {
                return true;
            }

            @Override
            public void stop(int signal) {
                service.stop(signal);
            }

            @Override
            public void abort() {
                service.kill();
            }
        };
    }
}
