package io.brokermeter.contract.needs;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.brokermeter.contract.BrokerUnderTest;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Capability;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** The arguments of tests that are {@link Offered}. */
final class OfferedArguments implements ArgumentsProvider {

    @Override
    public Stream<Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
        return of(context.getRequiredTestMethod(), NeedsFilter.brokerOf(context.getRequiredTestClass())).map(Arguments::of);
    }

    /** Returns the arguments of each run of a test with a broker. */
    static Stream<Object[]> of(Method test, BrokerUnderTest broker) {
        List<AckMode> except = List.of(Objects.requireNonNull(test.getAnnotation(Offered.class)).except());
        List<List<Object>> all = List.of(List.of());
        for (Class<?> parameter : test.getParameterTypes()) {
            List<List<Object>> longer = new ArrayList<>();
            for (List<Object> each : all) {
                Arrays.stream(parameter.getEnumConstants()).filter(constant -> !except.contains(constant) && offers(broker, constant))
                    .forEach(constant -> longer.add(Stream.concat(each.stream(), Stream.of(constant)).toList()));
            }
            all = longer;
        }
        return all.stream().map(List::toArray);
    }

    private static boolean offers(BrokerUnderTest broker, Object constant) {
        if (constant instanceof AckMode mode) {
            return switch (mode) {
                case AUTO -> true;
                case BATCH -> broker.capabilities().contains(Capability.BATCH_ACKNOWLEDGEMENT);
                case TRANSACTED -> broker.capabilities().contains(Capability.TRANSACTED_RECEIVE);
            };
        }
        try {
            return NeedsFilter.meets(broker, constant.getClass().getField(((Enum<?>) constant).name()));
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(e);
        }
    }
}
