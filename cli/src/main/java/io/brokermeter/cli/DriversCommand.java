package io.brokermeter.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import io.brokermeter.spi.Capability;
import io.brokermeter.spi.Driver;
import picocli.CommandLine.Command;

/** Lists the protocols. */
@Command(name = "drivers",
        description = "List the protocols: their URL schemes, client libraries and what they can do.",
        footerHeading = "%nExample:%n", footer = "  brokermeter drivers")
final class DriversCommand {

    int run(PrintStream out) {
        List<String> blocks = new ArrayList<>();
        for (Driver driver : Drivers.load().all()) {
            blocks.add(driver.protocol() + System.lineSeparator()
                    + "  schemes:      " + driver.schemes().stream().sorted().map(s -> s + "://").collect(Collectors.joining(" "))
                    + System.lineSeparator()
                    + "  client:       " + driver.client() + System.lineSeparator()
                    + "  capabilities: " + Arrays.stream(Capability.values()).filter(driver.capabilities()::contains)
                            .map(c -> c.name().toLowerCase(Locale.ROOT).replace('_', '-')).collect(Collectors.joining(" ")));
        }
        out.println(String.join(System.lineSeparator(), blocks));
        return 0;
    }
}
