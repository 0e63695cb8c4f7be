package io.brokermeter.live;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

import javax.management.JMException;
import javax.management.ObjectName;

/**
 * Keeps the JVM's optimizing compiler from what makes pages. In the first minutes of a run it takes several times the CPU time of making
 * them, and never earns that: a page is made once in some seconds.
 */
final class PageCompilation {

    /** In the form of the JVM's compiler directives (JEP 165). */
    private static final String DIRECTIVES = """
        [{match: ["io/brokermeter/reports/*.*", "io/brokermeter/live/*.*", "tools/jackson/*.*"], c2: {Exclude: true}}]
        """;

    private PageCompilation() {}

    /** Applies to the whole JVM, to what is not compiled yet, and stays. Does nothing where the JVM takes no directives. */
    static void limit() {
        try {
            Path file = Files.createTempFile("brokermeter", ".json");
            try {
                Files.writeString(file, DIRECTIVES);
                ManagementFactory.getPlatformMBeanServer().invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"),
                    "compilerDirectivesAdd", new Object[] {new String[] {file.toString()}}, new String[] {String[].class.getName()});
            } finally {
                Files.delete(file);
            }
        } catch (IOException | JMException e) {
            // Pages are the same then, and cost more.
        }
    }
}
