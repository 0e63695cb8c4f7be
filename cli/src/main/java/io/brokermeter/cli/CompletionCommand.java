package io.brokermeter.cli;

import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.engine.scenario.UsageException;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;

/** The command {@code completion}: prints a completion script for a shell. */
@Command(name = "completion",
    description = "Print a script that completes commands and options in a shell.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  source <(brokermeter completion bash)",
        "  brokermeter completion zsh > ~/.brokermeter.zsh    # then: source ~/.brokermeter.zsh",
        "  brokermeter completion fish > ~/.config/fish/completions/brokermeter.fish"})
final class CompletionCommand implements Action {

    @Parameters(paramLabel = "SHELL", description = "bash, zsh or fish.")
    String shell = "";

    @Override
    public int run(PrintStream out, PrintStream err) {
        CommandLine root = Main.root();
        switch (shell.toLowerCase(Locale.ROOT)) {
            // The script runs under zsh as well, whose emulation of bash's completion it turns on.
            case "bash", "zsh" -> out.println(AutoComplete.bash("brokermeter", root));
            case "fish" -> out.print(fish(root));
            default -> throw new UsageException("Shell '" + shell + "' is not known; there are bash, zsh and fish.");
        }
        return 0;
    }

    private static String fish(CommandLine root) {
        StringBuilder script = new StringBuilder("complete -c brokermeter -f\n");
        for (Map.Entry<String, CommandLine> entry : root.getSubcommands().entrySet()) {
            String command = entry.getKey();
            script.append("complete -c brokermeter -n __fish_use_subcommand -a ").append(command).append(" -d ")
                .append(quoted(String.join(" ", entry.getValue().getCommandSpec().usageMessage().description())))
                .append('\n');
            for (OptionSpec option : entry.getValue().getCommandSpec().options()) {
                if (option.hidden()) {
                    continue;
                }
                script.append("complete -c brokermeter -n '__fish_seen_subcommand_from ").append(command).append('\'');
                for (String name : option.names()) {
                    script.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1));
                }
                if (option.arity().max() > 0) {
                    script.append(option.paramLabel().equals("FILE") ? " -r -F" : " -x");
                }
                script.append(" -d ").append(quoted(firstSentence(option.description()))).append('\n');
            }
        }
        return script.toString();
    }

    private static String firstSentence(String[] description) {
        String text = description.length == 0 ? "" : description[0];
        int end = text.indexOf(". ");
        return end < 0 ? text : text.substring(0, end + 1);
    }

    private static String quoted(String text) {
        return '\'' + text.replace("\\", "\\\\").replace("'", "\\'") + '\'';
    }
}
