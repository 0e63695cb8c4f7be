package io.brokermeter.cli.options;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Stack;
import java.util.stream.Stream;

import io.brokermeter.engine.scenario.Pacing;
import io.brokermeter.experiment.table.Option;
import io.brokermeter.experiment.table.OptionSyntax;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Selects the options of commands from the table of settings, and adds them to commands. */
public final class SettingOptions {

    /** The heading of the options about agents. */
    public static final String AGENTS = "Agents";

    /** The headings of the options in the help, in their order. */
    public static final List<String> HEADINGS =
        List.of("Connection", "Connection of the consumers", "Network", AGENTS, "Login", "Throwaway broker", "Broker under test",
            "Destinations", "Load", "Messages", "Consumers", "Requests and replies", "Transactions", "Duration and end", "Faults",
            "Output");

    private static final String SHOW_BROKER = "--show-broker";

    /** The names of the options of {@code replay} about the live output and the summary of a run, which the trials of a sweep do not have. */
    public static final List<String> OF_REPLAYED_RUN = List.of("--show-latency", "--format", SHOW_BROKER);

    private static final String SILENT = "--silent";
    /** The headings of options whose keys the files of trials have. */
    private static final Set<String> OF_FILES = Set.of("Connection", "Connection of the consumers", "Network", Throwaways.HEADING, "Load",
        "Messages", "Consumers", "Duration and end", "Output");
    /** Options that such commands have in another form, or whose value alone is not that of their key. */
    private static final Set<String> NOT_OF_FILES =
        Set.of("--password-file", "--clientID", "--label", "--threshold", "--tx", "--message-count", "--cmessages");
    /** The paths of keys that the trials of {@code window} vary, or that it sets by options of its own. */
    private static final Set<String> NOT_OF_WINDOW = Set.of("broker.name", "protocol", "url", "user", "consumers.protocol", "consumers.url",
        "message.size", "warmup", "duration");

    private static final Set<String> OF_SENDING = Set.of("Load", "Messages");
    private static final Set<String> OF_RECEIVING = Set.of("Consumers");
    private static final Set<String> OF_BOTH = Set.of("Requests and replies", "Connection of the consumers");
    private static final Set<String> OF_REPLAY = Set.of("--out", "--verbose", SILENT);

    private SettingOptions() {}

    /** Returns the options of a command that runs the workload which its options describe. */
    public static List<Option> of(boolean sends, boolean receives) {
        return Option.all().stream().filter(option -> {
            String heading = option.heading();
            boolean fits = OF_SENDING.contains(heading) ? sends : OF_RECEIVING.contains(heading) ? receives
                : OF_BOTH.contains(heading) ? sends && receives : !heading.equals("Login");
            return fits && switch (option.where()) {
                case ALL, RUNS -> true;
                case LONE -> !sends;
                case PAIRED -> sends && (receives || !option.path().startsWith("consumers."));
            };
        }).toList();
    }

    /** Returns the options of a command that runs the trials of scenario files. */
    public static List<Option> ofTrials() {
        return Stream.of(ofAnyTrials(), ofAgents(), ofFiles()).flatMap(List::stream).toList();
    }

    /** Returns the options of {@code window}. */
    public static List<Option> ofWindow() {
        return Stream.concat(ofAnyTrials().stream(), ofWindowKeys().stream()).toList();
    }

    /** Returns the options of all trials that set no key. Trials have no live output, in which a line about the broker could be shown. */
    private static List<Option> ofAnyTrials() {
        return Stream.concat(below("Login", "Broker under test").stream().filter(option -> !option.name().equals(SHOW_BROKER)),
            below("Output").stream().filter(option -> option.name().equals(SILENT))).toList();
    }

    /** Returns the options of {@code client} that set another value for a key of scenario files. */
    public static List<Option> ofFiles() {
        return of(true, true).stream().filter(option -> !option.path().isEmpty() && OF_FILES.contains(option.heading())
            && !NOT_OF_FILES.contains(option.name())).map(option -> option.withDefaultInHelp("as the files say")).toList();
    }

    /** Returns those of them that the trials of {@code window} neither vary nor have in another form. */
    public static List<Option> ofWindowKeys() {
        return ofFiles().stream().filter(option -> !NOT_OF_WINDOW.contains(option.path()) && !option.heading().equals("Network"))
            .map(option -> option.withDefaultInHelp("as window has it")).toList();
    }

    /** Returns the options of a command that repeats a run; all other settings come from the run's files. */
    public static List<Option> ofReplay() {
        return Stream.concat(below("Login", "Broker under test").stream(), below("Output").stream()
            .filter(option -> OF_REPLAY.contains(option.name()) || OF_REPLAYED_RUN.contains(option.name()))).toList();
    }

    /** Returns the options about the agents of a run, without those that place its producers and consumers on agents. */
    public static List<Option> ofAgents() {
        return below(AGENTS).stream().filter(option -> option.where() == Option.Where.ALL).toList();
    }

    /** Returns the options of a broker that is started without a load. */
    public static List<Option> ofBroker() {
        return below(Throwaways.HEADING).stream().filter(option -> option.where() == Option.Where.ALL).toList();
    }

    /** Returns the names of the options that request a file with a report of the run. */
    public static List<String> ofReports() {
        return below("Output").stream().filter(option -> option.reading() == OptionSyntax.PATH).map(Option::name).toList();
    }

    /** Returns the options below some headings. */
    public static List<Option> below(String... headings) {
        List<String> these = List.of(headings);
        return Option.all().stream().filter(option -> these.contains(option.heading())).toList();
    }

    /** Adds options to a command, each below its heading, without those of their names that the command has for something else. */
    public static void install(CommandSpec spec, List<Option> options) {
        Map<String, CommandSpec> groups = new LinkedHashMap<>();
        for (Option option : options) {
            boolean flag = option.reading() == OptionSyntax.FLAG || option.reading() == OptionSyntax.NO;
            boolean several = option.reading() == OptionSyntax.NAMED || option.reading() == OptionSyntax.LIST;
            boolean path = option.reading() == OptionSyntax.PATH;
            OptionSpec.Builder one = OptionSpec
                .builder(option.names().stream().filter(name -> spec.findOption(name) == null).toArray(String[]::new)).order(option.order())
                .type(flag ? boolean.class : several ? List.class : path ? Path.class : String.class).paramLabel(option.label())
                .defaultValue(option.otherwise()).description(option.doc().replace("%", "%%").split("\n"))
                .initialValue(flag ? false : null);
            if (!flag && !several && !path) {
                one.converters(text -> option.reading().inFile(text));
            }
            if (option.reading() == OptionSyntax.PLACE) {
                one.arity("0..1").hideParamSyntax(true).parameterConsumer(SettingOptions::place);
            }
            if (option.reading() == OptionSyntax.PACING) {
                one.completionCandidates(Arrays.stream(Pacing.values()).map(Pacing::name).toList());
            }
            groups.computeIfAbsent(option.heading(), _ -> CommandSpec.wrapWithoutInspection(null, Parts.PARTS)).addOption(one.build());
        }
        groups.forEach(spec::addMixin);
    }

    /** Takes the next argument as a place unless it is another option, or a destination that says so; no place is any free port. */
    private static void place(Stack<String> arguments, ArgSpec option, CommandSpec command) {
        String next = arguments.isEmpty() ? "-" : arguments.peek();
        boolean other = next.startsWith("-") || !next.startsWith("[") && (next.contains("://") || next.contains("::"));
        option.setValue(other ? "0" : arguments.pop());
    }
}
