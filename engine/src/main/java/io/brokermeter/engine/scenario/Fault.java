package io.brokermeter.engine.scenario;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * A fault that is made on purpose: an action on the broker of a run, on its connections or on the machine, at a moment of the run.
 *
 * @param action the action
 * @param target target of the action: {@code broker}, {@code node 2}, the role of a process of the topology, {@code pid 4711},
 *     {@code port 61616}; for connections {@code connection}, {@code producers} or {@code consumers}; for {@link Action#RUN} the
 *     command
 * @param at when the fault begins, since the start of the load, warm-up included
 * @param length how long the fault lasts, or null for up to the end of the load; without a length a process that was killed or stopped
 *     is not started again. For a command, the longest time that it may take
 * @param by delay of a connection in each direction; null for every other action
 */
public record Fault(Action action, String target, Duration at, @Nullable Duration length, @Nullable Duration by) {

    /** The target that stands for every process of the broker. */
    public static final String BROKER = "broker";
    /** The target that stands for every connection of the run. */
    public static final String CONNECTION = "connection";
    /** The target that stands for the connections of the producers. */
    public static final String PRODUCERS = "producers";
    /** The target that stands for the connections of the consumers. */
    public static final String CONSUMERS = "consumers";
    /** The longest time that a command without a limit of its own may take. */
    public static final Duration COMMAND_LIMIT = Duration.ofSeconds(60);
    /** The largest number of faults in a scenario; more are a mistake. */
    public static final int MOST = 1000;

    /** The form of a fault. Everything but the action may be missing, for {@link #complete}. */
    private static final Pattern FORM = Pattern.compile("\\s*(?<action>[A-Za-z]+)(?:\\s+(?<target>\\S.*?))??"
        + "(?:\\s+by\\s+(?<by>[0-9.]+\\s*\\S*))?(?<moment>\\s+at\\s+(?<at>[0-9.]+\\s*[a-zA-Z\u00b5]*))?"
        + "(?<limit>\\s+for\\s+(?<length>[0-9.]+\\s*[a-zA-Z\u00b5]*))?\\s*");
    /** A moment among the words of a command. */
    private static final Pattern MOMENT = Pattern.compile("\\sat\\s+[0-9]");
    /** A word among those of a target that was meant to introduce a time. */
    private static final Pattern TIMES = Pattern.compile("\\s(?:at|for)\\s");
    /** A 'by' after a target, or instead of one, which no time follows. */
    private static final Pattern BY = Pattern.compile("(?:\\S+\\s+)?by\\s+(.+)");
    private static final Pattern PROCESS = Pattern.compile("(node|pid|port)[ =]+([0-9]+)", Pattern.CASE_INSENSITIVE);
    /** The longest delay in each direction, which is more than a network may take. */
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(30);
    private static final List<String> ENDS = List.of(CONNECTION, PRODUCERS, CONSUMERS);

    /** The kinds of targets. Faults on the same process or connections may not overlap. */
    public enum Subject {
        PROCESS, COMMAND, CONNECTION
    }

    /** The actions of faults. */
    public enum Action {
        KILL("kill", Subject.PROCESS, "ends the process at once, as kill -9 does; with a length it is started again after that"),
        STOP("stop", Subject.PROCESS, "ends the process in its own orderly way; with a length it is started again after that"),
        PAUSE("pause", Subject.PROCESS, "stops the process without ending it: its connections stay open and nothing answers"),
        RESTART("restart", Subject.PROCESS, "ends the process in its own orderly way, and starts it again at once"),
        FILL("fill", Subject.PROCESS, "makes the broker take its disk for full, by its own limit and without a byte written"),
        RUN("run", Subject.COMMAND, "runs a command of this machine, which may take as long as its length says, else 60 s"),
        CUT("cut", Subject.CONNECTION, "closes the connections, and refuses new ones"),
        RESET("reset", Subject.CONNECTION, "resets the connections that are open; new ones are let through"),
        BLACKHOLE("blackhole", Subject.CONNECTION, "lets nothing through, while connections stay open"),
        DELAY("delay", Subject.CONNECTION, "holds everything up each way");

        private final String word;
        private final Subject subject;
        private final String doc;

        Action(String word, Subject subject, String doc) {
            this.word = word;
            this.subject = subject;
            this.doc = doc;
        }

        /** Returns the name of the action in a fault, which is also its key in a scenario file. */
        public String word() {
            return word;
        }

        public Subject subject() {
            return subject;
        }

        /** Returns whether the action ends a process, which is started again at once, after its length, or never. */
        public boolean endsProcess() {
            return this == KILL || this == STOP || this == RESTART;
        }

        /** Returns whether the action may have a length. */
        public boolean takesLength() {
            return this != RESTART && this != RESET;
        }

        /** Returns a description of the action, without a subject and a period. */
        public String doc() {
            return doc;
        }

        /**
         * Returns the action with a name.
         *
         * @throws UsageException with one sentence, if there is none
         */
        public static Action of(String word) {
            return Arrays.stream(values()).filter(one -> one.word.equals(word.toLowerCase(Locale.ROOT))).findFirst()
                .orElseThrow(() -> new UsageException("Fault '" + word + "' is unknown; there are "
                    + Arrays.stream(values()).map(Action::word).collect(Collectors.joining(", ")) + "."));
        }

        /** Returns whether the action is undone at some time: a process that was ended is started, one that was stopped goes on. */
        private boolean isUndone(boolean withLength) {
            return switch (this) {
                case KILL, STOP -> withLength;
                case RESET -> false;
                default -> true;
            };
        }
    }

    public Fault {
        target = named(action, target);
        if (target.isEmpty()) {
            throw new UsageException("Fault '" + action.word + "' needs what it is done to, as in " + example(action) + ".");
        }
        if (action.subject == Subject.CONNECTION && !ENDS.contains(target)) {
            throw new UsageException("Fault '" + action.word + " " + target + "' must be about " + String.join(", ", ENDS) + ".");
        }
        if (length != null && !action.takesLength()) {
            throw new UsageException("Fault '" + action.word + "' takes no time, so it has no 'for'"
                + (action == Action.RESTART ? "; 'stop' has." : "; 'cut' has."));
        }
        if (length != null && length.isZero()) {
            throw new UsageException("Fault '" + action.word + " " + target + "' must last longer than 0.");
        }
        if (action == Action.DELAY && (by == null || by.isZero())) {
            throw new UsageException("Fault 'delay' needs what it delays by, as in " + example(action) + ".");
        }
        if (by != null && by.compareTo(LONGEST_DELAY) > 0) {
            throw new UsageException("Fault 'delay' delays by at most 30s, not " + Units.text(by) + ".");
        }
        if (action != Action.DELAY && by != null) {
            throw new UsageException("Fault '" + action.word + "' has no 'by', which 'delay' has.");
        }
    }

    private static String example(Action action) {
        return "'" + action.word + " " + switch (action.subject) {
            case COMMAND -> "./script";
            case CONNECTION -> CONNECTION + (action == Action.DELAY ? " by 50ms" : "");
            default -> BROKER;
        } + " at 20s'";
    }

    /** Returns a target in the form in which targets are compared: keywords in lower case, one blank before a number. */
    private static String named(Action action, String target) {
        String text = target.strip();
        if (action.subject == Subject.COMMAND) {
            return text;
        }
        Matcher process = PROCESS.matcher(text);
        return process.matches() ? process.group(1).toLowerCase(Locale.ROOT) + " " + process.group(2) : text.toLowerCase(Locale.ROOT);
    }

    /**
     * Reads {@code kill broker at 20s for 10s}, {@code pause node 2 at 5s}, {@code run ./script.sh x at 30s} or
     * {@code delay connection by 50ms at 20s for 10s}. Numbers without a unit are seconds, those after {@code by} milliseconds.
     *
     * @throws UsageException with one sentence that says what is right
     */
    public static Fault parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches() || form.group("target") == null || form.group("at") == null) {
            throw new UsageException("Fault '" + text.strip() + "' must say what is done to whom and when, like "
                + "'kill broker at 20s for 10s', 'pause node 2 at 20s' or 'run ./script at 20s'.");
        }
        Action action = Action.of(form.group("action"));
        // A command may have any words.
        boolean command = action.subject == Subject.COMMAND;
        String target = form.group("target");
        String delay = form.group("by");
        Matcher by = BY.matcher(target);
        if (action == Action.DELAY && delay == null && by.matches()) {
            throw new UsageException("Fault 'delay' delays by a time above 0 and up to 30s, like 50ms, not by '" + by.group(1) + "'.");
        }
        return new Fault(action, command ? text.substring(form.start("target"), form.start("moment")) : target,
            Units.duration(form.group("at"), "s"), form.group("length") == null ? null : Units.duration(form.group("length"), "s"),
            command || delay == null ? null : Units.duration(delay, "ms"));
    }

    /**
     * Adds the parts to the text of a fault that are left out, for {@link #parse}, which refuses what is wrong in the text. The moment of
     * a command stands before the time that the command may take; all other words belong to the command.
     *
     * @param target target of an action if the text names none; a command is never left out
     * @param at moment of the action if the text names none
     * @param length length of an action on a target if the text names none; empty for none
     * @throws UsageException with one sentence, if there is no such action
     */
    public static String complete(String text, Function<Action, String> target, String at, BiFunction<Action, String, String> length) {
        Action action = Action.of(text.strip().split("\\s+", 2)[0]);
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            return text;
        }
        boolean command = action.subject == Subject.COMMAND;
        boolean timed = form.group("moment") != null;
        boolean limited = form.group("limit") != null && (timed || !command || Units.isTime(form.group("length")));
        String whom = text.substring(form.end("action"), timed ? form.start("moment") : limited ? form.start("limit") : text.length());
        if ((command ? MOMENT : TIMES).matcher(whom).find()) {
            return text;
        }
        String named = (command || form.group("target") != null ? "" : " " + target.apply(action)) + whom.stripTrailing();
        String otherwise = length.apply(action, named.strip());
        return action.word + named + (timed ? form.group("moment") : " at " + at)
            + (limited ? form.group("limit") : otherwise.isEmpty() ? "" : " for " + otherwise);
    }

    /**
     * Returns this fault with its beginning and its end at other moments, except the time limit of a command.
     *
     * @param moment returns where a moment of this run, since the start of its load, is to be
     */
    public Fault withTimes(UnaryOperator<Duration> moment) {
        Duration from = moment.apply(at);
        return new Fault(action, target, from,
            length == null || action == Action.RUN ? length : moment.apply(at.plus(length)).minus(from), by);
    }

    /** Returns the process id of a target {@code pid N}; -1 for any other target. */
    public long pid() {
        return number("pid ");
    }

    /** Returns the port of a target {@code port N}; -1 for any other target. */
    public long port() {
        return number("port ");
    }

    private long number(String word) {
        if (action.subject == Subject.COMMAND || !target.matches(word + "[0-9]{1,9}")) {
            return -1;
        }
        return Long.parseLong(target.substring(word.length()));
    }

    /**
     * Returns whether the fault has a second half, which starts a process again, lets it go on, heals a connection, or waits for the
     * end of a command.
     */
    public boolean hasEnd() {
        return action.isUndone(length != null);
    }

    /**
     * Returns whether the second half comes with the end of the load at the latest. A process that was killed or stopped is not started
     * again when the load is over.
     */
    public boolean isUndoneByEnd() {
        return hasEnd() && action.subject != Subject.COMMAND && action != Action.KILL && action != Action.STOP;
    }

    /** Returns when the second half is due, since the start of the load; null if there is none, or if the end of the load brings it. */
    public @Nullable Duration end() {
        return switch (action) {
            case RESTART, RUN -> at;
            default -> length == null ? null : at.plus(length);
        };
    }

    /**
     * Returns the latest moment at which the fault is over in a run that is not ended before, since the start of the load: a command may
     * outlast the load, any other fault ends with it.
     */
    public Duration latestEnd() {
        return action.subject != Subject.COMMAND ? at : at.plus(length == null ? COMMAND_LIMIT : length);
    }

    /**
     * Refuses this fault for a run that does not have its target, or whose load is over before the fault begins or ends.
     *
     * @throws UsageException with one sentence
     */
    public void requireIn(Scenario scenario) {
        if (action.subject == Subject.CONNECTION && (target.equals(PRODUCERS) && !scenario.sends() || target.equals(CONSUMERS)
            && !scenario.receives())) {
            throw new UsageException("Fault '" + this + "' is about " + target + ", which this run does not have.");
        }
        Duration length = scenario.length();
        if (length.isZero()) {
            return;
        }
        if (at.compareTo(length) >= 0) {
            throw new UsageException("Fault '" + this + "' comes after the end of the run, which takes " + Units.text(length) + ".");
        }
        Duration end = end();
        if (action.subject != Subject.COMMAND && end != null && end.compareTo(length) > 0) {
            throw new UsageException("Fault '" + this + "' lasts until " + Units.text(end) + ", and the run takes " + Units.text(length)
                + "; make it shorter, or leave 'for' out, which is up to the end.");
        }
    }

    /**
     * Refuses this fault beside another one that affects the same target at the same time.
     *
     * @throws UsageException with one sentence
     */
    public void requireBeside(Fault other) {
        requireBeside(other, target.equals(other.target) || isWhole() || other.isWhole());
    }

    /** Refuses this fault beside another one at the same time, where {@code same} says whether both affect the same target. */
    public void requireBeside(Fault other, boolean same) {
        if (action.subject != other.action.subject || action.subject == Subject.COMMAND || !same) {
            return;
        }
        Fault first = at.compareTo(other.at) <= 0 ? this : other;
        Fault second = first == this ? other : this;
        Duration end = first.end();
        if (end == null && first.action != Action.RESET || second.at.equals(first.at) || end != null && second.at.compareTo(end) < 0) {
            throw new UsageException("Fault '" + second + "' contradicts '" + first + "', which is not over by then"
                + (end == null && !first.hasEnd() ? ": without 'for' it is not started again." : "."));
        }
    }

    /** Returns whether the target is the whole broker, or all connections. */
    private boolean isWhole() {
        return target.equals(action.subject == Subject.CONNECTION ? CONNECTION : BROKER);
    }

    /** Returns this fault at another moment. */
    public Fault beginningAt(Duration moment) {
        return new Fault(action, target, moment, length, by);
    }

    /** Returns the fault in the form that {@link #parse} reads. */
    @Override
    public String toString() {
        return text(" at " + Units.text(at));
    }

    /** Returns what is done, without the moment: {@code kill broker for 10s}. */
    public String words() {
        return text("");
    }

    private String text(String moment) {
        return action.word + " " + target + (by == null ? "" : " by " + Units.text(by)) + moment
            + (length == null ? "" : " for " + Units.text(length));
    }
}
