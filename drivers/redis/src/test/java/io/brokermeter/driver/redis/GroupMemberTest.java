package io.brokermeter.driver.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

class GroupMemberTest {

    private static List<Object> fields(Object... all) {
        return Stream.of(all).map(each -> each instanceof String text ? text.getBytes(StandardCharsets.UTF_8) : each).toList();
    }

    /** Since Redis 7.2 requests without a result end the idle time as well, and members have the additional field {@code inactive}. */
    @Test
    void readsTheAnswersOfOldAndNewServers() {
        assertThat(GroupMember.of(List.of(fields("name", "a", "pending", 3L, "idle", 50L),
            fields("name", "brokermeter-left", "pending", 0L, "idle", 7L, "inactive", 90L))))
            .containsExactly(new GroupMember("a", 3, 50, false), new GroupMember(GroupMember.NOBODY, 0, 7, true));
        assertThat(GroupMember.of(null)).isEmpty();
    }

    @Test
    void isGoneForGoodWhenItAsksNoMoreAndHasNothing() {
        assertThat(new GroupMember("a", 0, 31_000, true).isGone(30_000)).isTrue();
        assertThat(new GroupMember("a", 0, 29_000, true).isGone(30_000)).isFalse();
        assertThat(new GroupMember("a", 1, 31_000, true).isGone(30_000)).as("its messages may be in work").isFalse();
        assertThat(new GroupMember("a", 0, 31_000, false).isGone(30_000)).as("it may be asking in vain").isFalse();
        assertThat(new GroupMember(GroupMember.NOBODY, 5, 0, false).isGone(30_000)).isTrue();
    }

    @Test
    void isNotAbandonedWhileItMayWorkOnWhatItHas() {
        assertThat(new GroupMember("a", 0, 31_000, false).isAbandoned(30_000)).isTrue();
        assertThat(new GroupMember("a", 0, 29_000, false).isAbandoned(30_000)).isFalse();
        assertThat(new GroupMember("a", 100, 40_000, true).isAbandoned(30_000)).as("100 messages of 0.4 s each").isFalse();
        assertThat(new GroupMember("a", 100, 301_000, true).isAbandoned(30_000)).isTrue();
        assertThat(new GroupMember(GroupMember.NOBODY, 5, 0, false).isAbandoned(30_000)).isTrue();
    }
}
