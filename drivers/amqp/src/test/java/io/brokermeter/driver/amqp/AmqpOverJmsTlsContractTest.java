package io.brokermeter.driver.amqp;

import io.brokermeter.spi.ConnectionSettings;

class AmqpOverJmsTlsContractTest extends AmqpTlsContractTest {

    @Override
    protected ConnectionSettings settings(String host, int port, Wish wish) {
        ConnectionSettings own = super.settings(host, port, wish);
        return own.withUrl(own.url() + "?transport=client");
    }
}
