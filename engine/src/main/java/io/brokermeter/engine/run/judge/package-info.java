/** What a run says about itself: thresholds, steadiness, warm-up, and the verdict. */
@NullMarked
package io.brokermeter.engine.run.judge;

import org.jspecify.annotations.NullMarked;
