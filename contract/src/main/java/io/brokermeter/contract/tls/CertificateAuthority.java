package io.brokermeter.contract.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import org.jspecify.annotations.Nullable;

/** Issues certificates for tests, with keys of the curve P-256. */
public final class CertificateAuthority {

    /** The password of every key store. */
    public static final String PASSWORD = "sesame-sesame";

    private static final int[] COMMON_NAME = {2, 5, 4, 3};
    private static final int[] ALTERNATIVE_NAMES = {2, 5, 29, 17};
    private static final int[] BASIC_CONSTRAINTS = {2, 5, 29, 19};
    private static final int[] ECDSA_SHA256 = {1, 2, 840, 10045, 4, 3, 2};
    private static final int CONTEXT_0 = 0xa0;
    private static final int CONTEXT_3 = 0xa3;
    private static final int DNS_NAME = 0x82;
    private static final int IP_ADDRESS = 0x87;
    private static final byte[] TRUE = {1, 1, (byte) 0xff};

    private final String name;
    private final PrivateKey key;
    private final X509Certificate certificate;

    private CertificateAuthority(String name, PrivateKey key, X509Certificate certificate) {
        this.name = name;
        this.key = key;
        this.certificate = certificate;
    }

    /** Creates a new authority that no client trusts. */
    public static CertificateAuthority of(String name) throws Exception {
        KeyPair pair = keys();
        Instant now = Instant.now();
        byte[] constraints = extension(BASIC_CONSTRAINTS, true, Der.of(Der.SEQUENCE, TRUE));
        return new CertificateAuthority(name, pair.getPrivate(),
            signed(name, pair, name, pair.getPrivate(), now.minus(Duration.ofDays(40)), now.plus(Duration.ofDays(40)), constraints));
    }

    /** Issues the certificate of a server that is valid now, for hosts by name or address. */
    public Identity server(String... hosts) throws Exception {
        Instant now = Instant.now();
        return issue("server", now.minus(Duration.ofDays(1)), now.plus(Duration.ofDays(30)), hosts);
    }

    /** Issues the certificate of a server that expired two days ago. */
    public Identity expired(String... hosts) throws Exception {
        Instant now = Instant.now();
        return issue("server", now.minus(Duration.ofDays(30)), now.minus(Duration.ofDays(2)), hosts);
    }

    /** Issues the certificate of a client. */
    public Identity client(String client) throws Exception {
        Instant now = Instant.now();
        return issue(client, now.minus(Duration.ofDays(1)), now.plus(Duration.ofDays(30)));
    }

    private Identity issue(String subject, Instant from, Instant to, String... hosts) throws Exception {
        KeyPair pair = keys();
        List<byte[]> names = new ArrayList<>();
        for (String host : hosts) {
            names.add(host.matches("[0-9.]+") ? Der.of(IP_ADDRESS, InetAddress.getByName(host).getAddress())
                : Der.of(DNS_NAME, host.getBytes(StandardCharsets.US_ASCII)));
        }
        byte[][] extensions = names.isEmpty() ? new byte[0][]
            : new byte[][] {extension(ALTERNATIVE_NAMES, false, Der.sequence(names))};
        return new Identity(pair.getPrivate(), signed(subject, pair, name, key, from, to, extensions), certificate);
    }

    /** Writes the certificate of the authority to a PKCS12 file, and returns the file. */
    public Path trustStore(Path file) throws Exception {
        KeyStore store = empty();
        store.setCertificateEntry("authority", certificate);
        return write(store, file);
    }

    /** Writes the certificate of the authority to a PEM file, and returns the file. */
    public Path pem(Path file) throws Exception {
        return Files.writeString(file, Identity.pem("CERTIFICATE", certificate.getEncoded()));
    }

    /** Returns the name of the authority as it appears in messages. */
    public String issuer() {
        return certificate.getSubjectX500Principal().getName();
    }

    X509Certificate certificate() {
        return certificate;
    }

    /** A private key with its certificate. */
    public record Identity(PrivateKey key, X509Certificate certificate, X509Certificate issuer) {

        /** Writes key and certificate to a PKCS12 file, and returns the file. */
        public Path keyStore(Path file) throws Exception {
            return write(store(), file);
        }

        /** Writes the certificate and that of its issuer to a PEM file, and returns the file. */
        public Path certificatePem(Path file) throws Exception {
            return Files.writeString(file, pem("CERTIFICATE", certificate.getEncoded()) + pem("CERTIFICATE", issuer.getEncoded()));
        }

        /** Writes the key to a PEM file, and returns the file. */
        public Path keyPem(Path file) throws Exception {
            return Files.writeString(file, pem("PRIVATE KEY", key.getEncoded()));
        }

        static String pem(String what, byte[] bytes) {
            return "-----BEGIN " + what + "-----\n" + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes)
                + "\n-----END " + what + "-----\n";
        }

        private KeyStore store() throws Exception {
            KeyStore store = empty();
            store.setKeyEntry("own", key, PASSWORD.toCharArray(), new Certificate[] {certificate, issuer});
            return store;
        }

        /** Returns the context of a server that presents this certificate, and trusts certificates of clients from an authority. */
        public SSLContext context(@Nullable CertificateAuthority clients) throws Exception {
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store(), PASSWORD.toCharArray());
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            KeyStore trusted = empty();
            trusted.setCertificateEntry("authority", clients == null ? issuer : clients.certificate());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        }
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static Path write(KeyStore store, Path file) throws Exception {
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, PASSWORD.toCharArray());
        }
        return file;
    }

    private static KeyPair keys() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }

    private static byte[] name(String common) {
        return Der.of(Der.SEQUENCE, Der.of(Der.SET, Der.of(Der.SEQUENCE, Der.object(COMMON_NAME), Der.utf8(common))));
    }

    private static byte[] extension(int[] id, boolean critical, byte[] value) {
        return Der.of(Der.SEQUENCE, Der.object(id), critical ? TRUE : new byte[0], Der.octets(value));
    }

    private static X509Certificate signed(String subject, KeyPair pair, String issuer, PrivateKey issuerKey, Instant from, Instant to,
            byte[]... extensions) throws GeneralSecurityException {
        byte[] algorithm = Der.of(Der.SEQUENCE, Der.object(ECDSA_SHA256));
        byte[] body = Der.of(Der.SEQUENCE, Der.of(CONTEXT_0, Der.integer(BigInteger.TWO)),
            Der.integer(new BigInteger(63, new SecureRandom()).setBit(62)), algorithm, name(issuer),
            Der.of(Der.SEQUENCE, Der.time(from), Der.time(to)), name(subject), pair.getPublic().getEncoded(),
            extensions.length == 0 ? new byte[0] : Der.of(CONTEXT_3, Der.of(Der.SEQUENCE, extensions)));
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(issuerKey);
        signature.update(body);
        byte[] whole = Der.of(Der.SEQUENCE, body, algorithm, Der.bits(signature.sign()));
        return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(whole));
    }
}
