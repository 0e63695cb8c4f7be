package io.brokermeter.trials.agents;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Shows that an agent without a key is one that this coordinator started: any process of the machine can reach its port on loopback, and an order has
 * passwords of brokers. It is made of a random text of the coordinator, which makes it new, and of the member that gives it, so that nobody hands on
 * another one's.
 */
final class AgentToken {

    private static final String ALGORITHM = "HmacSHA256";

    private AgentToken() {}

    /**
     * What an agent answers.
     *
     * @param token what it was given by the coordinator that started it; empty for others, which prove nothing
     * @param nonce what the coordinator asked with
     * @param member by which the coordinator knows it
     */
    static String of(String token, String nonce, String member) {
        if (token.isEmpty()) {
            return "";
        }
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(token.getBytes(StandardCharsets.UTF_8), ALGORITHM));
            return Base64.getEncoder().encodeToString(mac.doFinal((nonce + "\n" + member).getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }

    /** Whether what was answered is that. */
    static boolean holds(String answered, String token, String nonce, String member) {
        return MessageDigest.isEqual(of(token, nonce, member).getBytes(StandardCharsets.UTF_8), answered.getBytes(StandardCharsets.UTF_8));
    }
}
