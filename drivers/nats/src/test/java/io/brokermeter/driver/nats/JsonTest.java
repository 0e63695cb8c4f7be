package io.brokermeter.driver.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {

    @Test
    void findsValuesByTheirPaths() throws IOException {
        Json json =
            Json.parse(" {\"a\": {\"b\":-12, \"c\" : [1, {\"d\":\"x\\\"\\u0041\\n\"}, []]},\"e\":true,\"f\":null,\"g\":1.5e3,\"h\":{}} ");
        assertThat(json.number("a.b")).isEqualTo(-12);
        assertThat(json.text("a.c.1.d")).isEqualTo("x\"A\n");
        assertThat(json.flag("e")).isTrue();
        assertThat(json.has("f")).isFalse();
        assertThat(json.text("g")).isEqualTo("1.5e3");
        assertThat(json.has("h")).isTrue();
        assertThat(json.number("nowhere")).isZero();
    }

    @Test
    void quotesWhatItReads() throws IOException {
        String odd = "a \"b\" \\ c";
        assertThat(Json.parse("{\"k\":" + Json.quoted(odd) + "}").text("k")).isEqualTo(odd);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "{\"a\":", "{\"a\":}", "[1,", "{\"a\":\"\\u00", "\u0001"})
    void refusesWhatIsNoJson(String text) {
        assertThatThrownBy(() -> Json.parse(text)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> Json.parse("[".repeat(10_000))).isInstanceOf(IOException.class);
    }
}
