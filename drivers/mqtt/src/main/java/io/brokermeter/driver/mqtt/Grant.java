package io.brokermeter.driver.mqtt;

/**
 * What the broker said when it accepted a session; with version 3.1.1, what is assumed.
 *
 * @param sessionPresent whether it had kept the session
 * @param receiveMaximum the most messages of ours that it takes unacknowledged
 * @param maximumQos the highest quality of service that it takes
 * @param retain whether it keeps retained messages
 * @param maximumPacketSize the largest packet that it takes
 * @param topicAliasMaximum the most topic aliases of ours that it keeps
 * @param shared whether it has shared subscriptions; with version 3.1.1 nobody knows
 * @param keepAlive seconds
 * @param sessionExpiry seconds
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
