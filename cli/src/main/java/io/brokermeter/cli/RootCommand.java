package io.brokermeter.cli;

import picocli.CommandLine.Command;

/** The command {@code brokermeter} itself, which has the sub-commands. */
@Command(name = "brokermeter",
    description = "Put an exact load on a message broker, and say what the broker did and how sure that is.",
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%nExamples:%n",
    footer = {
        "  brokermeter client --duration 20 --show-latency queue://TEST_QUEUE",
        "  brokermeter run scenarios/rocketmq/sync-send.yaml --scale 0.05",
        "  brokermeter replay last",
        "  brokermeter client --help",
        "",
        "Every option can be set by an environment variable: BROKERMETER_MAX_PENDING for --max-pending.",
        "Exit status: 0 passed, 1 failed, 2 wrong usage, 3 invalid, since the generator was measured (of client,",
        "producer and consumer with a threshold or --verdict-fails), 99 passed but for a threshold, 129, 130 and 143",
        "ended by SIGHUP, Ctrl-C and SIGTERM after the summary."})
final class RootCommand {}
