/**
 * Scenario files: the experiments that they describe, their trials, and all mistakes that a file can have, reported by file, line
 * and key. This package starts nothing and connects to nothing.
 */
@NullMarked
package io.brokermeter.experiment;

import org.jspecify.annotations.NullMarked;
