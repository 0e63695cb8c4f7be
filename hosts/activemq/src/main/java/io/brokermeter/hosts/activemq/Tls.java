package io.brokermeter.hosts.activemq;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;

import org.apache.activemq.broker.SslContext;

/** The TLS side of a broker: its key, and no demand for one of its clients. */
final class Tls {

    private Tls() { }

    static SslContext of(Path keyStore, String password) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(keyStore.toFile(), password.toCharArray());
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, password.toCharArray());
        return new SslContext(keys.getKeyManagers(), null, null);
    }
}
