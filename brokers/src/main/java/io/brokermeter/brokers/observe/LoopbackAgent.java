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
 * The management agent of a JVM that is not ours: it listens on loopback alone and asks for a password that is forgotten
 * after the run. It stays as long as the JVM: an agent that is stopped over its own connection would wait for itself. The agent that a JVM starts for local tools listens on all interfaces.
 *
 * @param url for the connector
 * @param password of user {@value #USER}
 * @param files what the JVM reads at each login; {@link #forget} deletes them
 * @param deletion does the same when this process is gone before
 */
record LoopbackAgent(JMXServiceURL url, String password, Path files, ExitAction deletion) {

    static final String USER = "brokermeter";

    private static final int BYTES = 24;
    private static final String PASSWORDS = "password";
    private static final String ACCESS = "access";

    /** Starts it; throws when the JVM has an agent for other machines already. */
    static LoopbackAgent start(VirtualMachine machine) throws IOException {
        reachLoopback();
        byte[] random = new byte[BYTES];
        new SecureRandom().nextBytes(random);
        String password = HexFormat.of().formatHex(random);
        int port = FreePort.find();
        // a new directory is its owner's alone, and so are temporary files
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

    /** Deletes its files; a login is not possible any more. Idempotent, any thread. */
    void forget() {
        try {
            delete(files);
            deletion.close();
        } catch (IOException e) {
            // nobody else can read them, and they go with this process
        }
    }

    private static void delete(Path directory) throws IOException {
        Files.deleteIfExists(directory.resolve(PASSWORDS));
        Files.deleteIfExists(directory.resolve(ACCESS));
        Files.deleteIfExists(directory);
    }

    /** The agent names the machine as its host, where it does not listen. */
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
                            // then the address that was asked for
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
