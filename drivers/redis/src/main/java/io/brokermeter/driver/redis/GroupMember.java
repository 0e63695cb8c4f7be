package io.brokermeter.driver.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A member of a consumer group, as reported by {@code XINFO CONSUMERS}. Redis keeps a member whose connection broke.
 *
 * @param pending number of messages that the member has not acknowledged
 * @param idleMillis milliseconds since the member last requested messages; before Redis 7.2, since it last received some
 * @param asksCount whether {@code idleMillis} counts from the last request
 */
record GroupMember(String name, long pending, long idleMillis, boolean asksCount) {

    /** The member of a group that holds the messages that other members left. */
    static final String NOBODY = "brokermeter-left";

    /** Factor by which a member with pending messages may be idle longer than one without. */
    private static final int AT_WORK = 10;

    boolean isNobody() {
        return name.equals(NOBODY);
    }

    /** Returns whether the member certainly does not return. */
    boolean isGone(long claimMillis) {
        return isNobody() || asksCount && pending == 0 && idleMillis > claimMillis;
    }

    /**
     * Returns whether the member most probably belonged to a run that was killed. A member with pending messages may be processing them,
     * many one after the other, and request none meanwhile.
     */
    boolean isAbandoned(long claimMillis) {
        return isNobody() || idleMillis > (pending == 0 ? claimMillis : AT_WORK * claimMillis);
    }

    /** Parses an answer to {@code XINFO CONSUMERS}. */
    static List<GroupMember> of(@Nullable Object answer) {
        List<GroupMember> members = new ArrayList<>();
        if (answer instanceof List<?> all) {
            for (Object each : all) {
                if (each instanceof List<?> fields) {
                    members.add(of(fields));
                }
            }
        }
        return members;
    }

    private static GroupMember of(List<?> fields) {
        Map<String, Object> values = new HashMap<>();
        for (int i = 0; i + 1 < fields.size(); i += 2) {
            if (fields.get(i) instanceof byte[] field && fields.get(i + 1) != null) {
                values.put(text(field), fields.get(i + 1));
            }
        }
        return new GroupMember(values.get("name") instanceof byte[] name ? text(name) : "", number(values.get("pending")),
            number(values.get("idle")), values.containsKey("inactive"));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static long number(@Nullable Object value) {
        return value instanceof Long number ? number : 0;
    }
}
