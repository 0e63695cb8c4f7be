package io.brokermeter.reports;

import java.io.IOException;

import io.brokermeter.engine.run.RunObserver;

/** A report in a file of its own, which ends with it. */
abstract class FileReport implements RunObserver {

    final ReportFile file;

    FileReport(ReportFile file) {
        this.file = file;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
