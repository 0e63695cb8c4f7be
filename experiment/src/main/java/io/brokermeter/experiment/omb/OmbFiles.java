package io.brokermeter.experiment.omb;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.experiment.ScenarioTexts;
import io.brokermeter.experiment.Search;
import io.brokermeter.experiment.table.FileErrors;
import io.brokermeter.experiment.table.KeyPath;
import io.brokermeter.experiment.table.ValueSyntax;
import io.brokermeter.experiment.tree.SourceLocation;
import io.brokermeter.experiment.tree.Tree;
import io.brokermeter.experiment.tree.TreeReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads workload and driver files of OpenMessaging Benchmark and of its forks. A setting without a counterpart is an error when the run
 * would have another meaning without it, and a warning otherwise; both name file, line and key.
 */
public final class OmbFiles {

    private static final String NOT_TAKEN = " are not taken over; leave the key out, or write a scenario file with ";
    /** Keys of forks that give a run another meaning, with why they are refused; one whose value is the default is none. */
    private static final Map<String, String> REFUSED = Map.of(
        "producerRateList", "rates that change over time" + NOT_TAKEN + "'phases', each with its load.",
        "partitionsPerTopicList", "topics that differ in their partitions" + NOT_TAKEN + "a destination for each.",
        "producersPerTopicList", "topics that differ in their producers" + NOT_TAKEN + "a group of producers for each.",
        "existingTopicList", "topics that exist are not taken from here; leave the key out, and name one with --set "
            + "destinations.topic=NAME.",
        "existingProduceTopicList", "topics to send to alone" + NOT_TAKEN + "two groups.",
        "existingConsumeTopicList", "topics to receive from alone" + NOT_TAKEN + "two groups.",
        "consumerOnly", "producers that stop when the backlog is built" + NOT_TAKEN + "'phases'.",
        "backlogProducerRate", "rates of their own while the backlog is built and drained" + NOT_TAKEN + "'phases'.",
        "warmupProducerRate", "rates of the warm-up alone" + NOT_TAKEN + "'phases'.",
        "nameFormat", "this file is a template of that benchmark's generator of workloads; take one of the files that it makes.");
    /** Values of such keys that ask for nothing. */
    private static final List<String> UNUSED = List.of("false", "-1");
    /** Lengths of report intervals, in milliseconds. */
    private static final List<String> INTERVALS = List.of("logIntervalMillis", "sampleRateMillis");
    private static final List<String> WORKLOAD = List.of("name", "topics", "partitionsPerTopic", "randomTopicNames", "keyDistributor",
        "messageSize", "payloadFile", "useRandomizedPayloads", "randomBytesRatio", "randomizedPayloadPoolSize", "subscriptionsPerTopic",
        "consumerPerSubscription", "producersPerTopic", "producerRate", "consumerBacklogSizeGB", "backlogDrainRatio",
        "testDurationMinutes", "warmupDurationMinutes", "warmupProducerRateSeparationMinutes", "logIntervalMillis", "sampleRateMillis");

    /** The rate from which on, in messages per second, a file means as fast as possible. */
    private static final long UNLIMITED = 10_000_000;
    /** The greatest number of unconfirmed sends where the file sets no limit: of one producer, and of all producers together. */
    private static final long WINDOW = 10_000;
    private static final long ALL_WINDOWS = 2_000_000;
    private static final long MOST_ENDPOINTS = 100_000;

    private final FileErrors errors = new FileErrors();
    private final List<String> warnings = new ArrayList<>();
    private final OmbFile workload;
    private final @Nullable OmbDriver driver;
    private final Path workloadFile;
    private Tree.Fields file;

    private OmbFiles(Path workloadFile, @Nullable Path driverFile, Function<String, Set<String>> parameters) {
        this.workloadFile = workloadFile;
        Tree.Fields fields = TreeReader.file(workloadFile);
        workload = new OmbFile(fields, errors, warnings);
        driver = driverFile == null ? null
            : new OmbDriver(new OmbFile(TreeReader.file(driverFile), errors, warnings), errors, parameters);
        file = Tree.Fields.none(fields.location());
    }

    /**
     * Returns the experiment of a workload file, on the broker that a driver file names.
     *
     * @param driver the driver file, or null to take protocol and broker from {@code changes}
     * @param parameters the names of the parameters of a protocol; a property of a client that is none of them is left out. None where
     *     they are not known.
     * @throws UsageException with one sentence for each mistake
     */
    public static Experiment read(Path workload, @Nullable Path driver, Function<String, Set<String>> parameters, Changes changes) {
        return new OmbFiles(workload, driver, parameters).experiment(changes);
    }

    private Experiment experiment(Changes changes) {
        checkWorkload();
        if (driver != null) {
            driver.check();
        }
        errors.raise();
        OmbDriver.Client client = new OmbDriver.Client("", "", true, 0);
        if (driver != null) {
            client = driver.client();
            file = driver.scenario();
        }
        errors.raise();
        set("name", "name", workload.text("name", "omb").replaceAll("[^\\p{L}\\p{N} ._-]", "-"));
        work(client);
        errors.raise();
        if (changes.sets().stream().anyMatch(set -> set.startsWith("broker=") || set.startsWith("broker."))) {
            // A throwaway broker replaces that of the driver file.
            file = file.without("url").without("user");
        }
        return ScenarioFile.experiment(file, workloadFile.toString(), "omb",
            workloadFile.getParent() == null ? Path.of("") : workloadFile.getParent(), changes, warnings);
    }

    private void checkWorkload() {
        List<String> known = new ArrayList<>(WORKLOAD);
        known.addAll(REFUSED.keySet());
        REFUSED.keySet().stream().sorted().filter(workload::has).filter(key -> !UNUSED.contains(workload.text(key, "")))
            .forEach(key -> workload.wrong(key, String.valueOf(REFUSED.get(key))));
        workload.known(known);
        if (workload.has("nameFormat")) {
            errors.raise(); // a template has lists where a workload has numbers
        }
    }

    private void work(OmbDriver.Client client) {
        long topics = workload.number("topics", 1, 1);
        long partitions = workload.number("partitionsPerTopic", 1, 1);
        long subscriptions = workload.number("subscriptionsPerTopic", 1, 0);
        long consumers = workload.number("consumerPerSubscription", 1, 0);
        long producers = workload.number("producersPerTopic", 1, 0);
        long rate = workload.number("producerRate", 0, 0);
        boolean queue = subscriptions <= 1;
        if ((double) topics * Math.max(1, Math.max(producers, consumers * subscriptions)) > MOST_ENDPOINTS) {
            workload.wrong("topics", String.format(Locale.ROOT, "%,d topics with %,d producers and %,d consumers each are more than "
                + "%,d of a kind, which is the most that one process here makes; take fewer with a smaller file.", topics, producers,
                consumers * subscriptions, MOST_ENDPOINTS));
            return;
        }
        set("subscriptionsPerTopic", "destinations." + (queue ? "queue" : "topic"), "omb-test");
        if (topics > 1) {
            set("topics", "destinations.count", topics);
        }
        if (!client.partitions().isEmpty()) {
            set("partitionsPerTopic", "destinations." + client.partitions(), partitions);
        } else if (partitions > 1) {
            workload.warn("partitionsPerTopic", "has no counterpart here; it is left out.");
        }
        message();
        for (String interval : INTERVALS) {
            if (workload.has(interval)) {
                set(interval, "interval", workload.number(interval, 10_000, 1) + "ms");
            }
        }
        if (producers > 0) {
            set("producersPerTopic", "producers.count", producers);
            set("producersPerTopic", "producers.maxPending", client.window() > 0 ? client.window()
                : Math.clamp(ALL_WINDOWS / (producers * topics), 1, WINDOW));
            boolean unlimited = rate >= UNLIMITED;
            if (rate > 0) {
                set("producerRate", "load.rate", unlimited ? "unlimited" : rate + "/s");
            }
            if (unlimited) {
                workload.warn("producerRate", rate + " stands for no limit: it sends as fast as confirmations allow.");
            }
        }
        boolean consumes = subscriptions > 0 && consumers > 0;
        if (consumes) {
            set("consumerPerSubscription", "consumers.count", consumers);
            if (!queue) {
                set("subscriptionsPerTopic", "consumers.shared", subscriptions);
                set("subscriptionsPerTopic", "consumers.durable", client.durable());
            }
        }
        share("backlogDrainRatio", 1);
        long warmup = workload.number("warmupDurationMinutes", 1, 0);
        long minutes = workload.number("testDurationMinutes", 0, 1);
        if (minutes == 0 && !workload.has("testDurationMinutes")) {
            workload.wrong("testDurationMinutes", "it is missing; without it the run would never end.");
        }
        long backlog = consumes ? backlogSeconds(rate, subscriptions) : 0;
        if (backlog > 0) {
            // The benchmark builds the backlog after the warm-up, whose messages are consumed; here the consumers start after both.
            set("consumerBacklogSizeGB", "consumers.start", warmup * 60 + backlog + "s");
        }
        String length = (warmup + minutes) * 60 + backlog + "s";
        if (rate == 0 && producers > 0) {
            // The highest rate there is one at which no backlog grows, whatever the times are.
            set("producerRate", "thresholds", "failed == 0");
            set("testDurationMinutes", "search.confirmation", length);
            set("producerRate", "warmup", Search.WARMUP);
            set("producerRate", "duration", Search.DURATION);
        } else {
            set("warmupDurationMinutes", "warmup", warmup + "m");
            set("testDurationMinutes", "duration", length);
        }
        // A driver file has settings of both sides, and a setting of a group creates the group.
        if (!consumes) {
            file = file.without("consumers");
            if (workload.number("consumerBacklogSizeGB", 0, 0) > 0) {
                workload.warn("consumerBacklogSizeGB", "there are no consumers that could drain it; it is left out.");
            }
        }
        if (producers == 0) {
            file = file.without("producers");
        }
    }

    /**
     * Returns the time in seconds that the producers need at their rate to build the backlog of the file; 0 for no backlog. The benchmark
     * counts a message once for each subscription in which it waits.
     */
    private long backlogSeconds(long rate, long subscriptions) {
        long gigabytes = workload.number("consumerBacklogSizeGB", 0, 0);
        if (gigabytes == 0) {
            return 0;
        }
        long size = workload.number("messageSize", 0, 1);
        if (rate == 0 || rate >= UNLIMITED || size == 0) {
            workload.wrong("consumerBacklogSizeGB", "a backlog needs a 'producerRate' below " + UNLIMITED + " and a 'messageSize', "
                + "which say how long it takes to build.");
            return 0;
        }
        long seconds = Math.ceilDiv(Math.ceilDiv(gigabytes << 30, subscriptions), size * rate);
        workload.warn("consumerBacklogSizeGB", "it is built by consumers that start " + seconds + " s behind the warm-up, at the rate of "
            + "the file; --scale makes it smaller. The producers go on while it is drained, as they do there.");
        return seconds;
    }

    private void message() {
        long size = workload.number("messageSize", 0, 1);
        String payload = workload.text("payloadFile", "");
        boolean random = workload.isTrue("useRandomizedPayloads");
        if (size > 0 && (random || payload.isEmpty())) {
            set("messageSize", "message.size", size);
        }
        if (random) {
            if (size == 0) {
                workload.wrong("messageSize", "it is missing, and 'useRandomizedPayloads' needs it.");
            }
            double share = share("randomBytesRatio", 0);
            if (share < 1) {
                set("randomBytesRatio", "message.body", "compressible:" + ScenarioTexts.share(BigDecimal.ONE
                    .subtract(BigDecimal.valueOf(share)).doubleValue()));
            }
        } else if (!payload.isEmpty()) {
            Path found = payload(payload);
            if (found == null) {
                workload.wrong("payloadFile", "the file " + payload + " does not exist beside the workload or in a directory "
                    + "above it.");
            } else {
                try {
                    if (size > 0 && Files.size(found) != size) {
                        workload.wrong("payloadFile", "the file " + found + " has " + Files.size(found) + " bytes, and "
                            + "'messageSize' says " + size + ".");
                    }
                } catch (IOException e) {
                    workload.wrong("payloadFile", "the file " + found + " cannot be read: " + e.getMessage() + ".");
                }
                set("payloadFile", "message.body", "file:" + found.toAbsolutePath().normalize());
            }
        } else if (size == 0) {
            workload.wrong("messageSize", "it is missing, and there is no 'payloadFile' either.");
        }
        switch (workload.text("keyDistributor", "NO_KEY")) {
            case "NO_KEY" -> {}
            case "FIXED_KEY" -> set("keyDistributor", "message.keys", "fixed");
            case "KEY_ROUND_ROBIN" -> set("keyDistributor", "message.keys", "round-robin:10000");
            case "RANDOM_NANO" -> set("keyDistributor", "message.keys", "uniform:10000");
            default -> workload.wrong("keyDistributor", "'" + workload.text("keyDistributor", "") + "' is none of NO_KEY, "
                + "KEY_ROUND_ROBIN, RANDOM_NANO, FIXED_KEY.");
        }
    }

    /** Returns the number from 0 to 1 of a key; {@code otherwise} where the key has no value, or one that is refused. */
    private double share(String key, double otherwise) {
        String text = workload.text(key, Double.toString(otherwise));
        try {
            double share = Double.parseDouble(text);
            if (share >= 0 && share <= 1) {
                return share;
            }
        } catch (NumberFormatException e) {
            // the sentence below covers it
        }
        workload.wrong(key, "'" + text + "' must be a number from 0 to 1.");
        return otherwise;
    }

    private @Nullable Path payload(String name) {
        Path named = ValueSyntax.path(name, Path.of(""));
        Path directory = workloadFile.toAbsolutePath().normalize().getParent();
        while (directory != null) {
            Path candidate = directory.resolve(named);
            if (Files.isRegularFile(candidate)) {
                return candidate;
            }
            directory = directory.getParent();
        }
        return null;
    }

    private void set(String key, String path, Object value) {
        SourceLocation location = workload.location(key);
        file = KeyPath.set(file, path, new Tree.Leaf(value.toString(), false, location), location);
    }
}
