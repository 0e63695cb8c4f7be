package io.brokermeter.driver.redis;

import java.io.IOException;

/** An error with which the server answered a command, in its own words. The connection goes on. */
final class RedisError extends IOException {

    RedisError(String words) {
        super(words);
    }
}
