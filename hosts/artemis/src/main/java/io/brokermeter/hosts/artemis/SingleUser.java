package io.brokermeter.hosts.artemis;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Set;

import org.apache.activemq.artemis.core.security.CheckType;
import org.apache.activemq.artemis.core.security.Role;
import org.apache.activemq.artemis.spi.core.security.ActiveMQSecurityManager;
import org.jspecify.annotations.Nullable;

/** A security manager that permits everything to one user, and nothing to anybody else. */
final class SingleUser implements ActiveMQSecurityManager {

    private final String name;
    private final byte[] password;

    SingleUser(String name, String password) {
        this.name = name;
        this.password = password.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public boolean validateUser(@Nullable String user, @Nullable String given) {
        return name.equals(user) && given != null
            && MessageDigest.isEqual(password, given.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public boolean validateUserAndRole(@Nullable String user, @Nullable String given, Set<Role> roles, CheckType type) {
        return validateUser(user, given);
    }
}
