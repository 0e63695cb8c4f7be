package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;
import java.util.logging.LogRecord;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientLogTest {

    @ParameterizedTest
    @CsvSource({
        "SEVERE, RocketmqClient, sendKernelImpl exception, true",
        "WARNING, RocketmqRemoting, invokeSync: wait response timeout exception, true",
        "WARNING, org.apache.rocketmq.client.impl.MQClientAPIImpl, an attempt, true",
        "WARNING, org.apache.kafka.clients.NetworkClient, Connection to node -1 could not be established, true",
        "SEVERE, org.apache.kafka.common.utils.KafkaThread, Uncaught exception, false",
        "WARNING, org.apache.activemq.artemis.core.client, AMQ212037: connection failure has been detected, true",
        "WARNING, org.apache.activemq.artemis.core.client, AMQ212052: packet was answered out of sequence, false",
        "SEVERE, , something, false"})
    void whatTheRunItselfReportsIsNoise(String level, String logger, String message, boolean noise) {
        LogRecord record = new LogRecord(Level.parse(level), message);
        record.setLoggerName(logger);
        assertThat(ClientLog.isNoise(record)).isEqualTo(noise);
    }
}
