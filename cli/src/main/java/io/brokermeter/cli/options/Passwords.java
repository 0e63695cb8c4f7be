package io.brokermeter.cli.options;

import java.io.Console;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Path;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.message.BoundedText;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.trials.IoCause;
import org.jspecify.annotations.Nullable;

/** Reads passwords from the option itself, from a file, or from the terminal. */
public final class Passwords {

    private Passwords() {}

    /**
     * Reads a password. Blocks when the user is asked for it.
     *
     * @param text value of the option; empty to ask on the terminal, which must exist then
     * @param file file whose first line is the password, or null for none
     * @param option name of the option, for messages
     * @return the password, or null for none
     * @throws UsageException when the password cannot be read
     */
    public static @Nullable Secret resolve(@Nullable String text, @Nullable Path file, String option) {
        if (file != null) {
            return fromFile(file, option + "-file");
        }
        if (text == null) {
            return null;
        }
        return text.isEmpty() ? ask(option) : Secret.of(text);
    }

    /** Returns a placeholder for a password that was not read yet, so that a check can tell whether there will be one; null for none. */
    public static @Nullable Secret announced(@Nullable String text, @Nullable Path file, String option) {
        return text == null && file == null ? null : Secret.of("***");
    }

    /** Asks for a password on the terminal; returns null when there is no terminal or the answer is empty. */
    public static @Nullable Secret asked(String what) {
        Console console = System.console();
        if (console == null || !console.isTerminal()) {
            return null;
        }
        char[] answer = console.readPassword("%s, which the files of the run do not keep: ", what);
        return answer == null || answer.length == 0 ? null : Secret.of(new String(answer));
    }

    private static Secret fromFile(Path file, String option) {
        try {
            String line = BoundedText.firstLine(file);
            if (line.isEmpty()) {
                throw new UsageException(option + " " + file + " has no password in its first line.");
            }
            return Secret.of(line);
        } catch (BoundedText.TooLong e) {
            throw new UsageException(option + " " + file + " has a first line of more than 64 KiB, which no password is.");
        } catch (CharacterCodingException e) {
            throw new UsageException(option + " " + file + " is not a text in UTF-8.");
        } catch (IOException e) {
            throw new UsageException(option + " " + file + " cannot be read: " + IoCause.of(e) + ".");
        }
    }

    private static Secret ask(String option) {
        Console console = System.console();
        if (console == null || !console.isTerminal()) {
            throw new UsageException(option + " is empty and there is no terminal to ask on; use " + option
                + "-file or an environment variable.");
        }
        char[] answer = console.readPassword("%s: ", option.substring(2));
        if (answer == null || answer.length == 0) {
            throw new UsageException(option + " was not answered.");
        }
        return Secret.of(new String(answer));
    }
}
