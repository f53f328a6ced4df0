import Testing

@testable import Scenarios

@Suite struct WorkerMessageTests {
  @Test("a job arrives as it was given")
  func job() {
    var job = RunJob(
      number: 7, item: Selection.Item(path: "/a/b", name: "b", lines: [3, 9]), entries: [1, 4],
      attempt: 2)
    job.after = 1
    let again = RunJob(job.value)
    #expect(again.number == 7)
    #expect(again.item == job.item)
    #expect(again.entries == [1, 4])
    #expect(again.attempt == 2)
    #expect(again.after == 1)
    #expect(RunJob(RunJob(number: 0, item: job.item).value).entries == nil)
  }

  @Test("messages arrive as they were told")
  func messages() {
    guard
      case .begins(3, Sample.record, 5)? = WorkerMessage(
        WorkerMessage.begins(job: 3, scenario: Sample.record, index: 5).value),
      case .event(4, .nothing("n"))? = WorkerMessage(
        WorkerMessage.event(job: 4, .nothing("n")).value),
      case .done(0)? = WorkerMessage(WorkerMessage.done(job: 0).value)
    else {
      Issue.record("a message did not arrive")
      return
    }
    #expect(WorkerMessage(7) == nil)
  }

  @Test("settings arrive as they were given")
  func settings() {
    var settings = PlaySettings()
    settings.seed = .max
    settings.tellsEveryStep = true
    #expect(PlaySettings(settings.value) == settings)
  }
}
