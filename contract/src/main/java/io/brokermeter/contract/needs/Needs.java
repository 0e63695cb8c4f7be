package io.brokermeter.contract.needs;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.brokermeter.contract.BrokerTrait;
import io.brokermeter.contract.Fixture;
import io.brokermeter.spi.Capability;

/**
 * What driver and broker must have for a test, or for a constant that is an argument of tests ({@link Offered}). Where they lack any of it,
 * {@link NeedsFilter} lets the test not exist.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.FIELD})
public @interface Needs {

    /** The capabilities that the driver must have with the usual settings. */
    Capability[] value() default {};

    BrokerTrait[] traits() default {};

    Fixture[] fixtures() default {};
}
