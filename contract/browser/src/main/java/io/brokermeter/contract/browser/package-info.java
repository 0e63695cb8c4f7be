/** A browser for tests of pages. */
@org.jspecify.annotations.NullMarked
package io.brokermeter.contract.browser;
