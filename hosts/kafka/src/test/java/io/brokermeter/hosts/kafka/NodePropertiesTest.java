package io.brokermeter.hosts.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Iterator;
import java.util.List;

import org.junit.jupiter.api.Test;

class NodePropertiesTest {

    /** Kafka refuses two listeners on the same port, whatever their addresses. */
    @Test
    void aControllerHasNoneOfThePortsNextToThatOfTheClients() throws Exception {
        Iterator<Integer> free = List.of(29_132, 29_133, 29_134).iterator();
        assertThat(NodeProperties.controllerPort(29_131, free::next)).isEqualTo(29_134);
        assertThat(NodeProperties.controllerPort(29_131, () -> 29_130)).isEqualTo(29_130);
    }
}
