package io.brokermeter.trials;

import static org.assertj.core.api.Assertions.assertThat;

import io.brokermeter.experiment.published.Figure;
import io.brokermeter.reports.table.TableColumn;
import org.junit.jupiter.api.Test;

/** The modules that read scenario files and create tables do not know each other, but must name the same figures. */
class PublishedColumnsTest {

    @Test
    void eachFigureThatMayBePublishedHasAColumnInItsUnit() {
        for (Figure.Known known : Figure.Known.ALL) {
            String heading = TableColumn.ofKey(known.key()).map(TableColumn::heading).orElse("no column");
            assertThat(heading).as(known.key()).endsWith(switch (known.unit()) {
                case PER_SECOND -> "/s";
                case PERCENT -> "%";
                case MICROS -> "us";
                case SECONDS -> "seconds";
                case MESSAGES -> "messages";
                case COUNT, BYTES, BYTES_PER_SECOND -> "no such figure";
            });
        }
    }
}
