/** A JUnit extension that runs scenarios against the broker of a test. */
@org.jspecify.annotations.NullMarked
package io.brokermeter.junit;
