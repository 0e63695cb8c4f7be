package io.brokermeter.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.brokermeter.cli.options.ConnectionOptions;
import io.brokermeter.cli.options.ConsumerConnectionOptions;
import io.brokermeter.cli.options.ConsumerOptions;
import io.brokermeter.cli.options.DestinationOptions;
import io.brokermeter.cli.options.LimitOptions;
import io.brokermeter.cli.options.LoadOptions;
import io.brokermeter.cli.options.MessageOptions;
import io.brokermeter.cli.options.ObservationOptions;
import io.brokermeter.cli.options.OutputOptions;
import io.brokermeter.cli.options.ThrowawayOptions;
import io.brokermeter.cli.options.TransactionOptions;
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
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Destination;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** What {@code client}, {@code producer} and {@code consumer} have in common: options that become a {@link Scenario}. */
abstract class RunCommand {

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

    /** Both sides' way to the broker. Where a side does not exist, its endpoint goes unused. */
    record Endpoints(Endpoint producers, Endpoint consumers) {}

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

    abstract Scenario scenario(Endpoints endpoints);

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
        if (connection.acceptor != null) {
            warnings.add("--acceptor has no effect: there is no broker.xml to find it in; use --url.");
        }
        if (!limits.duration.isZero() && limits.duration.equals(limits.warmup)) {
            warnings.add("--warmup " + seconds(limits.warmup) + " is all of --duration, so nothing is measured: the totals count, and "
                    + "no rates and times follow.");
        }
        return warnings;
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
    final ProducerSide producerSide(Endpoint endpoint, LoadOptions load, MessageOptions message, @Nullable RequestReply request,
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
        return new ProducerSide("producers", endpoint, list, load.producers, load.threads, load.sharedConnections,
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
            Endpoint endpoint, ConsumerOptions options, boolean alwaysTransacted, boolean replies, List<Destination> list) {
        AckMode mode = AckMode.AUTO;
        int batch = 1;
        if (options.transacted || alwaysTransacted && transactions.commitInterval > 0) {
            mode = AckMode.TRANSACTED;
            batch = Math.max(1, transactions.commitInterval);
        } else if (options.ackEvery > 1) {
            mode = AckMode.BATCH;
            batch = options.ackEvery;
        }
        return new ConsumerSide("consumers", endpoint, list, options.consumers, options.shared, options.durable,
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
