package io.brokermeter.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.UnrecoverableKeyException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

import org.jspecify.annotations.Nullable;

/**
 * The secret that all processes of a cluster share and nobody else has: one key with its own certificate, in one file. Whoever has the file
 * belongs to the cluster; both ends of a connection present the certificate and accept no other.
 *
 * <p>The file is PKCS12. Its password is the same for all and protects nothing; the mode of the file does.
 */
public final class Credential {

    private static final String ALIAS = "brokermeter";
    private static final char[] PASSWORD = "brokermeter".toCharArray();
    private static final long KEYTOOL_SECONDS = 60;
    private static final int DAYS = 36_500;

    private final X509Certificate certificate;
    private final SSLContext context;

    private Credential(X509Certificate certificate, PrivateKey key) throws GeneralSecurityException, IOException {
        this.certificate = certificate;
        KeyStore own = KeyStore.getInstance("PKCS12");
        own.load(null, null);
        own.setKeyEntry(ALIAS, key, PASSWORD, new X509Certificate[] {certificate});
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, PASSWORD);
        context = SSLContext.getInstance("TLSv1.3");
        KeyManager[] managers = keys.getKeyManagers();
        context.init(managers, new TrustManager[] {new OnlyThis(certificate)}, null);
    }

    /**
     * Generates a new key and writes it to a file that only its owner may read. Blocks for a second or so.
     *
     * @throws ClusterException if the file exists, cannot be written, or no key can be generated
     */
    public static Credential create(Path file) throws ClusterException {
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new ClusterException(file + " exists already, and a key is never overwritten");
        }
        byte[] content = newKey();
        try {
            // Fails if the file exists: one that another process has created meanwhile is kept.
            Files.createFile(file, ownerOnly(file, "rw-------"));
            Files.write(file, content);
        } catch (FileAlreadyExistsException e) {
            throw new ClusterException(file + " exists already, and a key is never overwritten", e);
        } catch (NoSuchFileException e) {
            throw new ClusterException("the directory of " + file + " does not exist", e);
        } catch (IOException e) {
            throw new ClusterException("cannot write " + file + ": " + reason(e), e);
        } finally {
            Arrays.fill(content, (byte) 0);
        }
        return read(file);
    }

    /**
     * Reads a credential from a file.
     *
     * @throws ClusterException if the file cannot be read, may be read or written by everybody, or is not of the form that {@link #create}
     *     writes
     */
    public static Credential read(Path file) throws ClusterException {
        if (Files.isDirectory(file)) {
            throw new ClusterException(file + " is a directory, not a file with a key");
        }
        KeyStore store;
        try {
            refuseWhatAllMayRead(file);
            store = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(file)) {
                store.load(in, PASSWORD);
            }
        } catch (NoSuchFileException e) {
            throw new ClusterException("there is no file " + file, e);
        } catch (AccessDeniedException e) {
            throw new ClusterException(file + " may not be read by this user", e);
        } catch (IOException e) {
            throw new ClusterException(e.getCause() instanceof UnrecoverableKeyException
                ? file + " has a password of its own and was not made by this tool"
                : file + " is no file with a key, or damaged: " + reason(e), e);
        } catch (GeneralSecurityException e) {
            throw new ClusterException(file + " is no file with a key, or damaged: " + reason(e), e);
        }
        return from(file, store);
    }

    private static Credential from(Path file, KeyStore store) throws ClusterException {
        try {
            List<String> keys = new ArrayList<>();
            for (String alias : Collections.list(store.aliases())) {
                if (store.isKeyEntry(alias)) {
                    keys.add(alias);
                }
            }
            if (keys.isEmpty()) {
                throw new ClusterException(file + " holds no key");
            }
            if (keys.size() > 1) {
                throw new ClusterException(file + " holds " + keys.size() + " keys, and a cluster has one");
            }
            if (!(store.getKey(keys.getFirst(), PASSWORD) instanceof PrivateKey key)
                || !(store.getCertificate(keys.getFirst()) instanceof X509Certificate certificate)) {
                throw new ClusterException(file + " holds no key with a certificate");
            }
            return new Credential(certificate, key);
        } catch (UnrecoverableKeyException e) {
            throw new ClusterException(file + " has a password of its own and was not made by this tool", e);
        } catch (GeneralSecurityException | IOException e) {
            throw new ClusterException("the key in " + file + " cannot be used: " + reason(e), e);
        }
    }

    /** Returns the context for mutual TLS 1.3 with any process that has this credential. */
    public SSLContext context() {
        return context;
    }

    X509Certificate certificate() {
        return certificate;
    }

    /** Refuses a file that everybody may read or write. Kubernetes mounts secrets for a group, so a group's permissions do not matter. */
    private static void refuseWhatAllMayRead(Path file) throws IOException, ClusterException {
        if (!file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return;
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
        if (permissions.contains(PosixFilePermission.OTHERS_READ) || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new ClusterException("everybody on this machine may read or write " + file + ", which is a key: chmod 600 " + file);
        }
    }

    /**
     * Returns the content of a new key file. The JDK can make a certificate only by keytool, which writes into a directory that no other
     * user can enter.
     */
    private static byte[] newKey() throws ClusterException {
        Path directory = null;
        try {
            directory = Files.createTempDirectory("brokermeter-key");
            Path made = directory.resolve("key");
            Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair",
                "-alias", ALIAS, "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=brokermeter", "-startdate", "-2d", "-validity",
                String.valueOf(DAYS), "-storetype", "PKCS12", "-keystore", made.toString(), "-storepass", new String(PASSWORD))
                .redirectErrorStream(true).redirectOutput(directory.resolve("said").toFile()).start();
            keytool.getOutputStream().close();
            if (!keytool.waitFor(KEYTOOL_SECONDS, TimeUnit.SECONDS)) {
                keytool.destroyForcibly();
                throw new ClusterException("keytool made no key within " + KEYTOOL_SECONDS + " s");
            }
            if (keytool.exitValue() != 0) {
                throw new ClusterException("keytool made no key: "
                    + Files.readString(directory.resolve("said"), StandardCharsets.UTF_8).strip());
            }
            return Files.readAllBytes(made);
        } catch (IOException e) {
            throw new ClusterException("no key can be made by keytool of " + System.getProperty("java.home") + ": " + reason(e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted while a key was made", e);
        } finally {
            delete(directory);
        }
    }

    private static void delete(@Nullable Path directory) {
        if (directory == null) {
            return;
        }
        for (Path one : List.of(directory.resolve("key"), directory.resolve("said"), directory)) {
            try {
                Files.deleteIfExists(one);
            } catch (IOException e) {
                one.toFile().deleteOnExit();
            }
        }
    }

    private static FileAttribute<?>[] ownerOnly(Path file, String permissions) {
        return file.getFileSystem().supportedFileAttributeViews().contains("posix")
            ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))}
            : new FileAttribute<?>[0];
    }

    private static String reason(Exception e) {
        return e instanceof AccessDeniedException ? "not allowed" : e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    /** Accepts one certificate, compared by its bytes: neither names nor dates are checked, so clocks that differ by years do no harm. */
    private static final class OnlyThis extends X509ExtendedTrustManager {

        private final X509Certificate certificate;

        OnlyThis(X509Certificate certificate) {
            this.certificate = certificate;
        }

        private void check(X509Certificate @Nullable [] chain) throws CertificateException {
            if (chain == null || chain.length == 0 || !certificate.equals(chain[0])) {
                throw new CertificateException("another key");
            }
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            check(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
            check(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
            check(chain);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[] {certificate};
        }
    }
}
