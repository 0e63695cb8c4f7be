package io.brokermeter.cli;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.observe.Observation;
import io.brokermeter.cli.options.Contradictions;
import io.brokermeter.cli.options.EnvironmentVariables;
import io.brokermeter.cli.options.Formats;
import io.brokermeter.cli.options.OptionValues;
import io.brokermeter.cli.options.Parts;
import io.brokermeter.cli.options.Passwords;
import io.brokermeter.cli.options.ReportTargets;
import io.brokermeter.cli.options.SettingOptions;
import io.brokermeter.cli.options.Throwaways;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.Units;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.message.Content;
import io.brokermeter.experiment.ArgumentTree;
import io.brokermeter.experiment.Workload;
import io.brokermeter.experiment.access.EndpointChoice;
import io.brokermeter.experiment.table.Option;
import io.brokermeter.reports.screen.ConsoleOptions;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.spi.parameter.UrlLogin;
import io.brokermeter.trials.CommandContext;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.Endpoints;
import io.brokermeter.trials.OneRun;
import io.brokermeter.trials.ReportPaths;
import io.brokermeter.trials.RunFiles;
import io.brokermeter.trials.Terminal;
import io.brokermeter.trials.Throwaway;
import io.brokermeter.trials.worker.WorkerLauncher;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The base of {@code client}, {@code producer}, {@code consumer} and {@code failover}, whose options become a {@link Workload}. */
abstract class RunCommand implements Action.Measuring {

    @SuppressWarnings("NullAway.Init") // set before the command line is parsed
    CommandSpec spec;

    /** The protocol whose client library the user provides, and its parameter for the jars of this library. */
    private static final String PROVIDER_PROTOCOL = "JMS";
    private static final String PROVIDER_JARS = "client-jars";

    final boolean sends;
    final boolean receives;

    private @Nullable OneRun begun;

    /**
     * Creates a command.
     *
     * @param sends whether the command sends
     * @param receives whether the command receives
     */
    RunCommand(boolean sends, boolean receives) {
        this.sends = sends;
        this.receives = receives;
    }

    /** Returns the arguments of this command but for the options of the table of settings; called once. */
    final CommandSpec arguments() {
        spec = ownArguments();
        spec.addPositional(PositionalParamSpec.builder().paramLabel("DESTINATION").arity("0..*").type(List.class)
            .auxiliaryTypes(String.class).description("queue://NAME, topic://NAME, a plain queue name, or ADDRESS::QUEUE on Artemis; "
                + "several are allowed. Default: queue://TEST, or topic://TEST with --durable.")
            .build());
        return spec;
    }

    /** Returns the arguments of this command alone. */
    CommandSpec ownArguments() {
        return CommandSpec.forAnnotatedObject(this, Parts.PARTS);
    }

    /** Returns those of a command that has none. There are no annotations: a start takes a tenth longer where they are read. */
    final CommandSpec noArguments(String name, String description, String... examples) {
        CommandSpec none = CommandSpec.wrapWithoutInspection(this, Parts.PARTS).name(name);
        none.usageMessage().description(description).footerHeading("%nExamples:%n").footer(examples);
        return none;
    }

    final List<String> destinations() {
        List<String> given = spec.positionalParameters().getFirst().getValue();
        return given == null ? List.of() : given;
    }

    final OptionValues given() {
        return new OptionValues(spec);
    }

    private @Nullable String text(String option) {
        return given().text(option);
    }

    private boolean isOn(String flag) {
        return given().isOn(flag);
    }

    /**
     * Returns the workload that the options describe, with each side's access to the broker.
     *
     * @param otherwise the protocol when no option determines one
     * @throws UsageException for what the user must change
     */
    final Workload workload(Drivers drivers, String otherwise) {
        String name = text("--protocol");
        String protocol = name != null ? drivers.named(name, "--protocol") : drivers.ofUrl(text("--url"), otherwise);
        String other = text("--consumer-protocol");
        String consuming = other != null ? drivers.named(other, "--consumer-protocol")
            : name != null ? protocol : drivers.ofUrl(text("--consumer-url"), protocol);
        ArgumentTree tree = new ArgumentTree();
        String id = text("--id");
        tree.set("name", id == null ? Long.toString(System.currentTimeMillis(), Character.MAX_RADIX) : id, "--id");
        tree.destinations(destinationNames(), String.valueOf(text("--num-destinations")));
        defaults(tree);
        if (sends) {
            tree.set("producers.name", "producers", name());
        }
        if (receives) {
            tree.set("consumers.name", "consumers", name());
        }
        for (Option option : SettingOptions.of(sends, receives)) {
            if (isMeant(option)) {
                Throwaways.set(tree, option, given());
            }
        }
        way(tree, protocol, consuming);
        if (isOn("--tx") || !sends && commitInterval() > 0) {
            tree.set("consumers.ackMode", "transacted", "--tx");
            tree.set("consumers.batch", Integer.toString(Math.max(1, commitInterval())), "--commit-interval");
        }
        if (isOn("--request-reply")) {
            tree.set("consumers.reply", "true", "--request-reply");
        }
        complete(tree, drivers, protocol);
        String seed = text("--seed");
        return tree.workload(!sends ? 0 : seed == null ? System.nanoTime() & Integer.MAX_VALUE : Long.parseLong(seed));
    }

    /** Sets keys for which this command has defaults of its own; options are set after them. */
    void defaults(ArgumentTree tree) {}

    /**
     * Sets keys that depend on all others.
     *
     * @param protocol protocol of the producers
     */
    void complete(ArgumentTree tree, Drivers drivers, String protocol) {}

    /** Returns the format in which runs are shown; null for the one that suits standard output. */
    @Nullable String format() {
        return text("--format");
    }

    /** Returns whether only the scorecard of a fault is shown of a run. */
    boolean isScored() {
        return false;
    }

    /** Returns the broker to start; null for the one that listens, or else the default one. */
    @Nullable String broker() {
        return text("--broker");
    }

    /** Sets the keys of the access to the broker: protocols, passwords by the variables that stand for them, and those of one side. */
    private void way(ArgumentTree tree, String protocol, String consuming) {
        tree.set("protocol", protocol, "--protocol");
        secret(tree, "", "--password", "--password-file", EndpointChoice.PASSWORD_VARIABLE);
        String jars = text("--client-jars");
        if (jars != null && !protocol.equals(PROVIDER_PROTOCOL) && !consuming.equals(PROVIDER_PROTOCOL)) {
            throw new UsageException("--client-jars needs --protocol " + PROVIDER_PROTOCOL + "; protocol " + protocol
                + " brings its own client.");
        }
        if (jars != null) {
            tree.set((protocol.equals(PROVIDER_PROTOCOL) ? "" : "consumers.") + "properties." + PROVIDER_JARS, jars, "--client-jars");
        }
        if (!receives) {
            return;
        }
        tree.set("consumers.protocol", consuming, "--consumer-protocol");
        String client = text("--clientID");
        if (client != null) {
            tree.set("consumers.clientId", client, "--clientID");
        }
        boolean secret = text("--consumer-password") != null || given().path("--consumer-password-file") != null;
        if (secret) {
            secret(tree, "consumers.", "--consumer-password", "--consumer-password-file", EndpointChoice.CONSUMER_PASSWORD_VARIABLE);
        } else if (text("--consumer-user") != null) {
            secret(tree, "consumers.", "--password", "--password-file", EndpointChoice.PASSWORD_VARIABLE);
        }
        String url = text("--url");
        if (text("--consumer-user") != null && text("--consumer-url") == null && url != null) {
            tree.set("consumers.url", UrlLogin.strip(url), "--url");
        }
    }

    private void secret(ArgumentTree tree, String side, String password, String file, String variable) {
        Path path = given().path(file);
        if (path != null) {
            tree.set(side + "passwordFile", path.toString(), file);
        } else if (text(password) != null) {
            tree.set(side + "passwordEnv", variable, password);
        }
    }

    /** Returns whether the value of an option is set in the tree as it is; other options are without effect or set elsewhere. */
    private boolean isMeant(Option option) {
        if (option.path().isEmpty() || option.path().startsWith("broker.") || !given().isSet(option)
            || given().isVariableWithoutAgents(option)) {
            return false;
        }
        return switch (option.name()) {
            case "--tx", "--clientID", "--num-destinations", "--protocol", "--consumer-protocol" -> false;
            case "--commit-interval" -> sends;
            case "--reply-timeout" -> isOn("--request-reply");
            // The environment may set a size for all commands.
            case "--message-size" -> given().isTyped("--message-size") || !isVerbatim();
            default -> !Boolean.FALSE.equals(Objects.requireNonNull(spec.findOption(option.name())).getValue());
        };
    }

    /** Returns the number of messages of a transaction; 0 for none, also where the command line has consumers acknowledge otherwise. */
    private int commitInterval() {
        return !sends && acknowledgedAtOnce() > 1 && isTypedAlone("--multi-ack-every", "--commit-interval") ? 0
            : (int) Units.count(String.valueOf(text("--commit-interval")));
    }

    private long acknowledgedAtOnce() {
        return Units.count(String.valueOf(text("--multi-ack-every")));
    }

    /** Returns whether the command line itself has the first option and not the other one, which a variable may set. */
    private boolean isTypedAlone(String option, String other) {
        return given().isTyped(option) && !given().isTyped(other);
    }

    private boolean isVerbatim() {
        String body = text("--body");
        return body != null && Content.isVerbatim(body);
    }

    private List<String> destinationNames() {
        List<String> names = new ArrayList<>(destinations());
        names.addAll(given().list("--queue"));
        if (names.isEmpty()) {
            names.add(isOn("--durable") ? "topic://TEST" : "queue://TEST");
        }
        return names;
    }

    @Override
    public int run(PrintStream out, PrintStream err) throws Exception {
        if (verbose()) {
            ClientLog.beVerbose();
        }
        check();
        Observation watched = given().watching().observation();
        Drivers drivers = Drivers.load();
        String named = broker();
        Throwaway broker = Throwaways.of(given(), named);
        Workload workload = workload(drivers, drivers.firstOf(Broker.protocols(broker.name()), broker.name().toString()));
        boolean open = Endpoints.isOpen(workload);
        if (open) {
            Endpoints started = new Endpoints(drivers, broker.name(), Map.of(), null);
            started.unserved(workload).ifPresent(protocol -> {
                throw new UsageException(unserved(drivers, broker.name(), protocol));
            });
            started.requireServed(workload, broker.options());
        }
        Plan.of(workload.connected(new Endpoints(drivers, null, passwords(Passwords::announced), null).endpoints(drivers::localUrl)),
            drivers.all());
        Map<String, Secret> passwords = passwords(Passwords::resolve);
        boolean starts = open && (named != null || !Drivers.isListening());
        if (!starts) {
            watched.requireMetrics();
        }
        ReportPaths reports =
            new ReportPaths(given().path("--json"), given().path("--hdr"), given().path("--junit"), given().path("--summary"),
                text("--metrics"), text("--otlp"), text("--serve"), isOn("--live"), out);
        Formats format = Formats.of(format(), reports.takesStandardOutput());
        ConsoleOptions console = new ConsoleOptions(isOn("--show-latency"), isOn("--silent") || isOn("--live"), verbose(), format.status(),
            Terminal.columns(), isOn("--show-broker")).scored(isScored());
        begun = new OneRun(name(), workload, starts ? broker : null,
            new Endpoints(drivers, starts ? broker.name() : null, passwords, null), watched, isOn("--i-own-this-broker"),
            new OneRun.Outputs(RunFiles.of(text("--out"), err), reports, console, format.screen(), Option::of,
                isScored() || isOn("--verdict-fails"),
                new CommandContext(WorkerLauncher.here(Main.class), reports.takesStandardOutput() ? err : out, err)));
        return begun.run(warnings());
    }

    /** Returns the result of the last run; null when there is none. */
    final @Nullable RunResult result() {
        return begun == null ? null : begun.result();
    }

    /** Returns the numbers of the faults that the last run did not make, since its load was over before they were due. */
    final List<Integer> faultsNotDue() {
        return begun == null ? List.of() : begun.faultsNotDue();
    }

    @Override
    public final boolean verbose() {
        return isOn("--verbose");
    }

    @Override
    public final Set<String> protocols() {
        return begun == null ? Set.of() : begun.protocols();
    }

    private String unserved(Drivers drivers, BrokerName broker, String protocol) {
        String others = Broker.names().stream().filter(other -> Broker.protocols(BrokerName.parse(other)).contains(protocol))
            .collect(Collectors.joining(" or --broker "));
        if (text("--broker") == null) {
            return "Protocol " + protocol + " needs --url, for example "
                + drivers.get(protocol).schemes().stream().sorted().findFirst().orElse(protocol.toLowerCase(Locale.ROOT))
                + "://..., " + (others.isEmpty() ? "" : "or --broker " + others + ", ")
                + "because the default broker, " + broker + ", does not speak it.";
        }
        return "Broker " + broker + " does not speak " + protocol + ", but " + String.join(", ", Broker.protocols(broker))
            + (others.isEmpty() ? "; " + protocol + " needs --url." : "; --broker " + others + " does.");
    }

    /** Reads a password by the value of an option, a file, and the option's name; {@link Passwords} has the implementations. */
    interface PasswordReader {
        @Nullable Secret read(@Nullable String text, @Nullable Path file, String option);
    }

    /** Returns the passwords of the groups, by the groups' keys. */
    final Map<String, Secret> passwords(PasswordReader reader) {
        Secret all = password(reader, "--password");
        Secret own = password(reader, "--consumer-password");
        String url = text("--consumer-url");
        Secret consuming = own != null || url != null && UrlLogin.of(url) != null ? own : all;
        Map<String, Secret> passwords = new LinkedHashMap<>();
        if (all != null) {
            passwords.put("producers producers", all);
        }
        if (consuming != null) {
            passwords.put("consumers consumers", consuming);
        }
        return passwords;
    }

    private @Nullable Secret password(PasswordReader reader, String option) {
        return reader.read(text(option), given().path(option + "-file"), option);
    }

    /** Returns the command's own name: {@code client}. */
    private String name() {
        String name = spec.name();
        return name.substring(name.lastIndexOf(' ') + 1);
    }

    /**
     * Checks combinations of options that neither the scenario nor its plan checks.
     *
     * @throws UsageException for options that contradict each other or have no effect
     */
    final void check() {
        OptionValues values = given();
        Contradictions.refuse(spec, arg -> arg instanceof OptionSpec option ? values.isSet(option) : !destinations().isEmpty());
        for (Option option : SettingOptions.below(Throwaways.HEADING)) {
            if (broker() == null && values.isTyped(option.name())) {
                throw new UsageException(option.name() + " needs --broker, which names the broker to start.");
            }
        }
        ReportTargets reports = new ReportTargets();
        for (String option : SettingOptions.ofReports()) {
            Path path = values.path(option);
            String file = path == null ? null : path.toString();
            if (option.equals("--json")) {
                reports.with(option, file);
            } else {
                reports.withFile(option, file);
            }
        }
        reports.requireDistinct();
        if (values.isTyped("--reply-timeout") && !isOn("--request-reply")) {
            throw new UsageException("--reply-timeout needs --request-reply: plain messages get no reply.");
        }
        if (!sends && commitInterval() > 0 && acknowledgedAtOnce() > 1 && !isTypedAlone("--commit-interval", "--multi-ack-every")) {
            throw new UsageException("Give either --commit-interval or --multi-ack-every, not both: a transaction "
                + "acknowledges with its commit.");
        }
    }

    /** Returns sentences about options that have no effect here, or that are unsafe. */
    private List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        for (String option : List.of("--password", "--consumer-password")) {
            String password = text(option);
            if (password != null && !password.isEmpty() && given().isTyped(option)) {
                warnings.add("everyone on this machine can read a password on the command line; use " + option + "-file or "
                    + EnvironmentVariables.variable(option) + " instead.");
                break;
            }
        }
        if (text("--acceptor") != null) {
            warnings.add("--acceptor has no effect: there is no broker.xml to find it in; use --url.");
        }
        if (sends && Units.count(String.valueOf(text("--max-pending"))) == 0) {
            warnings.add(
                "--max-pending 0 lets 1,048,576 sends of a producer wait, less with more than 4 producers, so memory may fill with sends that "
                    + "are not confirmed.");
        }
        if (!receives && text("--clientID") != null) {
            warnings.add("--clientID has no effect on producer: only consumers' connections carry it.");
        }
        return warnings;
    }
}
