package io.brokermeter.engine.finding;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

class FindingTest {

    @Test
    void eachTypeIsARecordWithAKindOfItsOwn() {
        List<Class<?>> types = Arrays.stream(Finding.class.getPermittedSubclasses())
            .<Class<?>>flatMap(kind -> Arrays.stream(kind.getPermittedSubclasses())).toList();
        assertThat(types).hasSizeGreaterThan(25).allMatch(Class::isRecord);
        assertThat(new Finding.SendsFailed(1, Map.of()).kind()).isEqualTo("sends-failed");
        assertThat(new Finding.Lost(1, true, Duration.ZERO).kind()).isEqualTo("lost");
        assertThat(new Finding.NotSentInTime(0, 0, 1, new Finding.Reason(Finding.Blame.SLOW_BROKER, 1, null)).kind())
            .isEqualTo("not-sent-in-time");
    }
}
