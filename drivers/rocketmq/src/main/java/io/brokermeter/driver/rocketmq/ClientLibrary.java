package io.brokermeter.driver.rocketmq;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** The client library as a whole: what must be said before the first of its classes is loaded, and its version. */
final class ClientLibrary {

    static {
        // As its own benchmark does: headers as bytes, not as JSON. The answers come in the form of the question.
        defaultProperty("rocketmq.serialize.type", "ROCKETMQ");
        // The least time between two distributions of queues, a second by default, is the time a consumer takes to start.
        defaultProperty("rocketmq.client.rebalance.minInterval", "50");
    }

    private ClientLibrary() {}

    private static void defaultProperty(String name, String value) {
        if (System.getProperty(name) == null) {
            System.setProperty(name, value);
        }
    }

    /** Does what must be done first. Each class of this package that leads to the library calls it. */
    static void prepare() {
        // the static initializer has done it
    }

    static String version() {
        Properties properties = new Properties();
        try (InputStream file = ClientLibrary.class.getResourceAsStream(
            "/META-INF/maven/org.apache.rocketmq/rocketmq-client/pom.properties")) {
            if (file != null) {
                properties.load(file);
            }
        } catch (IOException e) {
            // the version is not known then
        }
        return properties.getProperty("version", "of unknown version");
    }
}
