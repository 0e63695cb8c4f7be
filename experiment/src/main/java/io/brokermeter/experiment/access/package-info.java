/** Whom a scenario talks to: brokers, endpoints, agents and their credentials. */
@NullMarked
package io.brokermeter.experiment.access;

import org.jspecify.annotations.NullMarked;
