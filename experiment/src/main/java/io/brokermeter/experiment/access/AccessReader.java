package io.brokermeter.experiment.access;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.message.BoundedText;
import io.brokermeter.experiment.table.Exclusion;
import io.brokermeter.experiment.table.SectionValues;
import io.brokermeter.experiment.table.ValueSyntax;
import io.brokermeter.network.NetworkRule;
import io.brokermeter.spi.parameter.UrlLogin;
import org.jspecify.annotations.Nullable;

/** Reads the access to a broker of a whole file or of one of its groups: URL, protocol, login, parameters of the client and network. */
public final class AccessReader {

    private AccessReader() {}

    /** Reads the access without parameters that follow from destinations, as that of a whole file. */
    public static EndpointChoice read(SectionValues values, EndpointChoice shared) {
        return read(values, shared, Map.of());
    }

    /**
     * Reads the access of a group.
     *
     * @param shared the access that the file has for all groups, used where the group sets nothing
     * @param ofDestinations parameters of the client that follow from the group's destinations
     */
    public static EndpointChoice read(SectionValues values, EndpointChoice shared, Map<String, String> ofDestinations) {
        String protocol = values.text("protocol");
        boolean other = protocol != null && shared.protocol() != null && !protocol.equalsIgnoreCase(shared.protocol());
        Map<String, String> properties = new LinkedHashMap<>(other ? Map.of() : shared.properties());
        properties.putAll(ofDestinations);
        properties.putAll(values.texts("properties"));
        String passwordFile = values.text("passwordFile");
        String variable = values.text("passwordEnv");
        if (passwordFile != null && variable != null) {
            values.wrong("passwordEnv", Exclusion.inFile("passwordFile", "passwordEnv"));
        }
        boolean own = values.text("user") != null || passwordFile != null || variable != null;
        Path secret = passwordFile == null ? own ? null : shared.passwordFile() : ValueSyntax.path(passwordFile, values.base());
        if (passwordFile != null && !Files.isReadable(Objects.requireNonNull(secret))) {
            values.wrong("passwordFile", "the file " + secret + " does not exist or cannot be read.");
        } else if (passwordFile != null && isWithoutPassword(Objects.requireNonNull(secret))) {
            values.wrong("passwordFile", "the file " + secret + " has no password in its first line.");
        }
        String url = values.text("url");
        String user = values.text("user");
        UrlLogin login = null;
        try {
            login = url == null ? null : UrlLogin.of(url);
        } catch (IllegalArgumentException e) {
            values.wrong("url", String.valueOf(e.getMessage()));
        }
        if (login != null && login.user() != null && user != null) {
            values.wrong("user", "The user name is given twice, in the URL and beside it; give it once.");
        }
        if (login != null && login.password() != null && (passwordFile != null || variable != null)) {
            values.wrong(passwordFile != null ? "passwordFile" : "passwordEnv",
                "The password is given twice, in the URL and beside it; give it once.");
        }
        EndpointChoice common = EndpointChoice.OPEN.with(its -> {
            its.protocol = protocol == null ? shared.protocol() : protocol.toUpperCase(Locale.ROOT);
            its.passwordFile = secret;
            its.clientId = clientId(values, shared);
            its.connectTimeout = connectTimeout(values, shared);
            its.properties = properties;
            its.network = network(values, shared);
        });
        if (login != null) {
            // a login that the file has for all groups does not apply to a URL with its own
            boolean whole = login.password() != null;
            return common.with(its -> {
                its.url = url;
                its.user = user;
                its.passwordFile = whole && passwordFile == null ? null : secret;
                its.passwordVariable = variable;
            });
        }
        return common.with(its -> {
            its.url = url == null ? shared.url() : url;
            its.user = user == null ? shared.user() : user;
            its.passwordVariable = variable == null ? own ? null : shared.passwordVariable() : variable;
        });
    }

    private static @Nullable String clientId(SectionValues values, EndpointChoice shared) {
        String clientId = values.text("clientId");
        return clientId == null ? shared.clientId() : clientId;
    }

    /**
     * Returns whether a regular file has an empty first line. Other files, such as pipes, can be read only once and are left unread until
     * the password is needed.
     */
    private static boolean isWithoutPassword(Path file) {
        try {
            return Files.isRegularFile(file) && BoundedText.firstLine(file).isEmpty();
        } catch (IOException e) {
            return false;
        }
    }

    private static NetworkRule network(SectionValues values, EndpointChoice shared) {
        return values.read("network", shared.network(), ValueSyntax::network);
    }

    private static Duration connectTimeout(SectionValues values, EndpointChoice shared) {
        return values.read("connectTimeout", shared.connectTimeout(), text -> longer(ValueSyntax.time(text)));
    }

    private static Duration longer(Duration time) {
        if (time.isZero()) {
            throw new UsageException("it must be longer than 0.");
        }
        return time;
    }
}
