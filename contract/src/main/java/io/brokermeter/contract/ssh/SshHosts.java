package io.brokermeter.contract.ssh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Hosts that the real ssh reaches through the real sshd. ssh starts sshd for each connection, so that no sshd listens. The configuration,
 * the keys, and the files of the hosts ({@code cache} and {@code there}) are below one directory.
 */
public final class SshHosts implements AutoCloseable {

    private final Path directory;
    private final SshdDirectory separation;

    private SshHosts(Path directory, SshdDirectory separation) {
        this.directory = directory;
        this.separation = separation;
    }

    /**
     * Creates hosts. Skips the test where ssh or sshd is missing.
     *
     * @param directory an existing directory
     * @param names names of hosts to which this user has access; in addition, {@code stranger} is a host with an unknown key, and on
     *     {@code closed} no process listens
     */
    public static SshHosts in(Path directory, String... names) throws IOException, InterruptedException {
        String sshd = program("sshd");
        assumeTrue(sshd != null && program("ssh") != null && program("ssh-keygen") != null, "needs ssh and sshd (openssh-server)");
        SshHosts hosts = new SshHosts(directory, SshdDirectory.open());
        for (String name : List.of("host", "user")) {
            Process made =
                new ProcessBuilder("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", directory.resolve(name).toString()).inheritIO()
                    .start();
            assertThat(made.waitFor()).isZero();
        }
        Files.writeString(directory.resolve("known"), "* " + Files.readString(directory.resolve("host.pub")));
        Files.writeString(directory.resolve("sshd_config"), """
            HostKey %1$s/host
            AuthorizedKeysFile %1$s/user.pub
            PasswordAuthentication no
            KbdInteractiveAuthentication no
            PermitRootLogin prohibit-password
            StrictModes no
            UsePAM no
            PidFile none
            SetEnv XDG_CACHE_HOME=%1$s/cache TMPDIR=%1$s/there
            """.formatted(directory));
        Files.writeString(directory.resolve("ssh_config"), """
            Host %3$s stranger
              ProxyCommand %2$s -i -f %1$s/sshd_config
            Host closed
              HostName 127.0.0.1
              Port 1
            Host stranger
              UserKnownHostsFile /dev/null
            Host *
              IdentityFile %1$s/user
              IdentitiesOnly yes
              UserKnownHostsFile %1$s/known
              GlobalKnownHostsFile /dev/null
              StrictHostKeyChecking yes
            """.formatted(directory, sshd, String.join(" ", names)));
        Files.createDirectory(directory.resolve("there"));
        return hosts;
    }

    /** Returns the ssh command for the hosts, with timeouts that suffice on a busy machine. */
    public List<String> ssh() {
        return List.of("ssh", "-F", directory.resolve("ssh_config").toString(), "-o", "ConnectTimeout=60", "-o", "ServerAliveInterval=20");
    }

    /** Returns the copies of the tool on the hosts. */
    public List<Path> copies() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("cache/brokermeter/agents"))) {
            return files.toList();
        }
    }

    /** Returns the cluster keys that are on the hosts now. */
    public List<Path> keys() throws IOException {
        while (true) {
            try (Stream<Path> files = Files.walk(directory.resolve("there"))) {
                return files.filter(file -> file.endsWith("cluster.p12")).toList();
            } catch (UncheckedIOException e) {
                // a file was removed meanwhile: repeat
                continue;
            }
        }
    }

    @Override
    public void close() throws IOException {
        separation.close();
    }

    private static @Nullable String program(String name) {
        return Stream.concat(Stream.of(System.getenv("PATH").split(":")), Stream.of("/usr/sbin", "/usr/local/sbin"))
            .map(place -> Path.of(place, name)).filter(Files::isExecutable).map(Path::toString).findFirst().orElse(null);
    }
}
