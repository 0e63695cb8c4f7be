package io.brokermeter.contract;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Base of tests with a broker. They run concurrently, since most of them wait most of the time. */
@Tag("slow")
@Timeout(value = 960, unit = TimeUnit.SECONDS)
@Execution(ExecutionMode.CONCURRENT)
public abstract class BrokerTest implements Subject {

    private final TestResources scene;

    protected BrokerTest(BrokerUnderTest broker) {
        this.scene = new TestResources(broker);
    }

    @Override
    public final TestResources scene() {
        return scene;
    }

    @AfterEach
    void closeEverything() throws Exception {
        scene.close();
    }
}
