package io.brokermeter.driver.core;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import org.apache.activemq.artemis.api.core.ActiveMQNotConnectedException;
import org.apache.activemq.artemis.api.core.ActiveMQSecurityException;
import org.junit.jupiter.api.Test;

class CoreProtocolTest {

    /** A broker closes the connection after its refusal, and the client reports the refusal later than the looks see the end. */
    @Test
    void whatTheBrokerAnsweredIsReportedAlsoWhereTheConnectionHasEnded() {
        var refused = new JMSSecurityException("AMQ229031: Unable to validate user");
        refused.initCause(new ActiveMQSecurityException("AMQ229031: Unable to validate user"));

        assertThat(CoreProtocol.explained(refused, true)).isSameAs(refused);
    }

    @Test
    void theEndOfAConnectionBeforeAnAnswerIsReported() {
        var lost = new JMSException("lost");
        lost.initCause(new ActiveMQNotConnectedException("lost"));

        assertThat(CoreProtocol.explained(lost, true)).hasMessageContaining("ended before the broker had answered");
        assertThat(CoreProtocol.explained(lost, false)).isSameAs(lost);
    }
}
