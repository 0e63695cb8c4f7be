package io.brokermeter.driver.beanstalkd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

/** The code on the page about adding a driver must be part of this driver's source. */
class WorkedExampleTest {

    private static final Path ROOT = Path.of(System.getProperty("brokermeter.root"));
    private static final Pattern BLOCK = Pattern.compile("(?m)^<!-- (\\S+) -->\\n```\\w+\\n((?s).*?)^```$");

    @Test
    void everyBlockOfThePageStandsInItsSource() throws Exception {
        String page = Files.readString(ROOT.resolve("docs/adding-a-driver.md"));
        var blocks = BLOCK.matcher(page).results().toList();
        assertThat(blocks).hasSizeGreaterThan(8).as("blocks of Java without a source").hasSize(page.split("```java", -1).length - 1);
        for (var block : blocks) {
            assertThat(unindented(Files.readString(ROOT.resolve(block.group(1))))).as(block.group(1)).contains(unindented(block.group(2)));
        }
    }

    private static String unindented(String text) throws IOException {
        return text.replaceAll("(?m)^ +", "");
    }
}
