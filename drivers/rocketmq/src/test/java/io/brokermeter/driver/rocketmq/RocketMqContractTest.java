package io.brokermeter.driver.rocketmq;

import io.brokermeter.contract.DriverContract;

class RocketMqContractTest extends DriverContract {

    RocketMqContractTest() {
        super(RocketMqBroker.SHARED);
    }

    @Test
    void sendsFromSeveralConnectionsThroughOneClient() throws Exception {
        var queue = queue();
        var settings = settings().withProperty("shared-client", "true");
        var deliveries = new Deliveries();
        connect(settings()).consumer(queue, auto(), deliveries);
        var first = connect(settings);
        var second = connect(settings);
        var firstSends = new Sends();
        var secondSends = new Sends();
        send(first.producer(queue, plain(), firstSends), firstSends, 0, 20, "a");
        var producer = second.producer(queue, plain(), secondSends);
        send(producer, secondSends, 0, 20, "b");
        firstSends.awaitConfirmed(20);
        assertThat(Clients.shared()).isEqualTo(1);
        first.close();
        send(producer, secondSends, 20, 20, "b");
        secondSends.awaitConfirmed(40);
        deliveries.await(60);
        assertThat(deliveries.texts()).hasSize(60).doesNotHaveDuplicates();
        second.close();
        assertThat(Clients.shared()).isZero();
    }
}
