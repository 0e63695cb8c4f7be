package io.brokermeter.contract.needs;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.brokermeter.spi.AckMode;
import org.junit.jupiter.params.provider.ArgumentsSource;

/** Gives a test, for each of its parameters, the constants of an enum that driver and broker offer, in all combinations. */
@ArgumentsSource(OfferedArguments.class)
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Offered {

    /** The modes for which there is nothing to test. */
    AckMode[] except() default {};
}
