package io.brokermeter.driver.jakarta;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import io.brokermeter.spi.ConnectionSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Parameters that apply to one way of obtaining a connection factory but are given with the other. */
class FactoryParametersTest {

    private static ConnectionSettings settings(String url, Map<String, String> parameters) {
        return new ConnectionSettings(url, null, null, null, Duration.ofSeconds(1), parameters);
    }

    /** The driver would neither set these properties nor check that they exist. */
    @Test
    void refusesPropertiesOfAFactoryThatJndiFinds() {
        String sentence = "Parameter factory.useCompression needs factory; a connection factory that JNDI finds is taken as it is.";
        for (ConnectionSettings settings : new ConnectionSettings[] {
            settings("jms:", Map.of("jndi.java.naming.factory.initial", "x", "factory.useCompression", "true")),
            settings("tcp://h:1", Map.of("jndi", "no-such-file", "factory.useCompression", "true")),
            settings("jms:?jndi=no-such-file&factory.useCompression=true", Map.of())}) {
            assertThatThrownBy(() -> new JakartaDriver().check(settings)).isInstanceOf(IllegalArgumentException.class).hasMessage(sentence);
        }
    }

    @Test
    void namesAFileOfPropertiesThatIsNotInUtf8(@TempDir Path directory) throws Exception {
        Path file = Files.write(directory.resolve("jndi.properties"), "a=gr\u00FC\u00DFe".getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> new JakartaDriver().check(settings("jms:", Map.of("jndi", file.toString()))))
            .isInstanceOf(IllegalArgumentException.class).hasMessage("The file of JNDI properties " + file + " is not a text in UTF-8.");
        Files.writeString(file, "\uFEFFa=b");
        new JakartaDriver().check(settings("jms:", Map.of("jndi", file.toString())));
    }

    @Test
    void refusesANameInJndiOfAFactoryThatIsMade() {
        assertThatThrownBy(() -> new JakartaDriver().check(settings("jms:",
            Map.of("factory", FactoryVerificationTest.Trusting.class.getName(), "connection-factory", "Meter"))))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("Parameter connection-factory is the name under which JNDI finds one, and needs jndi or jndi.NAME; leave it out.");
    }
}
