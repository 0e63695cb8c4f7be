package io.brokermeter.cli;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.spi.Driver;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.ToolVersion;
import picocli.CommandLine.IVersionProvider;

/** Provides the output of {@code --version}: the versions of the tool, its JVM and the client libraries. */
final class Version implements IVersionProvider {

    @Override
    public String[] getVersion() {
        List<String> lines = new ArrayList<>();
        lines.add("brokermeter " + ToolVersion.text());
        lines.add("Java " + Runtime.version() + " (" + System.getProperty("java.vendor") + "), "
            + System.getProperty("os.name") + " " + System.getProperty("os.arch"));
        for (Driver driver : Drivers.load().all()) {
            lines.add(driver.protocol() + ": " + driver.client());
        }
        return lines.toArray(String[]::new);
    }
}
