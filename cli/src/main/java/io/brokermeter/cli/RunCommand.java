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
import io.brokermeter.cli.options.ConsumerOptions;
import io.brokermeter.cli.options.DestinationOptions;
import io.brokermeter.cli.options.LimitOptions;
import io.brokermeter.cli.options.LoadOptions;
import io.brokermeter.cli.options.MessageOptions;
import io.brokermeter.cli.options.NamedValues;
import io.brokermeter.cli.options.ObservationOptions;
import io.brokermeter.cli.options.OutputOptions;
import io.brokermeter.cli.options.ThrowawayOptions;
import io.brokermeter.cli.options.TransactionOptions;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.scenario.ConsumerSide;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.Header;
import io.brokermeter.engine.scenario.Keys;
import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Messages;
import io.brokermeter.engine.scenario.Pacing;
import io.brokermeter.engine.scenario.ProducerSide;
import io.brokermeter.engine.scenario.RequestReply;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Start;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Access;
import io.brokermeter.experiment.Workload;
import io.brokermeter.reports.ConsoleOptions;
import io.brokermeter.spi.AckMode;
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
abstract class RunCommand implements Action {

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

    @Mixin(name = Heading.TRANSACTIONS)
    final TransactionOptions transactions = new TransactionOptions();

    @Mixin(name = Heading.LIMITS)
    final LimitOptions limits = new LimitOptions();

    @Mixin(name = Heading.OUTPUT)
    final OutputOptions output = new OutputOptions();

    /** Until a broker is known. */
    private static final Endpoint OPEN =
            new Endpoint("", new ConnectionSettings("", null, null, null, Access.CONNECT_TIMEOUT));

    /** The protocol whose client the user brings along, and its parameter for that client's jars. */
    private static final String PROVIDER_PROTOCOL = "JMS";
    private static final String PROVIDER_JARS = "client-jars";

    private @Nullable OneRun begun;

    /** Where the consumers connect when that differs; null when the command has no such options. */
    @Nullable ConsumerConnectionOptions consumerConnection() {
        return null;
    }

    /** The options of the sending half, or null when there is none. */
    @Nullable LoadOptions load() {
        return null;
    }

    /** The options of what is sent, or null when there is no sending half. */
    @Nullable MessageOptions messages() {
        return null;
    }

    /** The options of the receiving half, or null when there is none. */
    @Nullable ConsumerOptions consumers() {
        return null;
    }

    /** What was asked for; its endpoints are placeholders. */
    abstract Scenario scenario();

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
    public final boolean measures() {
        return true;
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
        return new Workload(scenario(), load() == null ? List.of() : List.of(sending), consumers() == null ? List.of() : List.of(receiving));
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
            throw new UsageException(String.valueOf(e.getMessage()));
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
        if (!limits.duration.isZero() && limits.duration.compareTo(limits.warmup) < 0) {
            throw new UsageException("--duration " + seconds(limits.duration) + " must not be shorter than --warmup "
                    + seconds(limits.warmup) + ", which is part of it.");
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
        MessageOptions sending = messages();
        if (sending != null && sending.content.verbatim() && isTyped("--message-size")) {
            throw new UsageException("--message-size has no effect with a --body of a file or a template, which "
                + "decides the size itself; leave it out.");
        }
        ConsumerOptions receiving = consumers();
        if (receiving != null && receiving.keepSubscriptions && !receiving.durable) {
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
        if (!limits.duration.isZero() && limits.duration.equals(limits.warmup)) {
            warnings.add("--warmup " + seconds(limits.warmup) + " is all of --duration, so nothing is measured: the totals count, and "
                    + "no rates and times follow.");
        }
        LoadOptions load = load();
        if (load != null && load.maxPending == 0) {
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

    final List<Destination> destinationList() {
        List<String> names = new ArrayList<>(destinations.names);
        names.addAll(destinations.queues);
        if (names.isEmpty()) {
            ConsumerOptions receiving = consumers();
            names.add(receiving != null && receiving.durable ? "topic://TEST" : "queue://TEST");
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
                throw new UsageException(String.valueOf(e.getMessage()));
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

    /**
     * The sending half.
     *
     * @param request makes its messages requests, null for plain ones
     */
    final ProducerSide producerSide(LoadOptions load, MessageOptions message, @Nullable RequestReply request,
            List<Destination> list) {
        Load asked = load.shape == null ? new Load.AllOut() : Load.parse(load.shape, seed());
        if (load.rate != null) {
            asked = new Load.Constant(load.rate);
        } else if (load.ratePerProducer != null) {
            asked = new Load.Constant(load.ratePerProducer.times(Math.multiplyExact(load.producers, list.size())));
        }
        List<Header> headers = NamedValues.parse(message.headers, "--header").entrySet().stream()
                .map(header -> Header.parse(header.getKey(), header.getValue())).toList();
        Keys keys = message.group == null ? message.keys : Keys.one(message.group);
        Messages messages = new Messages(message.sizes, message.content, message.bare, message.persistent, message.ttl.toMillis(),
                message.deliveryDelay, keys, message.priority == null ? List.of() : Messages.priorities(message.priority), headers,
                message.messageIds, message.timestamps);
        return new ProducerSide("producers", OPEN, list, load.producers, load.threads, load.sharedConnections,
                load.maxPending, asked, load.batch, load.thinkTime, Start.after(load.startDelay).withRamp(load.ramp),
                load.messageCount, messages, transactions.commitInterval, load.rollback, request);
    }

    /**
     * The receiving half.
     *
     * @param alwaysTransacted whether a commit interval alone makes the consumers transacted
     * @param replies whether they answer each message
     */
    final ConsumerSide consumerSide(
            ConsumerOptions options, boolean alwaysTransacted, boolean replies, List<Destination> list) {
        AckMode mode = AckMode.AUTO;
        int batch = 1;
        if (options.transacted || alwaysTransacted && transactions.commitInterval > 0) {
            mode = AckMode.TRANSACTED;
            batch = Math.max(1, transactions.commitInterval);
        } else if (options.ackEvery > 1) {
            mode = AckMode.BATCH;
            batch = options.ackEvery;
        }
        return new ConsumerSide("consumers", OPEN, list, options.consumers, options.shared, options.durable,
                options.keepSubscriptions, mode, batch, options.connections, options.prefetch == null ? -1 : options.prefetch,
                options.polling, options.latency, options.rate, options.requeue, options.reject,
                options.start.withRamp(options.ramp), options.messageCount(), options.selector, replies, null);
    }

    final Scenario scenario(@Nullable ProducerSide producers, @Nullable ConsumerSide consumers) {
        LoadOptions load = load();
        return new Scenario(id(), producers == null ? List.of() : List.of(producers),
                consumers == null ? List.of() : List.of(consumers), List.of(),
                new Limits(limits.warmup, limits.duration, limits.drainTimeout, output.interval, limits.allowLoss),
                load == null ? Pacing.AUTO : load.pacing, load != null && load.realtime, seed());
    }

    private long seed() {
        LoadOptions load = load();
        if (load == null) {
            return 0;
        }
        if (load.seed == null) {
            load.seed = System.nanoTime() & Integer.MAX_VALUE;
        }
        return load.seed;
    }

    private String id() {
        if (output.id == null) {
            output.id = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
        }
        return output.id;
    }

    private static String seconds(Duration duration) {
        return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + "s" : duration.toMillis() + "ms";
    }
}
