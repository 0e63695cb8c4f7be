package io.brokermeter.brokers.observe;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.rmi.server.RMISocketFactory;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import javax.management.remote.JMXServiceURL;

import com.sun.tools.attach.VirtualMachine;
import io.brokermeter.hosts.ExitAction;
import io.brokermeter.hosts.FreePort;
import org.jspecify.annotations.Nullable;

/**
 * A management agent in the JVM of another program. It listens only on the loopback interface and requires a password that is discarded
 * after the run. The agent stays as long as the JVM: stopping it over its own connection would make it wait for itself. The agent that a
 * JVM starts for local tools is not used, since it listens on all interfaces.
 *
 * @param url URL for the connector
 * @param password password of the user {@value #USER}
 * @param files directory of the files that the JVM reads at each login; {@link #forget} deletes it
 * @param deletion deletes that directory when this JVM ends before
 */
record LoopbackAgent(JMXServiceURL url, String password, Path files, ExitAction deletion) {

    static final String USER = "brokermeter";

    private static final int BYTES = 24;
    private static final String PASSWORDS = "password";
    private static final String ACCESS = "access";

    /**
     * Starts an agent.
     *
     * @throws IOException also when the JVM already has an agent for other machines
     */
    static LoopbackAgent start(VirtualMachine machine) throws IOException {
        reachLoopback();
        byte[] random = new byte[BYTES];
        new SecureRandom().nextBytes(random);
        String password = HexFormat.of().formatHex(random);
        int port = FreePort.find();
        // a new temporary directory and its files are accessible only to their owner
        Path directory = Files.createTempDirectory("brokermeter-jmx-");
        Path passwords = directory.resolve(PASSWORDS);
        Path access = directory.resolve(ACCESS);
        @Nullable ExitAction deletion = null;
        boolean running = false;
        try {
            deletion = ExitAction.deleting(directory);
            for (Path file : List.of(passwords, access)) {
                Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            }
            Files.writeString(passwords, USER + " " + password + "\n", StandardCharsets.UTF_8);
            Files.writeString(access, USER + " readwrite\n", StandardCharsets.UTF_8);
            Properties properties = new Properties();
            properties.putAll(Map.of("com.sun.management.jmxremote.host", "127.0.0.1",
                "com.sun.management.jmxremote.port", Integer.toString(port),
                "com.sun.management.jmxremote.rmi.port", Integer.toString(port),
                "com.sun.management.jmxremote.ssl", "false",
                "com.sun.management.jmxremote.authenticate", "true",
                "com.sun.management.jmxremote.password.file", passwords.toString(),
                "com.sun.management.jmxremote.access.file", access.toString()));
            machine.startManagementAgent(properties);
            running = true;
            return new LoopbackAgent(
                new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/jmxrmi"), password, directory, deletion);
        } catch (com.sun.tools.attach.AttachOperationFailedException e) {
            throw new IOException("it has an agent already, or cannot start one (" + e.getMessage() + ")", e);
        } finally {
            if (!running) {
                delete(directory);
                if (deletion != null) {
                    deletion.close();
                }
            }
        }
    }

    /** Deletes the files, after which no login is possible. Idempotent; may be called from any thread. */
    void forget() {
        try {
            delete(files);
            deletion.close();
        } catch (IOException e) {
            // nobody else can read the files, and they are deleted with this JVM
        }
    }

    private static void delete(Path directory) throws IOException {
        Files.deleteIfExists(directory.resolve(PASSWORDS));
        Files.deleteIfExists(directory.resolve(ACCESS));
        Files.deleteIfExists(directory);
    }

    /**
     * Makes RMI connect over the loopback interface, since the agent names the address of the machine as its host, where it does not
     * listen.
     */
    private static synchronized void reachLoopback() throws IOException {
        if (RMISocketFactory.getSocketFactory() == null) {
            RMISocketFactory.setSocketFactory(new RMISocketFactory() {

                @Override
                public Socket createSocket(String host, int port) throws IOException {
                    InetAddress address = InetAddress.getByName(host);
                    if (!address.isLoopbackAddress() && NetworkInterface.getByInetAddress(address) != null) {
                        try {
                            return new Socket(InetAddress.getLoopbackAddress(), port);
                        } catch (IOException e) {
                            // falls back to the requested address
                        }
                    }
                    return new Socket(address, port);
                }

                @Override
                public ServerSocket createServerSocket(int port) throws IOException {
                    return new ServerSocket(port, 0, InetAddress.getLoopbackAddress());
                }
            });
        }
    }
}
