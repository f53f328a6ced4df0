import ArgumentParser
import Scenarios
import SharedCommands
import Testing

@testable import MoonlatchCLI

@Suite struct ExitStatusTests {
  private func status(_ change: (inout RunSummary) -> Void) -> ExitCode {
    var summary = RunSummary()
    change(&summary)
    return ExitStatus.of(summary)
  }

  @Test("a run without failures exits with 0, skipped scenarios included")
  func well() {
    #expect(status { $0.passed = 3 } == .success)
    #expect(status { $0.skipped = 1 } == .success)
  }

  @Test("each kind of failure has its exit code")
  func kinds() {
    #expect(status { $0.failed = 1 } == ExitCode(1))
    #expect(status { $0.unloadable = 1 } == ExitCode(2))
    #expect(status { $0.broken = 1 } == ExitCode(3))
    #expect(status { _ in } == ExitCode(4))
  }

  @Test("of several exit codes, 2 takes precedence over 3, and 3 over 1")
  func precedence() {
    #expect(
      status {
        $0.failed = 1
        $0.broken = 1
        $0.passed = 5
      } == ExitCode(3))
    #expect(
      status {
        $0.failed = 1
        $0.broken = 1
        $0.unloadable = 1
      } == ExitCode(2))
  }

  @Test("the more serious of two exit codes wins, and bounded is less serious than failed")
  func worse() {
    #expect(ExitStatus.worse(.success, ExitStatus.bounded) == ExitCode(6))
    #expect(ExitStatus.worse(ExitStatus.failed, ExitStatus.bounded) == ExitCode(1))
    #expect(ExitStatus.worse(ExitStatus.failed, ExitStatus.unloadable) == ExitCode(2))
    #expect(ExitStatus.worse(ExitStatus.internalFault, ExitStatus.unloadable) == ExitCode(70))
    #expect(ExitStatus.worse(ExitStatus.interrupted, ExitStatus.internalFault) == ExitCode(130))
    #expect(ExitStatus.worse(.success, .success) == .success)
  }
}
