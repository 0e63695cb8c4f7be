package io.brokermeter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.brokermeter.contract.subject.Fates.Silence;
import io.brokermeter.contract.subject.Settlements.Way;
import io.brokermeter.spi.AckMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherConstants;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Tests that the contract detects each fault of a driver, by the right test and with a message that names the fault. */
@Execution(ExecutionMode.CONCURRENT)
class FaultyDriversTest {

    /**
     * Returns the arguments for a fault that the contract must detect.
     *
     * @param tests methods of the contract that must fail
     * @param failures number of their runs that must fail, counting each set of parameters
     * @param says texts that each message must contain
     */
    private static Arguments found(DriverFault fault, List<String> tests, int failures, String... says) {
        return Arguments.of(fault, tests, failures, List.of(says));
    }

    static Stream<Arguments> faults() {
        String acknowledges = method("acknowledgesEverythingByTheEndOfTheConsumer", AckMode.class);
        String fates = method("callsTheFateOfASendUnknownThatNobodyKnows", Silence.class);
        return Stream.of(
            found(DriverFault.DEAF_CONSUMER, List.of("hearsWithinSecondsThatTheBrokerDied"), 1,
                "a connection that only receives was not notified of it"),
            found(DriverFault.ENDLESS_REQUESTS, List.of("givesUpWhatTheBrokerDoesNotAnswer"), 1, "each needs a time limit",
                "DECLARE", "DELETE", "DEPTH", "PRODUCER", "CONSUMER"),
            found(DriverFault.CONFIRMS_REFUSED,
                List.of("reportsARefusedMessageAsFailed", "reportsAMessageThatIsTooLargeForTheBrokerAsFailed"), 2,
                "a message that was refused must be reported as failed and not as confirmed"),
            found(DriverFault.LAST_UNACKNOWLEDGED, List.of(acknowledges), 2, "of 25 messages that it received", "not acknowledged"),
            found(DriverFault.LOSS_AT_CLOSE, List.of("aRegularCloseIsNoLoss"), 1,
                "the end of a connection that we closed was told as its loss"),
            found(DriverFault.NO_DELETE, List.of("deletesADestinationWithAllItHolds"), 1, "depth of a queue that was deleted"),
            found(DriverFault.DELAY_IN_SECONDS, List.of("deliversNothingBeforeItsTime"), 1, "the delay is rounded to something coarser"),
            found(DriverFault.SWALLOWED_ACKNOWLEDGEMENT, List.of(method("saysThatTheLastAcknowledgementFailed", AckMode.class)), 2,
                "close must throw, or the listener be notified that it failed"),
            found(DriverFault.FAILED_FOR_UNKNOWN, List.of(fates), 3, "their fate is unknown, they have not failed"),
            found(DriverFault.UNKNOWN_TWICE, List.of(fates), 3, "was reported twice"),
            found(DriverFault.ACKNOWLEDGES_WHAT_IS_LEFT, List.of(method("givesBackWhatItsConsumerLeaves", AckMode.class, Way.class)), 4,
                "of 28 messages that were left"),
            found(DriverFault.CLOSES_ONE_AFTER_ANOTHER, List.of("closesManyProducersWithPendingSendsWithinOneLimit"), 1,
                "where one producer and its connection close in", "one limit for all of them, not one for each"),
            found(DriverFault.FORGETS_PRODUCERS, List.of("reportsWhatIsPendingWhenTheConnectionIsClosed"), 1,
                "reported when the connection's close has returned"),
            found(DriverFault.DELETES_ONLY_WHAT_IS_THERE, List.of("takesADestinationThatIsNotThereForAnEmptyOne"), 1,
                "what is not there must do nothing"),
            found(DriverFault.IGNORES_TIME_TO_LIVE, List.of("deliversNothingThatHasExpired"), 1, "have expired", "brief 0"),
            found(DriverFault.IGNORES_CLIENT_ID, List.of("carriesAClientIdOrRefusesIt"), 1, "check accepts the client id"),
            found(DriverFault.IGNORES_LOGIN, List.of("carriesALoginOrRefusesIt"), 1, "check accepts the user"),
            found(DriverFault.NAMELESS_CLIENT, List.of("namesTheClientThatCarriesIt"), 1, "name and version of the client"));
    }

    private static String method(String name, Class<?>... parameters) {
        return name + "(" + String.join(",", Arrays.stream(parameters).map(Class::getName).toList()) + ")";
    }

    @ParameterizedTest
    @MethodSource("faults")
    void isFound(DriverFault fault, List<String> tests, int failures, List<String> says) {
        var messages = run(fault, tests);
        assertThat(messages).as("failures of a driver with the fault " + fault).hasSize(failures);
        for (var message : messages.values()) {
            assertThat(message).contains(says);
        }
    }

    @Test
    void noFaultIsLeftOut() {
        assertThat(faults().map(each -> each.get()[0])).containsExactlyInAnyOrderElementsOf(
            Arrays.stream(DriverFault.values()).filter(each -> each != DriverFault.NONE).toList());
    }

    /** Runs tests of the contract on a driver with a fault, and returns the messages of those that failed, by unique ID. */
    private static Map<String, String> run(DriverFault fault, List<String> tests) {
        var request = LauncherDiscoveryRequestBuilder.request()
            .selectors(tests.stream().map(test -> selectMethod(FaultyDriver.class.getName() + "#" + test)).toList())
            // all on this thread, which has the fault
            .configurationParameter("junit.jupiter.execution.parallel.enabled", "false")
            .configurationParameter(LauncherConstants.CAPTURE_STDOUT_PROPERTY_NAME, "false").build();
        var failures = new ConcurrentHashMap<String, String>();
        var listener = new TestExecutionListener() {

            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                result.getThrowable().filter(e -> result.getStatus() == TestExecutionResult.Status.FAILED)
                    .ifPresent(e -> failures.put(test.getUniqueId(), String.valueOf(e.getMessage())));
            }
        };
        ScopedValue.where(FaultyDriver.FAULT, fault).run(() -> LauncherFactory.create().execute(request, listener));
        return new TreeMap<>(failures);
    }
}
