package io.brokermeter.cli.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class NewerClassesTest {

    @TempDir
    Path directory;

    /** The JVM verifies what it loads here by its stack maps. */
    @Test
    void allClassesAreThereVerifiedByStackMapsAndOfTheTimeOfTheirOrigin() throws Exception {
        Path from = Path.of(CommandLine.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Path to = directory.resolve("newer.jar");
        NewerClasses.write(from, to);
        assertThat(Files.getLastModifiedTime(to)).isEqualTo(Files.getLastModifiedTime(from));
        int count = 0;
        try (JarFile old = new JarFile(from.toFile()); JarFile made = new JarFile(to.toFile());
                URLClassLoader loader = new URLClassLoader(new URL[] {to.toUri().toURL()}, ClassLoader.getPlatformClassLoader())) {
            for (JarEntry entry : Collections.list(made.entries())) {
                byte[] bytes = made.getInputStream(entry).readAllBytes();
                assertThat((bytes[6] << 8) + bytes[7]).as(entry.getName()).isGreaterThanOrEqualTo(52);
                String name = entry.getName().replace('/', '.').replace(".class", "");
                if (!name.contains("groovy")) {
                    assertThat(Class.forName(name, true, loader).getProtectionDomain().getCodeSource().getLocation())
                        .isEqualTo(to.toUri().toURL());
                }
                count++;
            }
            assertThat(old.stream().filter(entry -> entry.getName().endsWith(".class") && !entry.getName().contains("module-info")).count())
                .isEqualTo(count);
        }
    }
}
