package io.brokermeter.driver.rocketmq.library;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** The client library as a whole: the system properties that must be set before its first class is loaded, and its version. */
public final class ClientLibrary {

    static {
        // As its own benchmark does: headers are sent as bytes, not as JSON. Answers have the format of the request.
        defaultProperty("rocketmq.serialize.type", "ROCKETMQ");
        // The shortest time between two distributions of queues, by default a second, which a consumer needs to start.
        defaultProperty("rocketmq.client.rebalance.minInterval", "50");
    }

    private ClientLibrary() {}

    private static void defaultProperty(String name, String value) {
        if (System.getProperty(name) == null) {
            System.setProperty(name, value);
        }
    }

    /** Sets the library's system properties. Every class of the driver that loads the library calls this first. */
    public static void prepare() {
        // the static initializer has done it
    }

    public static String version() {
        Properties properties = new Properties();
        try (InputStream file = ClientLibrary.class.getResourceAsStream(
            "/META-INF/maven/org.apache.rocketmq/rocketmq-client/pom.properties")) {
            if (file != null) {
                properties.load(file);
            }
        } catch (IOException e) {
            // then the version stays unknown
        }
        return properties.getProperty("version", "of unknown version");
    }
}
