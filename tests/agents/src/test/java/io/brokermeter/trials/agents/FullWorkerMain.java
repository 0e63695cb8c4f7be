package io.brokermeter.trials.agents;

import java.io.OutputStream;
import java.io.PrintStream;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.trials.worker.Worker;

/** The main class of a worker process whose output is full from the beginning: each write of a message blocks. */
final class FullWorkerMain {

    private FullWorkerMain() {}

    public static void main(String[] args) {
        System.setOut(System.err);
        System.exit(new Worker(System.in, new PrintStream(new OutputStream() {
            @Override
            public void write(int one) {
                while (true) {
                    LockSupport.park();
                }
            }
        })).run());
    }
}
