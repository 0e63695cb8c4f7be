package io.brokermeter.driver.jms;

import java.util.Set;

import io.brokermeter.spi.ProducerSettings;

/** Checks property names against the rules of Jakarta Messaging for names that a selector can use. */
public final class JmsNames {

    private static final Set<String> WORDS =
        Set.of("NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE");

    private JmsNames() {}

    /** @throws IllegalArgumentException with one sentence, if a header's name is not a valid property name */
    public static void check(ProducerSettings settings) {
        for (var variant : settings.variants()) {
            for (var name : variant.headers().keySet()) {
                if (!isAllowed(name)) {
                    throw new IllegalArgumentException(
                        "JMS does not allow '" + name + "' as the name of a header; a name consists of letters,"
                            + " digits, _ and $, does not begin with a digit, and is no word of the selectors.");
                }
            }
        }
    }

    private static boolean isAllowed(String name) {
        return !name.isEmpty() && !WORDS.contains(name) && Character.isJavaIdentifierStart(name.charAt(0))
            && name.chars().skip(1).allMatch(Character::isJavaIdentifierPart);
    }
}
