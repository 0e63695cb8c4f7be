package io.brokermeter.cli.mcp;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.brokermeter.cli.Action;
import io.brokermeter.cli.options.NumberLimits;
import io.brokermeter.cli.options.OptionValues;
import io.brokermeter.engine.scenario.Units;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.stored.KeptRuns;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code mcp}: lets a software agent measure, within limits that its user sets. */
@Command(name = "mcp",
    description = "Serve software agents over standard input and output, as the Model Context Protocol has it: tools that measure a broker, search its "
        + "limit, compare two settings, and report earlier runs. One call measures at a time; the command ends when its input does.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  brokermeter mcp",
        "  brokermeter mcp --allow-broker amqp://tester@broker.example:5672 --password-file secret --call-time 5m",
        "",
        "An agent's configuration names this command: {\"mcpServers\": {\"brokermeter\": {\"command\": \"brokermeter\", \"args\": [\"mcp\"]}}}"})
public final class McpCommand implements Action {

    @Option(names = "--allow-broker", order = 1, paramLabel = "URL",
        description = "A broker that calls may load, besides those on loopback addresses and those that are started for a call; they name it by this URL. "
            + "A user name in it, and the password of --password-file or BROKERMETER_PASSWORD, are used for it and not shown. May be given more "
            + "than once. Default: none.")
    List<String> allowed = new ArrayList<>();

    @Option(names = "--call-time", order = 2, paramLabel = "TIME", defaultValue = "10m",
        description = "The longest time that one call may measure. Default: ${DEFAULT-VALUE}.")
    String callTime = "10m";

    @Option(names = "--call-messages", order = 3, paramLabel = "N", defaultValue = "100M",
        description = "The most messages that one trial of a call may send; a trial that sends more ends at its next interval. Default: ${DEFAULT-VALUE}.")
    String callMessages = "100M";

    @Option(names = "--total-time", order = 4, paramLabel = "TIME", defaultValue = "4h",
        description = "The time that all calls together may measure. Default: ${DEFAULT-VALUE}.")
    String totalTime = "4h";

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    CommandSpec spec;

    @Override
    public int run(PrintStream out, PrintStream err) throws IOException {
        CallLimits limits = new CallLimits(time("--call-time", callTime), time("--total-time", totalTime),
            NumberLimits.read("--call-messages", () -> Units.count(callMessages)));
        if (limits.messages() < 1) {
            throw new UsageException("--call-messages " + callMessages + " must be at least 1.");
        }
        AllowedBrokers brokers = AllowedBrokers.of(allowed, new OptionValues(spec).password());
        // What client libraries print must not be mixed with the messages.
        System.setOut(err);
        new McpServer(new Toolbox(brokers, limits, KeptRuns.of(System.getenv())), out).serve(System.in);
        return 0;
    }

    private static Duration time(String option, String text) {
        Duration time = NumberLimits.read(option, () -> Units.duration(text.strip(), "s"));
        if (time.isZero()) {
            throw new UsageException(option + " " + text + " must be above 0.");
        }
        return time;
    }
}
