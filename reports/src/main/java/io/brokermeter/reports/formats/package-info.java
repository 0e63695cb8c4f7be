/** What is made of stored runs and sweeps: text, and files for people and for programs. */
@NullMarked
package io.brokermeter.reports.formats;

import org.jspecify.annotations.NullMarked;
