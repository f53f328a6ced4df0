import FlowKernel
import Testing

@testable import Scenarios

@Suite struct RecordedVariantsTests {
  private func variants(_ log: String) throws -> (RecordedVariants, [String]) {
    let flow = try LoadedFlow(source: "action.add { n = integer {} }\naction.take {}")
    var options = Replay.Options()
    (options.caseColumn, options.actionColumn, options.timeColumn) = ("case", "do", "")
    var malformed: [String] = []
    let events = try RecordedEvents(
      flow.flow, options: options, log: .text(source(log.utf8)))
    let found = try RecordedVariants(events) { malformed.append("\($0): \($1)") }
    return (found, malformed)
  }

  @Test("cases with the same events are one variant, even if their rows are interleaved")
  func alike() throws {
    let (found, malformed) = try variants(
      "case,do,n,note\na,add,1,x\nb,add,1,y\nc,add,2,\na,take,,\nb,take,5,\n,add,1,\n")
    #expect(found.variants.map(\.events) == [[0, 2], [1]])
    #expect(found.variants.map(\.cases) == [2, 1])
    #expect(found.variants.map(\.firstCase) == ["a", "c"])
    #expect(found.variants.map(\.lines) == [[2, 5], [4]])
    #expect(found.events.map(\.action) == ["add", "add", "take"])
    #expect(found.events[1].payload == ["n": 2])
    #expect((found.cases, found.rows, found.malformed, found.skipped) == (3, 6, 1, 0))
    #expect(malformed == ["7: no case in \"case\""])
  }

  @Test("missing columns are reported as by replay")
  func columns() throws {
    let error = #expect(throws: LogError.self) { try variants("cases,do\na,add\n") }
    #expect(
      error?.description
        == #"the log has no column "case"; did you mean "cases"?; name it with --case "#
        + #"(its columns: "cases", "do")"#
    )
  }
}
