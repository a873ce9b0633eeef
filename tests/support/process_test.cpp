// SPDX-License-Identifier: Apache-2.0
#include "support/process.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace fusec {
namespace {

TEST(Process, GivesOutputAndExitCode) {
    const ProcessResult result = run_process({"/bin/sh", "-c", "pwd; echo two >&2; read line; exit 3"}, "/tmp");
    EXPECT_TRUE(result.started);
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_EQ(result.output, "/tmp\ntwo\n");
    EXPECT_EQ(run_process({"/bin/sh", "-c", "kill -9 $$"}).exit_code, 128 + SIGKILL);
    EXPECT_EQ(run_process({"/no/such/program"}).exit_code, 127);
}

TEST(Process, FindsPrograms) {
    EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
    ASSERT_TRUE(find_program("sh"));
    EXPECT_EQ(find_program("sh")->filename(), "sh");
    EXPECT_FALSE(find_program("/no/such/program"));
    EXPECT_FALSE(find_program("no-such-program-anywhere"));
}

} // namespace
} // namespace fusec
