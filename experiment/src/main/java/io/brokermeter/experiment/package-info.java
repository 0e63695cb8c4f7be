/**
 * Scenario files: what an experiment is, its trials, and every mistake a file can have, named by file, line and key. Starts
 * nothing and connects nowhere.
 */
@NullMarked
package io.brokermeter.experiment;

import org.jspecify.annotations.NullMarked;
