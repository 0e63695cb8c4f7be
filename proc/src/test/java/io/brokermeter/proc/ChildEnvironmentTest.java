package io.brokermeter.proc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ChildEnvironmentTest {

    @Test
    void aChildGetsNoOptionsOfThisProgramAndNoPasswords() {
        ProcessBuilder builder = new ProcessBuilder("true");
        builder.environment().put("BROKERMETER_PASSWORD", "geheim");
        builder.environment().put("BROKERMETER_PROPERTY", "tlsKeyPassword=geheim");
        builder.environment().put("BROKER", "kept");
        assertThat(ChildEnvironment.withoutOwnVariables(builder).environment())
            .containsEntry("BROKER", "kept").doesNotContainKeys("BROKERMETER_PASSWORD", "BROKERMETER_PROPERTY");
    }
}
