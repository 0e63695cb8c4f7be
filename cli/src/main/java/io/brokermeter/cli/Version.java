package io.brokermeter.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.brokermeter.spi.Driver;
import picocli.CommandLine.IVersionProvider;

/** What {@code --version} says: the tool, its JVM, the clients. */
final class Version implements IVersionProvider {

    /** The version of this tool. */
    static String tool() {
        try (InputStream in = Version.class.getResourceAsStream("version.txt")) {
            return in == null ? "development" : new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return "development";
        }
    }

    @Override
    public String[] getVersion() {
        List<String> lines = new ArrayList<>();
        lines.add("brokermeter " + tool());
        lines.add("Java " + Runtime.version() + " (" + System.getProperty("java.vendor") + "), "
                + System.getProperty("os.name") + " " + System.getProperty("os.arch"));
        for (Driver driver : Drivers.load().all()) {
            lines.add(driver.protocol() + ": " + driver.client());
        }
        return lines.toArray(String[]::new);
    }
}
