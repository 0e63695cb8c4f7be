package io.brokermeter.driver.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.brokermeter.spi.failure.DriverException;

/** Reads key stores and PEM files. */
final class KeyFiles {

    private static final Pattern KEY =
        Pattern.compile("-----BEGIN ([A-Z ]*)PRIVATE KEY-----([^-]*)-----END [A-Z ]*PRIVATE KEY-----");
    private static final byte[] BEGIN = "-----BEGIN ".getBytes(StandardCharsets.US_ASCII);
    private static final int HEAD = 64 * 1024;

    private KeyFiles() {}

    /** Returns a key store with the certificates to trust. */
    static KeyStore trusted(TlsOptions.Store store) throws IOException, GeneralSecurityException {
        KeyStore keys = isPem(store.path()) ? of(certificates(store.path())) : load(store);
        if (Collections.list(keys.aliases()).isEmpty()) {
            throw new DriverException("The trust store '" + store.path() + "' holds no certificate that can be trusted; one that openssl"
                + " made lacks a mark that Java wants: name the PEM file instead.", null);
        }
        return keys;
    }

    /** Returns a key store with a certificate and its private key, which is protected by the password of {@code store}. */
    static KeyStore own(TlsOptions.Store store) throws IOException, GeneralSecurityException {
        if (!isPem(store.path())) {
            return load(store);
        }
        KeyStore keys = empty();
        keys.setKeyEntry("own", key(store.path()), store.password().reveal().toCharArray(),
            certificates(store.path()).toArray(Certificate[]::new));
        return keys;
    }

    private static KeyStore load(TlsOptions.Store store) throws GeneralSecurityException, DriverException {
        char[] password = store.password().reveal().toCharArray();
        try {
            return KeyStore.getInstance(store.path().toFile(), password);
        } catch (IOException | KeyStoreException e) {
            if (password.length == 0) {
                try {
                    KeyStore unchecked = KeyStore.getInstance(store.path().toFile(), (char[]) null);
                    // certificates in a JKS file are readable without its password, those in a PKCS12 file are not
                    if (unchecked.getType().equalsIgnoreCase("JKS")) {
                        return unchecked;
                    }
                } catch (IOException | KeyStoreException again) {
                    e.addSuppressed(again);
                }
            }
            throw new DriverException("The key store '" + store.path() + "' cannot be opened (" + e.getMessage() + ").", e);
        }
    }

    private static KeyStore empty() throws IOException, GeneralSecurityException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, null);
        return keys;
    }

    private static KeyStore of(List<? extends Certificate> certificates) throws IOException, GeneralSecurityException {
        KeyStore keys = empty();
        for (Certificate certificate : certificates) {
            keys.setCertificateEntry("trusted" + keys.size(), certificate);
        }
        return keys;
    }

    private static boolean isPem(Path path) throws IOException {
        // openssl may write text before the first section
        try (InputStream in = Files.newInputStream(path)) {
            return new String(in.readNBytes(HEAD), StandardCharsets.ISO_8859_1)
                .contains(new String(BEGIN, StandardCharsets.ISO_8859_1));
        }
    }

    private static List<? extends Certificate> certificates(Path path) throws IOException, GeneralSecurityException {
        StringBuilder only = new StringBuilder();
        Matcher each = Pattern.compile("-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----")
            .matcher(Files.readString(path, StandardCharsets.ISO_8859_1));
        while (each.find()) {
            only.append(each.group()).append('\n');
        }
        if (only.isEmpty()) {
            throw new DriverException("The file '" + path + "' holds no certificate.", null);
        }
        return List.copyOf(CertificateFactory.getInstance("X.509").generateCertificates(
            new ByteArrayInputStream(only.toString().getBytes(StandardCharsets.ISO_8859_1))));
    }

    private static PrivateKey key(Path path) throws IOException, GeneralSecurityException {
        Matcher key = KEY.matcher(Files.readString(path, StandardCharsets.ISO_8859_1));
        if (!key.find() || !key.group(1).isEmpty()) {
            throw new DriverException("The file '" + path + "' must hold a section BEGIN PRIVATE KEY, not encrypted (openssl pkcs8"
                + " -topk8 -nodes makes one), beside the certificate.", null);
        }
        PKCS8EncodedKeySpec encoded = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(key.group(2)));
        for (String algorithm : List.of("EC", "RSA", "EdDSA")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
            } catch (InvalidKeySpecException e) {
                // the key is of another kind
            }
        }
        throw new DriverException("The key in '" + path + "' is neither RSA nor an elliptic curve's.", null);
    }
}
