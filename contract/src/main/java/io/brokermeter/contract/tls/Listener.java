package io.brokermeter.contract.tls;

/** A listener with TLS before a broker. */
public interface Listener extends AutoCloseable {

    int port();

    @Override
    void close() throws Exception;

    /** A front as a listener. */
    static Listener of(TlsFront front) {
        return of(front, () -> { });
    }

    /**
     * A front as a listener.
     *
     * @param closed called when it is closed
     */
    static Listener of(TlsFront front, Runnable closed) {
        return new Listener() {

            @Override
            public int port() {
                return front.port();
            }

            @Override
            public void close() {
                front.close();
                closed.run();
            }
        };
    }
}
