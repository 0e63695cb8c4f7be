package io.brokermeter.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.trials.Drivers;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.TextTable;
import picocli.CommandLine.Parameters;

/** The command {@code drivers}: lists the protocols, or describes some of them in full. */
@Command(name = "drivers",
    description = "List the protocols: their URL schemes, client libraries and what they can do; with names, their "
        + "parameters, too.",
    footerHeading = "%nExamples:%n", footer = {"  brokermeter drivers", "  brokermeter drivers stomp kafka"})
final class DriversCommand implements Action {

    private static final int WIDTH = 120;

    @Parameters(paramLabel = "NAME", arity = "0..*", description = "Protocols to describe in full. Default: all, in short.")
    List<String> names = new ArrayList<>();

    @Override
    public int run(PrintStream out, PrintStream err) {
        Drivers drivers = Drivers.load();
        List<Driver> shown = names.isEmpty() ? drivers.all()
            : names.stream().map(name -> drivers.get(drivers.named(name, "drivers"))).distinct().toList();
        List<String> blocks = new ArrayList<>();
        for (Driver driver : shown) {
            blocks.add(block(driver, !names.isEmpty()));
        }
        out.println(String.join(System.lineSeparator(), blocks));
        if (names.isEmpty()) {
            out.println(System.lineSeparator() + "'brokermeter drivers NAME' lists the parameters of one.");
        }
        return 0;
    }

    private static String block(Driver driver, boolean whole) {
        Set<Capability> can = driver.capabilities();
        TextTable table = table(new Column(16, 0, Column.Overflow.SPAN), new Column(WIDTH - 16, 0, Column.Overflow.WRAP));
        table.addRowValues("  schemes", driver.schemes().stream().sorted().map(s -> s + "://").collect(Collectors.joining(" ")));
        table.addRowValues("  client", driver.client());
        table.addRowValues("  can", capabilities(can::contains));
        if (!whole) {
            return driver.protocol() + System.lineSeparator() + table.toString().stripTrailing();
        }
        table.addRowValues("  cannot", capabilities(c -> !can.contains(c)));
        if (!driver.clientParameters().isEmpty()) {
            table.addRowValues("  client's own", driver.clientParameters());
        }
        String text = driver.protocol() + System.lineSeparator() + table.toString().stripTrailing();
        if (driver.parameters().isEmpty()) {
            return text;
        }
        int widest = driver.parameters().stream().mapToInt(p -> form(p).length()).max().orElse(0);
        int left = Math.min(44, widest + 6);
        TextTable parameters = table(new Column(left, 0, Column.Overflow.SPAN), new Column(WIDTH - left, 0, Column.Overflow.WRAP));
        for (Parameter parameter : driver.parameters()) {
            parameters.addRowValues("    " + form(parameter), parameter.description()
                + (parameter.defaultValue().isEmpty() ? "" : " Default: " + parameter.defaultValue() + "."));
        }
        return text + System.lineSeparator() + "  parameters, in the URL or by --property:" + System.lineSeparator()
            + parameters.toString().stripTrailing();
    }

    private static TextTable table(Column... columns) {
        return TextTable.forColumns(Help.defaultColorScheme(Ansi.OFF), columns);
    }

    private static String form(Parameter parameter) {
        return parameter.name() + "=" + parameter.value();
    }

    private static String capabilities(Predicate<Capability> which) {
        String list = Arrays.stream(Capability.values()).filter(which)
            .map(c -> c.name().toLowerCase(Locale.ROOT).replace('_', '-')).collect(Collectors.joining(" "));
        return list.isEmpty() ? "-" : list;
    }
}
