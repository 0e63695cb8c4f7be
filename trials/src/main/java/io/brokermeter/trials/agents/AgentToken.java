package io.brokermeter.trials.agents;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Proves that an agent without a key is one that this coordinator started: any process of the machine can connect on loopback, and an order
 * has passwords of brokers. The proof is computed from a random text of the coordinator, which makes it new, and from the id of the member
 * that gives it, so that no member can pass on the proof of another one.
 */
final class AgentToken {

    private static final String ALGORITHM = "HmacSHA256";

    private AgentToken() {}

    /**
     * Returns the proof of an agent.
     *
     * @param token the token that the agent got from the coordinator that started it; empty for others, which prove nothing
     * @param nonce the random text with which the coordinator asked
     * @param member the id by which the coordinator knows the agent
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

    /** Returns whether an answer is the proof that belongs to a token, a nonce and a member. */
    static boolean holds(String answered, String token, String nonce, String member) {
        return MessageDigest.isEqual(of(token, nonce, member).getBytes(StandardCharsets.UTF_8), answered.getBytes(StandardCharsets.UTF_8));
    }
}
