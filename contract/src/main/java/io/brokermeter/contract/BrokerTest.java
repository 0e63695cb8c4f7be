package io.brokermeter.contract;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.ResourceLockTarget;

/** Tests over a broker. They run at the same time, since most of them wait most of the time. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = BrokerTest.THREADS, mode = ResourceAccessMode.READ, target = ResourceLockTarget.CHILDREN)
public abstract class BrokerTest implements Subject {

    /** The threads of this JVM: a test that looks at those of others needs it for itself. */
    public static final String THREADS = "threads";

    private final Scene scene;

    protected BrokerTest(BrokerUnderTest broker) {
        this.scene = new Scene(broker);
    }

    @Override
    public final Scene scene() {
        return scene;
    }

    @AfterEach
    void closeEverything() throws Exception {
        scene.close();
    }
}
