package io.brokermeter.engine.run;

/** Where parts of a run report what happens. Any thread may call; nothing blocks. */
interface RunEvents {

    /** Something the user should read; it does not make the run fail. */
    void notice(String sentence);

    /** The run cannot go on and fails with this sentence. */
    void fatal(String sentence, Throwable cause);
}
