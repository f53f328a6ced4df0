import HostFiles
import Testing

@testable import Scenarios

@Suite struct WorkerMessageTests {
  @Test("a job is decoded as it was encoded")
  func job() throws {
    var job = RunJob(
      number: 7,
      item: Selection.Item(path: "/a/b", name: "b", lines: [3, 9], problem: "it is not there"),
      entries: [1, 4], attempt: 2)
    job.after = 1
    let again = try #require(RunJob(job.value))
    #expect(again.number == 7)
    #expect(again.item == job.item)
    #expect(again.entries == [1, 4])
    #expect(again.attempt == 2)
    #expect(again.after == 1)
    let plain = RunJob(number: 0, item: Selection.Item(path: "/a", name: "a"))
    #expect(RunJob(plain.value)?.entries == nil)
    #expect(RunJob(plain.value)?.item == plain.item)
    #expect(RunJob(7) == nil)
    #expect(RunJob([7]) == nil)
  }

  @Test("messages are decoded as they were encoded")
  func messages() {
    guard
      case .event(4, .nothing("n"))? = WorkerMessage(
        WorkerMessage.event(job: 4, .nothing("n")).value),
      case .event(4, .ended(Sample.record))? = WorkerMessage(
        WorkerMessage(.ended(Sample.record), job: 4).value),
      case .done(0)? = WorkerMessage(WorkerMessage.done(job: 0).value)
    else {
      Issue.record("a message did not arrive")
      return
    }
    #expect(WorkerMessage(7) == nil)
    #expect(WorkerMessage([0, 1]) == nil)
    #expect(WorkerMessage([3, 1]) == nil)
  }

  @Test("the message of a starting scenario has everything that a crash report needs")
  func begins() {
    var begun = ScenarioRecord(file: "a", line: 2, name: "it", status: .crashed)
    begun.tags = ["slow"]
    begun.attempt = 3
    guard
      case .begins(3, begun, 5)? = WorkerMessage(
        WorkerMessage.begins(job: 3, scenario: begun, index: 5).value)
    else {
      Issue.record("the message did not arrive")
      return
    }
  }

  @Test("a passed scenario without details is sent in short form, and any other in full")
  func passed() {
    var record = ScenarioRecord(file: "a", line: 2, name: "it", status: .passed)
    record.microseconds = 12
    guard case .passed(3, 12)? = WorkerMessage(WorkerMessage(.ended(record), job: 3).value) else {
      Issue.record("it was not told in short")
      return
    }
    var printed = record
    printed.printed = ["hello"]
    var stepped = record
    stepped.steps = [Sample.step]
    var skipped = record
    skipped.status = .skipped
    for other in [printed, stepped, skipped] {
      guard case .event(3, .ended(other)) = WorkerMessage(.ended(other), job: 3) else {
        Issue.record("it was not told in full")
        return
      }
    }
  }

  @Test("settings are decoded as they were encoded")
  func settings() {
    var settings = PlaySettings()
    settings.seed = .max
    settings.tellsEveryStep = true
    #expect(PlaySettings(settings.value) == settings)
    for option in [nil, "none", "a/b.host.lua"] {
      settings.live = LiveSettings(
        hostFile: HostFileChoice(option: option), allowsPrivate: option == "none",
        allowsCommands: option == nil)
      #expect(PlaySettings(settings.value) == settings)
    }
  }
}
