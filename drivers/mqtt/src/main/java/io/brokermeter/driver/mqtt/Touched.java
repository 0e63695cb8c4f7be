package io.brokermeter.driver.mqtt;

/** Something that has to do once for all packets of one read. Methods are called by the session's reader. */
abstract class Touched {

    /** In the session's list already. */
    boolean touched;

    /** Everything that one read brought was processed. */
    abstract void endOfBatch();
}
