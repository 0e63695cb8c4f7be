package io.brokermeter.contract.needs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.contract.BrokerTrait;
import io.brokermeter.contract.BrokerUnderTest;
import io.brokermeter.contract.DriverContract;
import io.brokermeter.contract.ListedBroker;
import io.brokermeter.contract.subject.Fates.Silence;
import io.brokermeter.contract.subject.Settlements.Way;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Capability;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Tests which tests of the contract there are for a driver and its broker. */
class NeedsTest {

    private static final ScopedValue<Set<?>> OFFERED = ScopedValue.newInstance();

    /** The contract of a driver and a broker that offer what the thread says. */
    static final class Listed extends DriverContract {

        Listed() {
            super(new ListedBroker(OFFERED.get()));
        }
    }

    /** The contract with a broker that cannot be described. */
    static final class Broken extends DriverContract {

        Broken() {
            super(List.<BrokerUnderTest>of().getFirst());
        }
    }

    /** Returns the tests of the contract, by name. */
    private static Set<String> contract(Predicate<Method> which) {
        return Arrays.stream(DriverContract.class.getMethods())
            .filter(method -> AnnotationSupport.isAnnotated(method, Test.class)
                || AnnotationSupport.isAnnotated(method, ParameterizedTest.class))
            .filter(which).map(Method::getName).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns everything that a test of the contract needs. */
    static Set<Object> everything() {
        return Arrays.stream(DriverContract.class.getMethods()).flatMap(method -> named(method).stream()).collect(Collectors.toSet());
    }

    private static Set<Object> named(Method test) {
        var needs = test.getAnnotation(Needs.class);
        return needs == null ? Set.of()
            : Stream.of(needs.value(), needs.traits(), needs.fixtures()).flatMap(Arrays::stream).collect(Collectors.toSet());
    }

    /** Returns the tests that there are for a driver and a broker that offer something, by name. */
    private static Set<String> discovered(Set<?> offered, DiscoverySelector... selectors) {
        var request = LauncherDiscoveryRequestBuilder.request().selectors(selectors).build();
        var plan = ScopedValue.where(OFFERED, offered).call(() -> LauncherFactory.create().discover(request));
        return plan.getRoots().stream().flatMap(root -> plan.getDescendants(root).stream()).flatMap(test -> test.getSource().stream())
            .filter(org.junit.platform.engine.support.descriptor.MethodSource.class::isInstance)
            .map(source -> ((org.junit.platform.engine.support.descriptor.MethodSource) source).getMethodName())
            .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<Object> everythingBut(Object... missing) {
        var rest = new HashSet<>(everything());
        rest.addAll(List.of(Capability.BATCH_ACKNOWLEDGEMENT, Capability.TRANSACTED_RECEIVE));
        rest.removeAll(List.of(missing));
        return rest;
    }

    @Test
    void whoOffersEverythingHasAllTests() {
        assertThat(discovered(everythingBut(), selectClass(Listed.class))).isEqualTo(contract(_ -> true))
            .contains("deliversEveryMessageWithItsBytes", "reportsEveryTokenWhenTheBrokerCameBack");
    }

    @Test
    void whoOffersNothingHasTheTestsThatNeedNothing() {
        var tests = contract(test -> named(test).isEmpty());
        assertThat(tests).contains("deliversEveryMessageWithItsBytes", "aRegularCloseIsNoLoss",
            "acknowledgesEverythingByTheEndOfTheConsumer");
        assertThat(discovered(Set.of(), selectClass(Listed.class))).isEqualTo(tests);
    }

    @ParameterizedTest
    @MethodSource("everything")
    void whoLacksOneThingLacksTheTestsThatNeedIt(Object thing) {
        var tests = contract(test -> !named(test).contains(thing));
        assertThat(tests).isNotEqualTo(contract(_ -> true));
        assertThat(discovered(everythingBut(thing), selectClass(Listed.class))).isEqualTo(tests);
    }

    @Test
    void whoCannotGiveBackHasNoTestOfIt() {
        var none = discovered(everythingBut(Capability.BATCH_ACKNOWLEDGEMENT, Capability.TRANSACTED_RECEIVE), selectClass(Listed.class));
        assertThat(none).isEqualTo(contract(test -> !test.getName().equals("deliversAgainWhatWasNotAcknowledged")));
    }

    @Test
    void aTestIsFoundByItsNameWhereThereIsOne() {
        var test = selectMethod(Listed.class, "countsWaitingMessages");
        assertThat(discovered(Set.of(Capability.DEPTH), test)).containsExactly("countsWaitingMessages");
        assertThat(discovered(Set.of(), test)).isEmpty();
    }

    @Test
    void aClassThatCannotBeMadeKeepsItsTests() {
        assertThat(discovered(Set.of(), selectClass(Broken.class))).isEqualTo(contract(_ -> true));
    }

    static Stream<Arguments> runs() {
        var simple = List.of(List.of(AckMode.AUTO, Way.PUSHED), List.of(AckMode.AUTO, Way.PUSHED_INLINE));
        return Stream.of(
            Arguments.of("givesBackWhatItsConsumerLeaves", Set.of(), simple),
            Arguments.of("givesBackWhatItsConsumerLeaves", Set.of(Capability.POLLING, Capability.TRANSACTED_RECEIVE),
                Stream.of(AckMode.AUTO, AckMode.TRANSACTED).flatMap(mode -> Stream.of(Way.values()).map(way -> List.of(mode, way)))
                    .toList()),
            Arguments.of("deliversAgainWhatWasNotAcknowledged", Set.of(), List.of()),
            Arguments.of("deliversAgainWhatWasNotAcknowledged", Set.of(Capability.BATCH_ACKNOWLEDGEMENT), List.of(List.of(AckMode.BATCH))),
            Arguments.of("callsTheFateOfASendUnknownThatNobodyKnows", Set.of(),
                List.of(List.of(Silence.WITHHELD_CONFIRMATIONS), List.of(Silence.MUTE_BROKER))),
            Arguments.of("callsTheFateOfASendUnknownThatNobodyKnows", Set.of(BrokerTrait.ENDS_BY_A_CUT),
                Stream.of(Silence.values()).map(List::of).toList()));
    }

    @ParameterizedTest
    @MethodSource("runs")
    void aTestRunsWithTheArgumentsThatAreOffered(String test, Set<?> offered, List<List<Object>> arguments) {
        var method = Arrays.stream(DriverContract.class.getMethods()).filter(each -> each.getName().equals(test)).findAny().orElseThrow();
        assertThat(OfferedArguments.of(method, new ListedBroker(offered)).map(List::of)).isEqualTo(arguments);
    }
}
