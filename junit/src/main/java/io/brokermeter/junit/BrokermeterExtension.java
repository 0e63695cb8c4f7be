package io.brokermeter.junit;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives a test a {@link Measurement}: {@code @ExtendWith(BrokermeterExtension.class)} on a class, and a parameter of that type. The files of the
 * runs go to {@code target/brokermeter}, or to the directory that the configuration parameter {@code brokermeter.directory} names.
 */
public final class BrokermeterExtension implements ParameterResolver {

    static final String DIRECTORY = "brokermeter.directory";

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return parameter.getParameter().getType() == Measurement.class;
    }

    @Override
    public Measurement resolveParameter(ParameterContext parameter, ExtensionContext test) {
        String directory = test.getConfigurationParameter(DIRECTORY).orElse("target/brokermeter");
        String name = test.getRequiredTestClass().getSimpleName() + test.getTestMethod().map(method -> "." + method.getName()).orElse("");
        // The id tells apart what has one name: the invocations of a template, and classes of several packages.
        String id = UUID.nameUUIDFromBytes(test.getUniqueId().getBytes(StandardCharsets.UTF_8)).toString().substring(0, 8);
        AtomicInteger runs = test.getStore(ExtensionContext.Namespace.create(BrokermeterExtension.class, test.getUniqueId()))
            .getOrComputeIfAbsent(AtomicInteger.class);
        return new Measurement(Path.of(directory), name + "-" + id, runs);
    }
}
