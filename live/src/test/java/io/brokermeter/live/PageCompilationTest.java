package io.brokermeter.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import javax.management.ObjectName;

import org.junit.jupiter.api.Test;

class PageCompilationTest {

    @Test
    void theJvmTakesTheDirectives() throws Exception {
        PageCompilation.limit();
        assertThat(ManagementFactory.getPlatformMBeanServer().invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"),
            "compilerDirectivesPrint", new Object[0], new String[0])).asString().contains("io/brokermeter/reports/*");
    }
}
