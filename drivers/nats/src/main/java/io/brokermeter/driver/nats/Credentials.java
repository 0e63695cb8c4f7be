package io.brokermeter.driver.nats;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.spec.NamedParameterSpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * What a user proves its identity with: an NKey, an Ed25519 key in the form of NATS (base32 of a kind, the key and a CRC-16), and the JWT
 * that its account issued, if any. The server sends a nonce, which is returned signed; the seed never leaves this process. Immutable.
 */
final class Credentials {

    private static final Pattern SEED = Pattern.compile("(?m)^\\s*(SU[A-Z2-7]{56})\\s*$");
    private static final Pattern JWT = Pattern.compile("(?m)^\\s*([A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+)\\s*$");
    private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final int KEY_BYTES = 32;
    private static final int LONGEST_FILE = 1024 * 1024;

    private final @Nullable String jwt;
    private final char kind;
    private final KeyPair pair;

    private Credentials(@Nullable String jwt, char kind, KeyPair pair) {
        this.jwt = jwt;
        this.kind = kind;
        this.pair = pair;
    }

    /**
     * Reads a file of credentials, which has a JWT and a seed, or of a seed alone.
     *
     * @throws IllegalArgumentException with one sentence if the file has no valid seed of a user, or cannot be read
     */
    static Credentials read(String parameter, Path file) {
        String text;
        try {
            text = Files.size(file) > LONGEST_FILE ? "" : Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new IllegalArgumentException("Parameter " + parameter + " names '" + file + "', which cannot be read.", e);
        }
        Matcher seed = SEED.matcher(text);
        Matcher token = JWT.matcher(text);
        if (!seed.find()) {
            throw new IllegalArgumentException("Parameter " + parameter + " names '" + file
                + "', which has no seed of a user's NKey (a line SU...).");
        }
        try {
            return of(seed.group(1), token.find() ? token.group(1) : null);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("Parameter " + parameter + " names '" + file + "', whose seed is wrong ("
                + e.getMessage() + ").", e);
        }
    }

    /** @throws IllegalArgumentException if the seed is not valid; its text is not part of the message */
    static Credentials of(String seed, @Nullable String jwt) {
        byte[] bytes = fromBase32(seed);
        // two bytes for the kinds of a seed and of its key, then the key, then the checksum
        if (bytes.length != KEY_BYTES + 4) {
            throw new IllegalArgumentException("it has another length");
        }
        int checksum = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getShort(KEY_BYTES + 2) & 0xffff;
        if (checksum != crc(bytes, KEY_BYTES + 2)) {
            throw new IllegalArgumentException("its checksum does not match");
        }
        int kind = (bytes[0] & 7) << 5 | (bytes[1] & 0xf8) >> 3;
        return new Credentials(jwt, ALPHABET.charAt(kind >> 3), pair(Arrays.copyOfRange(bytes, 2, KEY_BYTES + 2)));
    }

    /** Returns the pair of a seed: the JDK derives a public key only while it generates a pair, from the bytes that its source gives it. */
    private static KeyPair pair(byte[] seed) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("Ed25519");
            generator.initialize(NamedParameterSpec.ED25519, new SecureRandom() {

                private static final long serialVersionUID = 1;

                @Override
                public void nextBytes(byte[] into) {
                    System.arraycopy(seed, 0, into, 0, into.length);
                }
            });
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This Java has no Ed25519.", e);
        }
    }

    /** Returns the public key in the form of NATS, which for a user begins with U. */
    String publicKey() {
        byte[] encoded = pair.getPublic().getEncoded();
        byte[] bytes = new byte[KEY_BYTES + 3];
        bytes[0] = (byte) (ALPHABET.indexOf(kind) << 3);
        System.arraycopy(encoded, encoded.length - KEY_BYTES, bytes, 1, KEY_BYTES);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putShort(KEY_BYTES + 1, (short) crc(bytes, KEY_BYTES + 1));
        return toBase32(bytes);
    }

    byte[] sign(byte[] what) {
        try {
            Signature signature = Signature.getInstance("Ed25519");
            signature.initSign(pair.getPrivate());
            signature.update(what);
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This Java cannot sign with Ed25519.", e);
        }
    }

    /** Returns the fields of CONNECT that answer a server's nonce, each with a comma behind it. */
    String answer(String nonce) {
        String signature = Base64.getUrlEncoder().withoutPadding().encodeToString(sign(nonce.getBytes(StandardCharsets.US_ASCII)));
        return (jwt == null ? "\"nkey\":\"" + publicKey() : "\"jwt\":\"" + jwt) + "\",\"sig\":\"" + signature + "\",";
    }

    /** CRC-16/XMODEM: polynomial 0x1021, begun with 0. */
    private static int crc(byte[] bytes, int length) {
        int crc = 0;
        for (int i = 0; i < length; i++) {
            crc ^= (bytes[i] & 0xff) << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = crc << 1 ^ ((crc & 0x8000) == 0 ? 0 : 0x1021);
            }
            crc &= 0xffff;
        }
        return crc;
    }

    /** RFC 4648, section 6, without padding. */
    private static byte[] fromBase32(String text) {
        byte[] bytes = new byte[text.length() * 5 / 8];
        BigInteger number = BigInteger.ZERO;
        for (int i = 0; i < text.length(); i++) {
            number = number.shiftLeft(5).or(BigInteger.valueOf(Math.max(0, ALPHABET.indexOf(text.charAt(i)))));
        }
        number = number.shiftRight(text.length() * 5 - bytes.length * 8);
        for (int i = bytes.length - 1; i >= 0; i--) {
            bytes[i] = number.byteValue();
            number = number.shiftRight(8);
        }
        return bytes;
    }

    private static String toBase32(byte[] bytes) {
        int digits = (bytes.length * 8 + 4) / 5;
        BigInteger number = new BigInteger(1, bytes).shiftLeft(digits * 5 - bytes.length * 8);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < digits; i++) {
            text.append(ALPHABET.charAt(number.byteValue() & 31));
            number = number.shiftRight(5);
        }
        return text.reverse().toString();
    }
}
