package io.brokermeter.driver.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A member of a consumer group, as {@code XINFO CONSUMERS} tells of it. Redis does not forget one whose connection broke.
 *
 * @param pending messages that it has not acknowledged
 * @param idleMillis since it asked for messages last; before Redis 7.2, since it got some
 * @param asksCount whether {@code idleMillis} is since it asked
 */
record GroupMember(String name, long pending, long idleMillis, boolean asksCount) {

    /** The member of a group that has what others left. */
    static final String NOBODY = "brokermeter-left";

    /** So many times longer may one be silent that has messages. */
    private static final int AT_WORK = 10;

    boolean isNobody() {
        return name.equals(NOBODY);
    }

    /** Whether it certainly does not come back. */
    boolean isGone(long claimMillis) {
        return isNobody() || asksCount && pending == 0 && idleMillis > claimMillis;
    }

    /** Whether it most probably belonged to a run that was killed. One that has messages may work on them, many one after the other, and ask for none meanwhile. */
    boolean isAbandoned(long claimMillis) {
        return isNobody() || idleMillis > (pending == 0 ? claimMillis : AT_WORK * claimMillis);
    }

    /** Reads an answer to {@code XINFO CONSUMERS}. */
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
