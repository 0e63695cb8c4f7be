package io.brokermeter.cli;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
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
import io.brokermeter.cli.options.ConnectionOptions;
import io.brokermeter.cli.options.ConsumerConnectionOptions;
import io.brokermeter.cli.options.DestinationOptions;
import io.brokermeter.cli.options.NamedValues;
import io.brokermeter.cli.options.ObservationOptions;
import io.brokermeter.cli.options.OutputOptions;
import io.brokermeter.cli.options.ThrowawayOptions;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.scenario.Content;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Units;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Access;
import io.brokermeter.experiment.ArgumentTree;
import io.brokermeter.experiment.Option;
import io.brokermeter.experiment.Reading;
import io.brokermeter.experiment.Workload;
import io.brokermeter.reports.ConsoleOptions;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Secret;
import io.brokermeter.spi.UrlLogin;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.Endpoints;
import io.brokermeter.trials.OneRun;
import io.brokermeter.trials.ProgressLine;
import io.brokermeter.trials.RunFiles;
import io.brokermeter.trials.Terminal;
import io.brokermeter.trials.Throwaway;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** What {@code client}, {@code producer} and {@code consumer} have in common: options that become a {@link Scenario}. */
abstract class RunCommand implements Action.Measuring {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    CommandSpec spec;

    @Mixin(name = Heading.CONNECTION)
    final ConnectionOptions connection = new ConnectionOptions();

    @Mixin(name = Heading.THROWAWAY)
    final ThrowawayOptions throwaway = new ThrowawayOptions();

    @Mixin(name = Heading.OBSERVATION)
    final ObservationOptions observation = new ObservationOptions();

    @Mixin(name = Heading.DESTINATIONS)
    final DestinationOptions destinations = new DestinationOptions();

    @Mixin(name = Heading.OUTPUT)
    final OutputOptions output = new OutputOptions();

    /** The protocol whose client the user brings along, and its parameter for that client's jars. */
    private static final String PROVIDER_PROTOCOL = "JMS";
    private static final String PROVIDER_JARS = "client-jars";

    final boolean sends;
    final boolean receives;

    private @Nullable OneRun begun;

    /** Where the consumers connect when that differs; null when the command has no such options. */
    @Nullable ConsumerConnectionOptions consumerConnection() {
        return null;
    }

    /**
     * What the command does.
     *
     * @param sends whether there is a sending half
     * @param receives whether there is a receiving half
     */
    RunCommand(boolean sends, boolean receives) {
        this.sends = sends;
        this.receives = receives;
    }

    /** What was asked for; its endpoints are placeholders. */
    private Scenario scenario() {
        ArgumentTree tree = new ArgumentTree();
        tree.set("name", output.id == null ? Long.toString(System.currentTimeMillis(), Character.MAX_RADIX) : output.id, "--id");
        tree.set("interval", Reading.MILLIS.inFile(Long.toString(output.interval.toMillis())), "--interval");
        tree.destinations(destinationList());
        if (sends) {
            tree.set("producers.name", "producers", name());
        }
        if (receives) {
            tree.set("consumers.name", "consumers", name());
        }
        for (Option option : SettingOptions.of(sends, receives)) {
            if (isMeant(option)) {
                switch (option.reading()) {
                    case FLAG -> tree.set(option.path(), "true", option.name());
                    case NAMED -> tree.set(option.path(), named(option.name()), option.name());
                    default -> tree.set(option.path(), String.valueOf(text(option.name())), option.name());
                }
            }
        }
        if (isOn("--tx") || !sends && commitInterval() > 0) {
            tree.set("consumers.ackMode", "transacted", "--tx");
            tree.set("consumers.batch", Integer.toString(Math.max(1, commitInterval())), "--commit-interval");
        }
        if (isOn("--request-reply")) {
            tree.set("consumers.reply", "true", "--request-reply");
        }
        String seed = text("--seed");
        return tree.scenario(!sends ? 0 : seed == null ? System.nanoTime() & Integer.MAX_VALUE : Long.parseLong(seed));
    }

    /** Whether an option goes into the scenario as it stands. */
    private boolean isMeant(Option option) {
        OptionSpec given = Objects.requireNonNull(spec.findOption(option.name()));
        return isGiven(given) && switch (option.name()) {
            case "--tx" -> false;
            case "--commit-interval" -> sends;
            case "--reply-timeout" -> isOn("--request-reply");
            // The environment may set a size for all commands.
            case "--message-size" -> isTyped("--message-size") || !isVerbatim();
            default -> !Boolean.FALSE.equals(given.getValue());
        };
    }

    /** The value of an option in the form of a scenario file; null for none, and where the command has no such option. */
    final @Nullable String text(String option) {
        OptionSpec given = spec.findOption(option);
        return given == null ? null : given.getValue();
    }

    final boolean isOn(String flag) {
        OptionSpec given = spec.findOption(flag);
        return given != null && Boolean.TRUE.equals(given.getValue());
    }

    final int commitInterval() {
        return (int) Units.count(String.valueOf(text("--commit-interval")));
    }

    private Map<String, String> named(String option) {
        List<String> values = Objects.requireNonNull(spec.findOption(option)).getValue();
        return NamedValues.parse(values == null ? List.of() : values, option);
    }

    private Duration time(String option) {
        return Units.duration(String.valueOf(text(option)), "s");
    }

    private boolean isVerbatim() {
        String body = text("--body");
        return body != null && Content.parse(body).verbatim();
    }

    @Override
    public final int run(PrintStream out, PrintStream err) throws Exception {
        if (output.verbose) {
            ClientLog.beVerbose();
        }
        check();
        Observation watched = observation.watching().observation();
        Drivers drivers = Drivers.load();
        Throwaway broker = throwaway.throwaway(connection.broker);
        Workload workload = workload(drivers, drivers.firstOf(Broker.protocols(broker.name()), broker.name().toString()));
        boolean open = Endpoints.isOpen(workload);
        if (open) {
            new Endpoints(drivers, broker.name(), Map.of(), null).unserved(workload).ifPresent(protocol -> {
                throw new UsageException(unserved(drivers, broker.name(), protocol));
            });
        }
        Plan.of(workload.connected(new Endpoints(drivers, null, passwords(Passwords::announced), null).endpoints(drivers::localUrl)),
                drivers.all());
        Map<String, Secret> passwords = passwords(Passwords::resolve);
        boolean starts = open && (connection.broker != null || !Drivers.isListening());
        if (!starts) {
            watched.requireMetrics();
        }
        ConsoleOptions console = new ConsoleOptions(output.showLatency, output.silent, output.verbose, ProgressLine.isTerminal(),
                Terminal.columns(), observation.show);
        begun = new OneRun(name(), workload, starts ? broker : null,
                new Endpoints(drivers, starts ? broker.name() : null, passwords, null), watched,
                new OneRun.Outputs(RunFiles.of(output.out, err), output.json, output.hdr, console, out, err));
        return begun.run(warnings());
    }

    @Override
    public final boolean verbose() {
        return output.verbose;
    }

    @Override
    public final Set<String> protocols() {
        return begun == null ? Set.of() : begun.protocols();
    }

    private String unserved(Drivers drivers, BrokerName broker, String protocol) {
        String others = Broker.names().stream().filter(other -> Broker.protocols(BrokerName.parse(other)).contains(protocol))
                .collect(Collectors.joining(" or --broker "));
        if (connection.broker == null) {
            return "Protocol " + protocol + " needs --url, for example "
                    + drivers.get(protocol).schemes().stream().sorted().findFirst().orElse(protocol.toLowerCase(Locale.ROOT))
                    + "://..., " + (others.isEmpty() ? "" : "or --broker " + others + ", ")
                    + "because the default broker, " + broker + ", does not speak it.";
        }
        return "Broker " + broker + " does not speak " + protocol + ", but " + String.join(", ", Broker.protocols(broker))
                + (others.isEmpty() ? "; " + protocol + " needs --url." : "; --broker " + others + " does.");
    }

    /** Where a password comes from: the value of an option, a file, and the option's name. */
    interface PasswordReader {
        @Nullable Secret read(@Nullable String text, @Nullable Path file, String option);
    }

    /** The passwords of the groups, by their keys. */
    final Map<String, Secret> passwords(PasswordReader reader) {
        Secret all = reader.read(connection.password, connection.passwordFile, "--password");
        ConsumerConnectionOptions other = consumerConnection();
        Secret own = other == null ? null : reader.read(other.password, other.passwordFile, "--consumer-password");
        Map<String, Secret> passwords = new LinkedHashMap<>();
        if (all != null) {
            passwords.put("producers producers", all);
        }
        if (all != null || own != null) {
            passwords.put("consumers consumers", own != null ? own : Objects.requireNonNull(all));
        }
        return passwords;
    }

    /**
     * What was asked for, with each side's way to the broker.
     *
     * @param otherwise the protocol when nothing says which
     * @throws UsageException for a protocol that there is not
     */
    final Workload workload(Drivers drivers, String otherwise) {
        String protocol = connection.protocol != null
                ? drivers.named(connection.protocol, "--protocol") : drivers.ofUrl(connection.url, otherwise);
        ConsumerConnectionOptions other = consumerConnection();
        String consuming = other == null ? protocol : other.protocol != null ? drivers.named(other.protocol, "--consumer-protocol")
                : connection.protocol != null ? protocol : drivers.ofUrl(other.url, protocol);
        if (connection.clientJars != null && !protocol.equals(PROVIDER_PROTOCOL) && !consuming.equals(PROVIDER_PROTOCOL)) {
            throw new UsageException("--client-jars needs --protocol " + PROVIDER_PROTOCOL + "; protocol " + protocol
                    + " brings its own client.");
        }
        Map<String, String> properties = NamedValues.parse(connection.properties, "--property");
        Access sending = access(protocol, connection.url, connection.user, connection.password, connection.passwordFile,
                Access.PASSWORD_VARIABLE).with(null, connection.connectTimeout, withJars(protocol, properties));
        Access receiving = sending;
        if (other != null) {
            boolean own = other.user != null;
            boolean secret = other.password != null || other.passwordFile != null;
            String url = other.url != null ? other.url : own && connection.url != null ? UrlLogin.strip(connection.url) : connection.url;
            Map<String, String> all = withJars(consuming, consuming.equals(protocol) ? properties : Map.of());
            all.putAll(NamedValues.parse(other.properties, "--consumer-property"));
            receiving = access(consuming, url, own ? other.user : connection.user, secret ? other.password : connection.password,
                    secret ? other.passwordFile : connection.passwordFile,
                    secret ? Access.CONSUMER_PASSWORD_VARIABLE : Access.PASSWORD_VARIABLE).with(null, connection.connectTimeout, all);
        }
        receiving = receiving.with(connection.clientId, connection.connectTimeout, receiving.properties());
        return new Workload(scenario(), sends ? List.of(sending) : List.of(), receives ? List.of(receiving) : List.of());
    }

    private static Access access(String protocol, @Nullable String url, @Nullable String user, @Nullable String password,
            @Nullable Path file, String variable) {
        boolean secret = password != null || file != null;
        try {
            // Refuses a login that stands in the URL and in options.
            new ConnectionSettings(url == null ? "" : url, user, secret ? Secret.of("***") : null, null,
                    Access.CONNECT_TIMEOUT);
            return Access.OPEN.at(protocol, url).as(user, file, secret && file == null ? variable : null);
        } catch (IllegalArgumentException e) {
            throw new UsageException(e);
        }
    }

    private Map<String, String> withJars(String protocol, Map<String, String> properties) {
        Map<String, String> all = new LinkedHashMap<>(properties);
        if (connection.clientJars != null && protocol.equals(PROVIDER_PROTOCOL)) {
            all.put(PROVIDER_JARS, connection.clientJars);
        }
        return all;
    }

    /** The command's own name: {@code client}. */
    final String name() {
        String name = spec.name();
        return name.substring(name.lastIndexOf(' ') + 1);
    }

    /** Whether the option was on the command line itself, not in the environment. */
    final boolean isTyped(String option) {
        ParseResult parsed = spec.commandLine().getParseResult();
        return parsed != null && parsed.hasMatchedOption(option);
    }

    /** Refuses what cannot be meant, beyond what the plan refuses. */
    void check() {
        Contradictions.refuse(spec, arg -> arg instanceof OptionSpec option ? isGiven(option) : !destinations.names.isEmpty());
        if (!time("--duration").isZero() && time("--duration").compareTo(time("--warmup")) < 0) {
            throw new UsageException("--duration " + text("--duration") + " must not be shorter than --warmup " + text("--warmup")
                    + ", which is part of it.");
        }
        if (output.interval.compareTo(Duration.ofMillis(10)) < 0) {
            throw new UsageException("--interval must be at least 10ms.");
        }
        CommandSpec own = spec.mixins().get(Heading.THROWAWAY);
        for (OptionSpec option : own == null ? List.<OptionSpec>of() : own.options()) {
            if (connection.broker == null && isTyped(option.longestName())) {
                throw new UsageException(option.longestName() + " needs --broker, which names the broker to start.");
            }
        }
        if (connection.connectTimeout.isZero()) {
            throw new UsageException("--connect-timeout must be longer than 0.");
        }
        if (output.json != null && output.hdr != null
                && output.json.toAbsolutePath().normalize().equals(output.hdr.toAbsolutePath().normalize())) {
            throw new UsageException("--json and --hdr must not name the same file, " + output.json + ".");
        }
        if (isVerbatim() && isTyped("--message-size")) {
            throw new UsageException("--message-size has no effect with a --body of a file or a template, which "
                + "decides the size itself; leave it out.");
        }
        if (isOn("--keep-subscriptions") && !isOn("--durable")) {
            throw new UsageException("--keep-subscriptions needs --durable: other subscriptions end with the run.");
        }
    }

    /** Sentences about options that have no effect here. */
    List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        ConsumerConnectionOptions other = consumerConnection();
        String exposed = isExposed("--password", connection.password) ? "--password"
                : other != null && isExposed("--consumer-password", other.password) ? "--consumer-password" : null;
        if (exposed != null) {
            warnings.add("everyone on this machine can read a password on the command line; use " + exposed + "-file or "
                    + EnvironmentVariables.variable(exposed) + " instead.");
        }
        if (connection.acceptor != null) {
            warnings.add("--acceptor has no effect: there is no broker.xml to find it in; use --url.");
        }
        if (!time("--duration").isZero() && time("--duration").equals(time("--warmup"))) {
            warnings.add("--warmup " + text("--warmup") + " is all of --duration, so nothing is measured: the totals count, and "
                    + "no rates and times follow.");
        }
        if (sends && Units.count(String.valueOf(text("--max-pending"))) == 0) {
            warnings.add("--max-pending 0 sets no limit, so memory may fill with sends that are not confirmed.");
        }
        return warnings;
    }

    private boolean isExposed(String option, @Nullable String password) {
        return password != null && !password.isEmpty() && isTyped(option);
    }

    private boolean isGiven(OptionSpec option) {
        ParseResult parsed = spec.commandLine().getParseResult();
        return parsed.hasMatchedOption(option)
                || parsed.commandSpec().defaultValueProvider() instanceof EnvironmentVariables environment
                    && environment.source(option) != null && !Boolean.FALSE.equals(option.getValue());
    }

    private List<Destination> destinationList() {
        List<String> names = new ArrayList<>(destinations.names);
        names.addAll(destinations.queues);
        if (names.isEmpty()) {
            names.add(isOn("--durable") ? "topic://TEST" : "queue://TEST");
        }
        List<Destination> list = new ArrayList<>();
        for (String name : names) {
            if (name.isBlank()) {
                throw new UsageException("The name of a destination is empty; name a queue or a topic, like queue://Q.");
            }
            Destination destination;
            try {
                destination = Destination.parse(name);
            } catch (IllegalArgumentException e) {
                throw new UsageException(e);
            }
            for (int i = 0; i < destinations.count; i++) {
                Destination one = destinations.count == 1 ? destination : destination.withSuffix(Integer.toString(i));
                if (list.contains(one)) {
                    throw new UsageException("Destination " + one + " is named twice.");
                }
                list.add(one);
            }
        }
        return list;
    }
}
