package io.brokermeter.trials.agents;

import java.io.PrintStream;

import io.brokermeter.trials.worker.Worker;

/** The main class of a worker process. */
final class WorkerMain {

    private WorkerMain() {}

    public static void main(String[] args) {
        PrintStream messages = System.out;
        System.setOut(System.err);
        System.exit(new Worker(System.in, messages).run());
    }
}
