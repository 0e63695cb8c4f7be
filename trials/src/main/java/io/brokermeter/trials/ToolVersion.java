package io.brokermeter.trials;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** The version of this tool. */
public final class ToolVersion {

    private ToolVersion() {}

    /** Returns the version as results name it: {@code 1.2.3}. */
    public static String text() {
        try (InputStream in = ToolVersion.class.getResourceAsStream("version.txt")) {
            return in == null ? "development" : new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return "development";
        }
    }
}
