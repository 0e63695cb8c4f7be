package io.brokermeter.driver.mqtt;

/**
 * The broker's capabilities and limits when it accepted a session; with version 3.1.1 assumed values.
 *
 * @param sessionPresent whether the broker had kept the session
 * @param receiveMaximum the most unacknowledged messages of ours that the broker accepts
 * @param maximumQos the highest quality of service that the broker supports
 * @param retain whether the broker stores retained messages
 * @param maximumPacketSize size of the largest packet that the broker accepts, in bytes
 * @param topicAliasMaximum the most topic aliases of ours that the broker stores
 * @param shared whether the broker has shared subscriptions; meaningless with version 3.1.1
 * @param keepAlive keep-alive interval in seconds
 * @param sessionExpiry how long the broker keeps the session after its connection ended, in seconds
 */
record Grant(
        boolean sessionPresent, int receiveMaximum, int maximumQos, boolean retain, long maximumPacketSize,
        int topicAliasMaximum, boolean shared, int keepAlive, long sessionExpiry) {

    private static final int MOST = 65_535;

    static Grant of(boolean sessionPresent, Properties properties, int keepAlive, long sessionExpiry) {
        return new Grant(sessionPresent,
            (int) properties.number(Properties.RECEIVE_MAXIMUM, MOST),
            (int) properties.number(Properties.MAXIMUM_QOS, 2),
            properties.number(Properties.RETAIN_AVAILABLE, 1) != 0,
            properties.number(Properties.MAXIMUM_PACKET_SIZE, Integer.MAX_VALUE),
            (int) properties.number(Properties.TOPIC_ALIAS_MAXIMUM, 0),
            properties.number(Properties.SHARED_AVAILABLE, 1) != 0,
            (int) properties.number(Properties.SERVER_KEEP_ALIVE, keepAlive),
            properties.number(Properties.SESSION_EXPIRY, sessionExpiry));
    }
}
