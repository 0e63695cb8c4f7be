package io.brokermeter.driver.jakarta;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSContext;

/** A factory that can create connections only, with or without a login. */
abstract class StubFactory implements ConnectionFactory {

    @Override
    public Connection createConnection(String user, String password) {
        return createConnection();
    }

    @Override
    public abstract Connection createConnection();

    @Override
    public JMSContext createContext() {
        throw new UnsupportedOperationException();
    }

    @Override
    public JMSContext createContext(String user, String password) {
        throw new UnsupportedOperationException();
    }

    @Override
    public JMSContext createContext(String user, String password, int mode) {
        throw new UnsupportedOperationException();
    }

    @Override
    public JMSContext createContext(int mode) {
        throw new UnsupportedOperationException();
    }
}
