package io.brokermeter.contract.tls;

/** A listener with TLS before a broker. */
public interface Listener extends AutoCloseable {

    int port();

    @Override
    void close();

    /** Returns a front as a listener. */
    static Listener of(TlsFront front) {
        return of(front.port(), front::close);
    }

    /** Returns a listener on a port, with an action that closes it. */
    static Listener of(int port, Runnable end) {
        return new Listener() {

            @Override
            public int port() {
                return port;
            }

            @Override
            public void close() {
                end.run();
            }
        };
    }
}
