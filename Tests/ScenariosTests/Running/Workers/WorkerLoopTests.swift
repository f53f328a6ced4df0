import Foundation
import Testing

@testable import Scenarios

@Suite struct WorkerLoopTests {
  /// A worker on a thread of this process, between two pipes.
  private final class Worker {
    private var reader = FrameReader()
    private var writer = FrameWriter()
    private let input = Pipe()
    private let output = Pipe()

    init() {
      let (from, to) = (input.fileHandleForReading, output.fileHandleForWriting)
      Thread.detachNewThread {
        WorkerLoop.work(input: from.fileDescriptor, output: to.fileDescriptor)
        try? to.close()
      }
      writer.add(PlaySettings().value)
    }

    /// The names of the scenarios that the job begins.
    func scenarios(of job: RunJob) -> [String] {
      writer.add(job.value)
      _ = writer.flush(to: input.fileHandleForWriting.fileDescriptor)
      var names: [String] = []
      while true {
        guard let message = reader.next().flatMap(WorkerMessage.init) else {
          guard reader.fill(from: output.fileHandleForReading.fileDescriptor) else { return names }
          continue
        }
        switch message {
        case .begins(_, let scenario, _): names.append(scenario.name)
        case .done: return names
        default: break
        }
      }
    }

    func end() { try? input.fileHandleForWriting.close() }
  }

  @Test("a file is opened once for consecutive jobs of its scenarios")
  func once() throws {
    let folder = try TemporaryFolder()
    try folder.write(Played.flow, to: "flow.lua")
    func write(_ file: String, _ prefix: String) throws {
      try folder.write(
        "flow \"flow.lua\" for i = 1, 5 do scenario(\"\(prefix)\" .. i, function() end) end",
        to: file)
    }
    try write("a.scenario.lua", "first ")
    try write("b.scenario.lua", "other ")
    let items = folder.select("a.scenario.lua", "b.scenario.lua").items
    let worker = Worker()
    defer { worker.end() }
    func names(_ item: Int, _ entries: [Int]) -> [String] {
      worker.scenarios(of: RunJob(number: 0, item: items[item], entries: entries))
    }
    #expect(names(0, [1]) == ["first 1"])
    try write("a.scenario.lua", "second ")
    #expect(names(0, [4]) == ["first 4"])
    #expect(names(0, [5, 2, 9, 0]) == ["first 2", "first 5"])
    #expect(names(1, [3]) == ["other 3"])
    #expect(names(0, [1]) == ["second 1"])
  }
}
