package io.brokermeter.cli;

import java.util.Objects;
import java.util.function.UnaryOperator;

import io.brokermeter.brokers.BrokerOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * A broker outside the program under test for all tests of a class; used as a static field with {@code @RegisterExtension}. One without
 * options of its own is the same for all classes, so their queues must have different names.
 */
final class SharedBroker implements BeforeAllCallback, AfterAllCallback {

    private final @Nullable UnaryOperator<BrokerOptions> change;
    private @Nullable TestBroker running;

    SharedBroker() {
        this(null);
    }

    SharedBroker(@Nullable UnaryOperator<BrokerOptions> change) {
        this.change = change;
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        running = change != null ? TestBroker.start(change)
            : context.getRoot().getStore(Namespace.GLOBAL).computeIfAbsent(TestBroker.class, _ -> forAll(), TestBroker.class);
    }

    /** Starts the broker that JUnit closes after all tests. */
    private static TestBroker forAll() {
        try {
            return TestBroker.start();
        } catch (Exception e) {
            throw new IllegalStateException("The broker of all classes does not start.", e);
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (change != null) {
            get().close();
        }
    }

    TestBroker get() {
        return Objects.requireNonNull(running);
    }

    String url() {
        return get().url();
    }
}
