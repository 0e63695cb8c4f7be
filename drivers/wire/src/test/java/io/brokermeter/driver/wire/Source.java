package io.brokermeter.driver.wire;

import java.nio.ByteBuffer;

/** A wire whose peer only sends. */
interface Source extends Wire {

    @Override
    default void write(ByteBuffer from) {}

    @Override
    default void end() {}

    @Override
    default void close() {}
}
