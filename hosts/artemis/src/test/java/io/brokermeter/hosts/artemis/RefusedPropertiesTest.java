package io.brokermeter.hosts.artemis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;

import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.hosts.HostArguments;
import io.brokermeter.hosts.RefusedProperty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Properties that the host refuses; called in this process, since a process for each property would take a second. */
class RefusedPropertiesTest {

    @TempDir
    private Path temporary;

    private void start(String name, String value) throws Exception {
        ArtemisHost host = new ArtemisHost();
        Path data = temporary.resolve("data");
        try {
            host.start(HostArguments.parse("--port", "0", "--data", data.toString(), "--persistent", "false", "--keep", "false")
                .withProperties(Map.of(name, value)), DataDirectory.open(data, false, false), Map.of());
        } finally {
            host.stop();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nosuch=1", "addressSettings.\"#\".nosuch=1", "maxDiskUsage=lots", "persistenceEnabled=maybe",
        "addressSettings.\"#\".maxSizeMessages=many", "journalType=PAPER", "acceptorConfigurations.all.extraParams.amqpCredit=5",
        "acceptorConfigurations.all.extraParams.tcpNoDelay=false", "acceptorConfigurations.all.params.tcpNoDelai=false",
        "acceptorConfigurations.netty.extraParams.x=5", "connectorConfigurations.other.params.tcpNoDelai=false",
        "connectorConfigurations.other.extraParams.x=5"})
    void namesAPropertyThatTheBrokerDoesNotAccept(String property) {
        int equals = property.indexOf('=');
        assertThatThrownBy(() -> start(property.substring(0, equals), property.substring(equals + 1)))
            .isInstanceOf(RefusedProperty.class)
            .hasMessageContaining("The broker does not accept its property " + property + ": ").hasMessageNotContaining("Exception");
    }

    @Test
    void namesTheParameterThatWasMeantAndNoPassword() {
        assertThatThrownBy(() -> start("acceptorConfigurations.all.extraParams.amqpCredit", "100")).isInstanceOf(RefusedProperty.class)
            .hasMessageEndingWith("did you mean amqpCredits?");
        assertThatThrownBy(() -> start("acceptorConfigurations.all.params.keyStorePasword", "hidden")).isInstanceOf(RefusedProperty.class)
            .hasMessageContaining("keyStorePasword=***").hasMessageNotContaining("hidden");
    }
}
