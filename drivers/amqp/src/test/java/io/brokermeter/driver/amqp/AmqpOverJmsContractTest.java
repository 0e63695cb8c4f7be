package io.brokermeter.driver.amqp;

import io.brokermeter.spi.ConnectionSettings;

/** The same contract with qpid-jms for everything, which a parameter of the URL asks for. */
class AmqpOverJmsContractTest extends AmqpContractTest {

    @Override
    protected ConnectionSettings withUrl(String url) {
        return super.withUrl(url + (url.contains("?") ? "&" : "?") + "transport=client");
    }

    @Override
    protected String carrier() {
        return "qpid-jms-client \\d+\\.\\d+.*";
    }
}
