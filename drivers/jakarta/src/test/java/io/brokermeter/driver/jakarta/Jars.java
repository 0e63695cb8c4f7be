package io.brokermeter.driver.jakarta;

import java.io.File;
import java.util.Arrays;
import java.util.stream.Collectors;

/** The jars of the providers; the driver loads the providers from them and not from the class path of the tests. */
final class Jars {

    private Jars() {}

    static String all() {
        return Arrays.stream(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
            .split(File.pathSeparator)).filter(path -> path.endsWith(".jar")).filter(path -> !path.contains("brokermeter-"))
            .collect(Collectors.joining(","));
    }
}
