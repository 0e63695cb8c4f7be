package io.brokermeter.contract.needs;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;

import io.brokermeter.contract.BrokerUnderTest;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.PostDiscoveryFilter;

/**
 * Removes the tests whose {@link Needs} driver and broker do not meet when tests are discovered. A test that is skipped therefore lacks
 * something of the machine. JUnit's launcher finds this class by its service file. Starts no broker.
 */
public final class NeedsFilter implements PostDiscoveryFilter {

    @Override
    public FilterResult apply(TestDescriptor test) {
        return FilterResult.includedIf(!(test.getSource().orElse(null) instanceof MethodSource method)
            || !Tested.class.isAssignableFrom(method.getJavaClass()) || hasWhatItNeeds(method.getJavaClass(), method.getJavaMethod()));
    }

    private static boolean hasWhatItNeeds(Class<?> tests, Method test) {
        boolean offered = test.isAnnotationPresent(Offered.class);
        if (!offered && !test.isAnnotationPresent(Needs.class)) {
            return true;
        }
        BrokerUnderTest broker;
        try {
            broker = brokerOf(tests);
        } catch (RuntimeException | LinkageError e) {
            // each test of the class fails with it
            return true;
        }
        return meets(broker, test) && (!offered || OfferedArguments.of(test, broker).findAny().isPresent());
    }

    /** Returns the broker of a class of tests. */
    static BrokerUnderTest brokerOf(Class<?> tests) {
        return ((Tested) ReflectionSupport.newInstance(tests)).underTest();
    }

    /** Returns whether a broker and its driver have what a test or a constant needs. */
    static boolean meets(BrokerUnderTest broker, AnnotatedElement needing) {
        Needs needs = needing.getAnnotation(Needs.class);
        return needs == null || Arrays.stream(needs.traits()).allMatch(broker::has)
            && (needs.value().length == 0 || broker.capabilities().containsAll(List.of(needs.value())))
            && Arrays.stream(needs.fixtures()).allMatch(fixture -> fixture.isOf(broker));
    }
}
