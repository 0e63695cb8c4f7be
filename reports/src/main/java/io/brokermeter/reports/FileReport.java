package io.brokermeter.reports;

import java.io.IOException;

import io.brokermeter.engine.run.RunObserver;

/** A report that writes to a file of its own, and closes it at its end. */
public abstract class FileReport implements RunObserver {

    public final ReportFile file;

    public FileReport(ReportFile file) {
        this.file = file;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
