package io.brokermeter.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.brokermeter.brokers.BrokerException;
import io.brokermeter.cli.kubernetes.KubernetesCommand;
import io.brokermeter.cli.mcp.McpCommand;
import io.brokermeter.cli.options.Contradictions;
import io.brokermeter.cli.options.EnvironmentVariables;
import io.brokermeter.cli.options.GroupedOptions;
import io.brokermeter.cli.options.Parts;
import io.brokermeter.cli.options.ReportTarget;
import io.brokermeter.cli.options.SettingOptions;
import io.brokermeter.cli.prepare.CacheTraining;
import io.brokermeter.cli.prepare.DriverPreload;
import io.brokermeter.cli.prepare.PrepareCommand;
import io.brokermeter.cli.results.CompareCommand;
import io.brokermeter.cli.results.ReportCommand;
import io.brokermeter.cli.results.RunsCommand;
import io.brokermeter.cli.results.WatchCommand;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.table.Option;
import io.brokermeter.reports.Sentences;
import io.brokermeter.reports.screen.ConsoleReport;
import io.brokermeter.spi.failure.OutOfMemory;
import io.brokermeter.spi.parameter.Nearest;
import io.brokermeter.spi.parameter.Setting;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.agents.deploy.LocalAgent;
import io.brokermeter.trials.network.Interruption;
import io.brokermeter.trials.worker.Worker;
import io.brokermeter.trials.worker.WorkerLauncher;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** The main class of the program. Only the requested command is created, so that the others cost no time at the start. */
public final class Main {

    /** The word before a command that another process of this tool calls, and that ends when its standard input does. */
    public static final String CALLED = "called";

    private static final int FAILED = 1;
    private static final int WRONG_USAGE = 2;

    private static final Set<String> RUNS = Set.of("client", "producer", "consumer");

    private static final Map<String, Supplier<Action>> COMMANDS = commands();

    private final PrintStream out;
    private final PrintStream err;
    private final Map<String, String> environment;

    public Main(PrintStream out, PrintStream err, Map<String, String> environment) {
        this.out = out;
        this.err = err;
        this.environment = environment;
    }

    public static void main(String[] args) {
        String garbled = garbled(System.getProperty("sun.jnu.encoding"), System.getenv(), args);
        if (garbled != null) {
            System.err.println(garbled);
            System.exit(WRONG_USAGE);
        }
        OutOfMemory.endsProcess(System.err);
        int status = new Main(System.out, System.err, System.getenv()).run(args);
        System.out.flush();
        // Client libraries leave threads behind that are no daemons.
        System.exit(status);
    }

    /**
     * Returns a sentence about the first word or variable that the JVM could not read as it was given; null for none. The JVM replaces
     * what it cannot read, so that two names become one.
     *
     * @param encoding the encoding in which this JVM reads them
     */
    static @Nullable String garbled(String encoding, Map<String, String> environment, String... args) {
        for (String word : args) {
            if (isGarbled(word, encoding)) {
                return "'" + word + "' " + isNoText(encoding);
            }
        }
        return environment.entrySet().stream()
            .filter(variable -> variable.getKey().startsWith("BROKERMETER_") && isGarbled(variable.getValue(), encoding))
            .map(variable -> "The environment variable " + variable.getKey() + " " + isNoText(encoding)).findFirst().orElse(null);
    }

    private static boolean isGarbled(String text, String encoding) {
        return encoding.equals("UTF-8") ? text.indexOf('\uFFFD') >= 0 : text.chars().anyMatch(c -> c > 127);
    }

    private static String isNoText(String encoding) {
        return encoding.equals("UTF-8") ? "is not a text in UTF-8."
            : "is not ASCII, and Java reads it as " + encoding
                + ", not as UTF-8: this machine has no locale C.UTF-8, in which the launcher "
                + "starts it.";
    }

    private static Map<String, Supplier<Action>> commands() {
        Map<String, Supplier<Action>> commands = new LinkedHashMap<>();
        commands.put("client", ClientCommand::new);
        commands.put("producer", ProducerCommand::new);
        commands.put("consumer", ConsumerCommand::new);
        commands.put("run", RunFilesCommand::new);
        commands.put("replay", ReplayCommand::new);
        commands.put("runs", RunsCommand::new);
        commands.put("report", ReportCommand::new);
        commands.put("compare", CompareCommand::new);
        commands.put("ab", AbCommand::new);
        commands.put("search", SearchCommand::new);
        commands.put("window", WindowCommand::new);
        commands.put("failover", FailoverCommand::new);
        commands.put("watch", WatchCommand::new);
        commands.put("agent", AgentCommand::new);
        commands.put("broker", BrokerCommand::new);
        commands.put("selftest", SelftestCommand::new);
        commands.put("mcp", McpCommand::new);
        commands.put("drivers", DriversCommand::new);
        commands.put("kubernetes", KubernetesCommand::new);
        commands.put("prepare", PrepareCommand::new);
        commands.put("completion", CompletionCommand::new);
        return commands;
    }

    /** Runs the command line and returns the exit status. */
    public int run(String... args) {
        if (args.length > 1 && args[0].equals("help") && COMMANDS.containsKey(args[1])) {
            return run(args[1], "--help");
        }
        if (args.length == 0) {
            err.println("Say what to do: brokermeter " + String.join("|", COMMANDS.keySet())
                + "; brokermeter --help shows more.");
            return WRONG_USAGE;
        }
        String name = args[0];
        if (name.equals(Worker.COMMAND)) {
            ClientLog.configure();
            PrintStream messages = out;
            // Output of client libraries must not be mixed with the messages.
            System.setOut(err);
            return new Worker(System.in, messages).run();
        }
        if (name.equals(LocalAgent.COMMAND)) {
            ClientLog.configure();
            // The terminal sends Ctrl-C to all processes in the foreground, but the parent decides when this one ends.
            Interruption.ignoreTerminal();
            PrintStream messages = out;
            System.setOut(err);
            return LocalAgent.run(System.in, messages, WorkerLauncher.following(Main.class)::start,
                Drivers::storesOf);
        }
        if (name.equals(CALLED)) {
            Interruption.atEnd(System.in);
            return run(Arrays.copyOfRange(args, 1, args.length));
        }
        if (!COMMANDS.containsKey(name)) {
            return runRoot(name);
        }
        ClientLog.configure();
        DriverPreload headStart =
            RUNS.contains(name) && Stream.of(args).noneMatch(word -> word.startsWith("--help")) ? DriverPreload.begin(args) : null;
        CommandLine line = line(name);
        EnvironmentVariables variables = new EnvironmentVariables(environment);
        try {
            parse(line, variables, Arrays.copyOfRange(args, 1, args.length));
        } catch (ParameterException e) {
            err.println(new UsageErrors(name, line.getCommandSpec(), variables)
                .sentence(e, Arrays.copyOfRange(args, 1, args.length), () -> others(name)));
            return WRONG_USAGE;
        }
        if (line.isUsageHelpRequested()) {
            GroupedOptions.narrow(line.getCommandSpec(), List.of(args));
            line.usage(out);
            return 0;
        }
        if (line.isVersionHelpRequested()) {
            line.printVersionHelp(out);
            return 0;
        }
        String empty = UsageErrors.emptyPath(line.getParseResult());
        if (empty != null) {
            err.println(empty);
            return WRONG_USAGE;
        }
        for (String warning : unknownVariables(variables, line)) {
            err.println("warning: " + warning);
        }
        if (headStart != null) {
            headStart.await();
        }
        return execute(line);
    }

    private int runRoot(String argument) {
        switch (argument) {
            case "--help", "-h", "help" -> root().usage(out);
            case "--version", "-V" -> prepared(created(new RootCommand())).printVersionHelp(out);
            default -> {
                String nearest = Nearest.to(argument, COMMANDS.keySet());
                err.println((argument.startsWith("-") ? "An option stands after the command, and " : "Unknown command ")
                    + argument + (argument.startsWith("-") ? " is none" : "") + (nearest == null
                        ? "; there are " + String.join(", ", COMMANDS.keySet()) + "." : "; did you mean " + nearest + "?"));
                return WRONG_USAGE;
            }
        }
        return 0;
    }

    /** Returns the exit status of a command, which has failed when something that it printed did not get out. */
    private int printed(int status) {
        if (!out.checkError() || status != 0) {
            return status;
        }
        if (!isPipe()) {
            err.println("error: " + ConsoleReport.UNWRITABLE);
        }
        return FAILED;
    }

    /** Returns whether standard output is a pipe, whose reader may have had enough, as {@code head} has: that is worth no sentence. */
    private static boolean isPipe() {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString().startsWith("pipe:");
        } catch (IOException e) {
            // Not Linux.
            return false;
        }
    }

    private int execute(CommandLine line) {
        Action command = line.getCommand();
        boolean verbose = command.verbose();
        try {
            if (!(command instanceof Action.Measuring measuring && measuring.isMeasuring())) {
                return printed(command.run(out, err));
            }
            CacheTraining.awaitOthers(err);
            int status = printed(command.run(out, err));
            CacheTraining.after(status, command.protocols(), environment, err);
            return status;
        } catch (UsageException e) {
            err.println(e.sentence(names(command)));
            return WRONG_USAGE;
        } catch (RunFailure e) {
            new Sentences(names(command)).of(e.findings()).forEach(err::println);
            trace(e, verbose);
            return FAILED;
        } catch (BrokerException | ReportTarget.UnwrittenException e) {
            err.println(e.getMessage());
            trace(e, verbose);
            return FAILED;
        } catch (Exception | LinkageError | OutOfMemoryError e) {
            OutOfMemory.check(e);
            err.println(unexpected(e, line.getCommandSpec(), verbose));
            trace(e, verbose);
            return FAILED;
        }
    }

    /** Returns the line about an exception that no command expects. */
    static String unexpected(Throwable e, CommandSpec command, boolean verbose) {
        return "Unexpected " + e.getClass().getSimpleName() + (e.getMessage() == null ? "" : ": " + e.getMessage())
            + (verbose || command.findOption("--verbose") == null ? "" : " (--verbose shows where)");
    }

    /** Returns how sentences name settings: by options for commands whose options set them, else by keys of a scenario file. */
    private static Function<Setting, String> names(Action command) {
        return command instanceof RunCommand || command instanceof BrokerCommand ? Option::of : Option::inFile;
    }

    private void trace(Throwable e, boolean verbose) {
        if (verbose) {
            e.printStackTrace(err);
        }
    }

    /** Returns one command, without the others, with the name that its help shows. */
    static CommandLine line(String name) {
        Supplier<Action> command = COMMANDS.get(name);
        if (command == null) {
            throw new IllegalArgumentException("There is no command " + name);
        }
        CommandLine line = created(command.get());
        line.getCommandSpec().name("brokermeter " + name);
        return prepared(line);
    }

    /** Returns the command {@code brokermeter} with all its sub-commands. */
    public static CommandLine root() {
        CommandLine root = prepared(created(new RootCommand()));
        COMMANDS.forEach((name, command) -> root.addSubcommand(name, prepared(created(command.get()))));
        return root;
    }

    private static CommandLine created(Object command) {
        return new CommandLine(command instanceof RunCommand run ? run.arguments() : command, Parts.PARTS);
    }

    private static CommandLine prepared(CommandLine line) {
        line.setExpandAtFiles(false);
        CommandSpec spec = line.getCommandSpec();
        spec.addOption(OptionSpec.builder("-h", "--help").usageHelp(true).order(98)
            .description("Show this help and exit.").build());
        spec.addOption(OptionSpec.builder("-V", "--version").versionHelp(true).order(99)
            .description("Show the versions of brokermeter, Java and the clients, and exit.").build());
        SettingOptions.install(spec, switch (line.<Object>getCommand()) {
            case FailoverCommand _ -> FailoverCommand.options();
            case SearchCommand _ -> SearchCommand.options();
            case RunCommand run -> SettingOptions.of(run.sends, run.receives);
            case RunFilesCommand _,AbCommand _ -> SettingOptions.ofTrials();
            case ReplayCommand _ -> SettingOptions.ofReplay();
            case WindowCommand _ -> SettingOptions.ofWindow();
            case BrokerCommand _ -> SettingOptions.ofBroker();
            case McpCommand _ -> SettingOptions.below("Login");
            default -> List.of();
        });
        spec.versionProvider(new Version());
        GroupedOptions.install(spec);
        return line;
    }

    /** Parses a command line; twice where variables set options, since the command line decides which of the variables count. */
    static void parse(CommandLine line, EnvironmentVariables variables, String... args) {
        if (!variables.isEmpty()) {
            ParseResult typed = line.parseArgs(args);
            // picocli reads a flag as the opposite of its default, which would be the value of the variable.
            typed.matchedOptions().forEach(variables::overrule);
            Contradictions.overrule(line.getCommandSpec(),
                arg -> arg instanceof OptionSpec option ? typed.hasMatchedOption(option)
                    : typed.hasMatchedPositional(0),
                variables);
            line.setDefaultValueProvider(variables);
        }
        line.parseArgs(args);
    }

    private static Map<String, CommandSpec> others(String name) {
        Map<String, CommandSpec> others = new LinkedHashMap<>();
        for (String other : COMMANDS.keySet()) {
            if (!other.equals(name)) {
                others.put(other, line(other).getCommandSpec());
            }
        }
        return others;
    }

    private static List<String> unknownVariables(EnvironmentVariables variables, CommandLine line) {
        if (variables.isEmpty() || variables.unknown(List.of(line.getCommandSpec())).isEmpty()) {
            return List.of();
        }
        return variables.unknown(COMMANDS.keySet().stream().map(name -> line(name).getCommandSpec()).toList());
    }
}
