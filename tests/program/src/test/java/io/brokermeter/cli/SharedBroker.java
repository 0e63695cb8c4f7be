package io.brokermeter.cli;

import java.util.Objects;
import java.util.function.UnaryOperator;

import io.brokermeter.brokers.BrokerOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A broker outside the program under test for all tests of a class; used as a static field with {@code @RegisterExtension}. */
final class SharedBroker implements BeforeAllCallback, AfterAllCallback {

    private final UnaryOperator<BrokerOptions> change;
    private @Nullable TestBroker running;

    SharedBroker() {
        this(options -> options);
    }

    SharedBroker(UnaryOperator<BrokerOptions> change) {
        this.change = change;
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        running = TestBroker.start(change);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (running != null) {
            running.close();
        }
    }

    TestBroker get() {
        return Objects.requireNonNull(running);
    }

    String url() {
        return get().url();
    }
}
