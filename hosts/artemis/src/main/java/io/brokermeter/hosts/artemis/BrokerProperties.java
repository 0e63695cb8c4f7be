package io.brokermeter.hosts.artemis;

import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.brokermeter.hosts.RefusedProperty;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.apache.commons.beanutils.PropertyUtils;
import org.jspecify.annotations.Nullable;

/**
 * Applies the user's own settings by Artemis' mechanism of broker properties: {@code globalMaxSize=100M},
 * {@code addressSettings."#".maxSizeMessages=1000}.
 */
final class BrokerProperties {

    private static final String SOURCE = "broker-property";
    private static final Pattern REASON = Pattern.compile("\"reason\":\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern ADDRESS = Pattern.compile("addressSettings\\.(?:\"([^\"]*)\"|([^.]*))\\.(\\w+)");
    private static final Pattern NOTHING = Pattern.compile("[-+]?0+[a-zA-Z]*|false|no|off|n|f", Pattern.CASE_INSENSITIVE);

    private static final Pattern SECRET = Pattern.compile("pass|pasw|pwd|secret", Pattern.CASE_INSENSITIVE);

    private BrokerProperties() {}

    /** @throws RefusedProperty for a name or value that the broker does not know, with one sentence that names the property */
    static void apply(Map<String, String> properties, ConfigurationImpl configuration) throws Exception {
        for (Map.Entry<String, String> property : properties.entrySet()) {
            String name = property.getKey();
            String value = property.getValue();
            Properties one = new Properties();
            one.setProperty(name, value);
            try {
                configuration.parsePrefixedProperties(configuration, SOURCE, one, null);
            } catch (RuntimeException e) {
                throw new RefusedProperty(sentence(name, value, String.valueOf(e.getMessage())), e);
            }
            // Artemis collects what it does not understand in a status report, and continues.
            Matcher reason = REASON.matcher(configuration.getStatus());
            if (reason.find()) {
                throw new RefusedProperty(sentence(name, value, reason.group(1)));
            }
            // Artemis also takes an invalid number for 0, and an invalid flag for false.
            Object result = read(configuration, name);
            boolean nothing = result instanceof Number number && number.doubleValue() == 0 || Boolean.FALSE.equals(result);
            if (nothing && !NOTHING.matcher(value.strip()).matches()) {
                throw new RefusedProperty(sentence(name, value,
                    result instanceof Number ? "it must be a number" : "it must be true or false"));
            }
        }
    }

    /** Returns the present value of a property in the configuration; null if it is unknown. */
    private static @Nullable Object read(ConfigurationImpl configuration, String name) {
        try {
            Matcher address = ADDRESS.matcher(name);
            if (!address.matches()) {
                return name.indexOf('.') < 0 ? PropertyUtils.getProperty(configuration, name) : null;
            }
            String match = address.group(1) == null ? address.group(2) : address.group(1);
            AddressSettings settings = configuration.getAddressSettings().get(match);
            return settings == null ? null : PropertyUtils.getProperty(settings, address.group(3));
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            return null;
        }
    }

    /**
     * Returns the sentence that reports a refused property. The value is masked where it may be a password, even one with a
     * misspelt name.
     */
    static String sentence(String name, String value, String reason) {
        String plain = reason.replaceFirst("^[\\w.$]*InvocationTargetException: ", "").replaceFirst("^[\\w.$]*Exception: ", "")
            .replaceAll("No accessor method descriptor for: (\\S+) on: class \\S*\\.(\\w+)", "there is no $1 in $2");
        return "The broker does not accept its property " + name + "=" + (SECRET.matcher(name + reason).find() ? "***" : value) + ": "
            + plain;
    }
}
