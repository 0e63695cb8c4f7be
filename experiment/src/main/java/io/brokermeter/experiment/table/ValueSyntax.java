package io.brokermeter.experiment.table;

import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Pacing;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Start;
import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.TimeLaw;
import io.brokermeter.engine.scenario.Units;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.message.Content;
import io.brokermeter.engine.scenario.message.Keys;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.engine.scenario.message.Sizes;
import io.brokermeter.experiment.access.AgentChoice;
import io.brokermeter.experiment.access.AgentReader;
import io.brokermeter.experiment.access.Agents;
import io.brokermeter.experiment.tree.Tree;
import io.brokermeter.network.NetworkRule;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.parameter.Nearest;

/** The syntax of the value of a key. */
public enum ValueSyntax {
    TEXT("a text"),
    FLAG("true or false"),
    CHOICE("one of a few words"),
    PACING("auto, park, hybrid, spin, or a tick from 1us to 100ms like tick=500us"),
    COUNT("a number of things, like 1000, 10k or 2M"),
    NUMBER("a whole number"),
    POSITIVE("a whole number of at least 1"),
    FACTOR("a number above 0 and at most 1,000,000, like 0.05"),
    SEED("a whole number"),
    SHARE("a share, like 10% or 0.1"),
    TIME("a time, like 30s, 5m or 250ms; a number alone is seconds"),
    FINE_TIME("a time with a unit, like 30s or 250ms, or 0"),
    PROCESSING("a time with a unit, like 2ms, uniform:1ms..5ms or exponential:3ms, or 0"),
    WARMUP("a time, like 30s, 5m or 250ms, where a number alone is seconds; or auto"),
    START("a time like 5s, or after-producers"),
    RATE("a rate, like 500, 37k/s or 90/m"),
    LOAD("a rate like 37k/s, unlimited, or a shape like steps:1k@10s,1k..5k@30s, sine:5k,4k@30s, bursts:10k@1s/4s, "
        + "poisson:5k or trace:FILE"),
    SIZES("a size like 1KiB, or list:100,1KiB, uniform:100..2KiB, lognormal:1KiB,0.8 or empirical:100=70%,10KiB=30%"),
    CONTENT("random, compressible:50%, constant:x, file:PATH, lines:PATH, template:PATH, json:{...} or text:..."),
    KEYS("a name, or round-robin:10, uniform:1000 or zipf:1000,1.1"),
    PRIORITIES("a priority from 0 to 9, or several with shares like 4:90%,9:10%"),
    THRESHOLD("a figure, a comparison and a limit, like response.p99 < 10ms, lost == 0 or phase(burst).received.rate >= 5k/s"),
    FAULT("what is done to whom and when, like kill broker at 20s for 10s, pause node 2 at 20s or run ./script at 20s"),
    NETWORK("a rule of a network, like rtt=10ms jitter=1ms bandwidth=100Mbit loss=0.1%, or none"),
    /** A text, or a list of texts. */
    AGENTS("a number of agents to start on this machine, hosts like host1,host2:7801, dns:NAME, or none"),
    /** A text, a label, or a list of these. */
    AGENT_CHOICE("spread, or names of agents or hosts, or a label like label:near, with commas between them"),
    ADDRESSES("addresses of this machine, like 127.0.0.2,127.0.0.3 or 127.0.0.2-127.0.0.9"),
    HEAP("a size of a heap, like 512m or 2g"),
    PATH("the path of a file"),
    DESTINATION("a queue or topic, like queue://A or topic://B"),
    /** Arbitrary names, each with a text. */
    TEXTS("names with values"),
    /** Arbitrary names, each with a text or with several texts and their shares. */
    HEADERS("names with values, or with several values and their shares, like {region: {eu: 30%, us: 70%}}"),
    /** A load, or loads by the names of groups. */
    LOADS("a load, or the loads of groups by their names"),
    /** Keys with values. */
    SECTION("keys with values"),
    /** Paths of keys, each with a list of values; or a list of such maps. */
    SWEEP("paths of keys, each with a list of values, like {load.rate: [10k/s, unlimited]}"),
    /** Rows of published figures. */
    PUBLISHED("a list of rows, like [{load.rate: 37k/s, sent: 29922.20/s}]");

    private static final int MOST_ADDRESSES = 1_000;
    private static final String TICK = "tick=";
    private static final Duration SHORTEST_TICK = Duration.ofNanos(1_000);
    private static final Duration LONGEST_TICK = Duration.ofMillis(100);

    /** The warm-up that lasts until the run has settled. */
    static final String AUTO = "auto";

    private final String description;

    ValueSyntax(String description) {
        this.description = description;
    }

    /** Returns a description of valid values that can follow "must be". */
    public String description() {
        return description;
    }

    /** Returns whether a value may be a list. */
    boolean isListed() {
        return this == AGENTS || this == AGENT_CHOICE;
    }

    /** Checks a value that may be a list. Throws as {@link #check} does. */
    void checkListed(Tree value) {
        if (this == AGENTS) {
            Agents.who(AgentReader.text(value));
        } else {
            AgentChoice.parse(value);
        }
    }

    /**
     * Checks a text.
     *
     * @param base directory from which relative paths start
     * @throws UsageException with one sentence that describes valid values
     */
    void check(String text, Key key, Path base) {
        switch (this) {
            case TEXT -> {}
            case FLAG -> flag(text);
            case CHOICE -> choice(text, key);
            case PACING -> pacing(text);
            case COUNT -> Units.count(text);
            case NUMBER -> number(text, 0);
            case POSITIVE -> number(text, 1);
            case FACTOR -> factor(text);
            case SEED -> seed(text);
            case SHARE -> Units.share(text);
            case TIME -> time(text);
            case WARMUP -> warmup(text);
            case FINE_TIME -> fineTime(text);
            case PROCESSING -> processing(text);
            case START -> Start.parse(text);
            case RATE -> Rate.parse(text);
            case LOAD, LOADS -> load(text, 0, base);
            case SIZES -> Sizes.parse(text);
            case CONTENT -> body(text, base);
            case KEYS -> Keys.parse(text);
            case PRIORITIES -> Messages.priorities(text);
            case THRESHOLD -> Threshold.parse(text);
            case FAULT -> Fault.parse(text);
            case NETWORK -> network(text);
            case ADDRESSES -> addresses(text);
            case HEAP -> {
                if (!isHeap(text)) {
                    throw new UsageException("Heap '" + text + "' must look like 512m or 2g.");
                }
            }
            case PATH -> path(text, base);
            case DESTINATION -> destination(text);
            default -> throw new IllegalStateException(name());
        }
    }

    public static NetworkRule network(String text) {
        try {
            return NetworkRule.parse(text);
        } catch (IllegalArgumentException e) {
            throw new UsageException(e);
        }
    }

    /** Parses addresses with commas between them, each alone or as the ends of a range of at most 1,000. */
    static List<String> addresses(String text) {
        List<String> all = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            String[] ends = part.strip().split("-", 2);
            BigInteger first = number(ends[0], text);
            BigInteger last = ends.length == 1 ? first : number(ends[1], text);
            int count = last.subtract(first).add(BigInteger.ONE).min(BigInteger.valueOf(MOST_ADDRESSES + 1)).intValue();
            if (count < 1 || all.size() + count > MOST_ADDRESSES) {
                throw new UsageException("'" + text + "' must name from 1 to 1,000 addresses, the lower end of a range first.");
            }
            int size = InetAddress.ofLiteral(ends[0].strip()).getAddress().length;
            for (int i = 0; i < count; i++) {
                all.add(address(first.add(BigInteger.valueOf(i)), size).getHostAddress());
            }
        }
        return all;
    }

    private static BigInteger number(String address, String text) {
        try {
            return new BigInteger(1, InetAddress.ofLiteral(address.strip()).getAddress());
        } catch (IllegalArgumentException e) {
            throw new UsageException("'" + text + "' must be " + ADDRESSES.description + ", in numbers.");
        }
    }

    private static InetAddress address(BigInteger number, int size) {
        byte[] digits = number.toByteArray();
        byte[] bytes = new byte[size];
        int count = Math.min(size, digits.length);
        System.arraycopy(digits, digits.length - count, bytes, size - count, count);
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    public static boolean isHeap(String text) {
        return text.matches("[1-9][0-9]{0,9}[kKmMgG]?");
    }

    public static boolean flag(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new UsageException("'" + text + "' must be true or false.");
        };
    }

    /**
     * How sending threads wait.
     *
     * @param tick length of the ticks at whose ends they send; zero for none
     */
    record Paced(Pacing how, Duration tick) {

        void set(Scenario.Values its) {
            its.pacing = how;
            its.tick = tick;
        }
    }

    static Paced pacing(String text) {
        if (text.regionMatches(true, 0, TICK, 0, TICK.length())) {
            Duration tick = fineTime(text.substring(TICK.length()));
            if (tick.compareTo(SHORTEST_TICK) < 0 || tick.compareTo(LONGEST_TICK) > 0) {
                throw new UsageException("Tick '" + text + "' must be from 1us to 100ms.");
            }
            return new Paced(Pacing.PARK, tick);
        }
        return new Paced(Arrays.stream(Pacing.values()).filter(one -> one.name().equalsIgnoreCase(text)).findFirst()
            .orElseThrow(() -> new UsageException("Pacing '" + text + "' must be " + PACING.description + ".")), Duration.ZERO);
    }

    private static void choice(String text, Key key) {
        if (!key.choices().contains(text)) {
            String near = Nearest.to(text, key.choices());
            throw new UsageException("'" + text + "' is none of " + String.join(", ", key.choices())
                + (near == null ? "." : "; did you mean '" + near + "'?"));
        }
    }

    public static int whole(String text) {
        return number(text, 0);
    }

    public static int number(String text, int least) {
        long value;
        try {
            value = Units.count(text);
        } catch (UsageException e) {
            throw new UsageException("'" + text + "' must be a whole number of at least " + least + ".");
        }
        if (value < least || value > Integer.MAX_VALUE) {
            throw new UsageException("'" + text + "' must be a whole number of at least " + least + " and at most "
                + Integer.MAX_VALUE + ".");
        }
        return (int) value;
    }

    public static double factor(String text) {
        double value;
        try {
            value = Double.parseDouble(text);
        } catch (NumberFormatException e) {
            value = Double.NaN;
        }
        if (!isFactor(value)) {
            throw new UsageException("'" + text + "' must be " + FACTOR.description + ".");
        }
        return value;
    }

    public static boolean isFactor(double value) {
        return value > 0 && value <= 1e6;
    }

    public static long seed(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new UsageException("'" + text + "' must be a whole number.");
        }
    }

    public static Duration time(String text) {
        return Units.duration(text, "s");
    }

    /** Parses a warm-up; empty for one that lasts until the run has settled. */
    static Optional<Duration> warmup(String text) {
        return text.equals(AUTO) ? Optional.empty() : Optional.of(time(text));
    }

    /** Parses the length of a reporting interval. */
    static Duration interval(String text) {
        Duration time = time(text);
        if (time.compareTo(Duration.ofMillis(10)) < 0) {
            throw new UsageException("it must be at least 10ms.");
        }
        return time;
    }

    public static Duration fineTime(String text) {
        requireUnit(text);
        return text.equals("0") ? Duration.ZERO : Units.duration(text, "-");
    }

    /** Returns a time of whole milliseconds. Other times are refused: protocols would truncate them, perhaps to 0, which is for ever. */
    static Duration millis(String text, Duration time) {
        if (time.toNanosPart() % 1_000_000 != 0) {
            throw new UsageException("Time '" + text + "' must be whole milliseconds, like 250ms.");
        }
        return time;
    }

    /** Parses a time to live, and returns it in milliseconds. */
    static long ttl(String text) {
        return millis(text, fineTime(text)).toMillis();
    }

    private static void requireUnit(String text) {
        if (!text.equals("0") && text.matches("[0-9.]+")) {
            throw new UsageException("Time '" + text + "' needs a unit, like " + text + "ms or " + text + "s.");
        }
    }

    static TimeLaw processing(String text) {
        requireUnit(text);
        return text.equals("0") ? TimeLaw.NONE : TimeLaw.parse(text, "-");
    }

    public static Load load(String text, long seed, Path base) {
        String form = text.strip();
        if (!form.regionMatches(true, 0, "trace:", 0, 6)) {
            return Load.parse(form, seed);
        }
        return Load.parse("trace:" + path(form.substring(6), base), seed);
    }

    /** Parses the content of bodies; a file for them must exist and not be empty. */
    static Content body(String text, Path base) {
        Content content = Content.parse(text, base);
        Path file = content instanceof Content.WholeFile(Path whole) ? whole : content instanceof Content.Lines(Path lines) ? lines
            : null;
        if (file != null) {
            try {
                if (!Files.exists(file)) {
                    throw new UsageException("The body file " + file + " does not exist.");
                }
                if (Files.isDirectory(file)) {
                    throw new UsageException("The body file " + file + " is a directory.");
                }
                if (Files.size(file) == 0) {
                    throw new UsageException("The body file " + file + " is empty.");
                }
            } catch (IOException e) {
                throw new UsageException("The body file " + file + " cannot be read: " + e.getMessage() + ".");
            }
        }
        return content;
    }

    public static Path path(String text, Path base) {
        if (text.isBlank()) {
            // it would be resolved to the directory from which relative paths start
            throw new UsageException("'" + text + "' is not the path of a file.");
        }
        try {
            return base.resolve(text.strip());
        } catch (InvalidPathException e) {
            throw new UsageException("'" + text + "' is not the path of a file.");
        }
    }

    public static Destination destination(String text) {
        try {
            return Destination.parse(text);
        } catch (IllegalArgumentException e) {
            throw new UsageException(e);
        }
    }
}
