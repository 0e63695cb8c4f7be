package io.brokermeter.driver.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Optional;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

import io.brokermeter.driver.tls.Tls;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stores of certificates whose password is not given. */
class TlsStoreTest {

    @TempDir
    private Path directory;

    private TlsOptions trusting(String type) throws Exception {
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init((KeyStore) null);
        var keys = KeyStore.getInstance(type);
        keys.load(null, null);
        keys.setCertificateEntry("one", ((X509TrustManager) factory.getTrustManagers()[0]).getAcceptedIssuers()[0]);
        var file = directory.resolve("trust." + type);
        try (var out = Files.newOutputStream(file)) {
            keys.store(out, "secret".toCharArray());
        }
        return new TlsOptions(Optional.of(new TlsOptions.Store(file, Secret.of(""))), Optional.empty(), false, true);
    }

    @Test
    void trustsACertificateInAJksFile() throws Exception {
        assertThat(Tls.open(trusting("JKS")).trustManagers()).hasSize(1);
    }

    @Test
    void refusesAPkcs12File() throws Exception {
        var options = trusting("PKCS12");
        assertThatThrownBy(() -> Tls.open(options)).isInstanceOf(DriverException.class).hasMessageContaining("cannot be opened");
    }
}
