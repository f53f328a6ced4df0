import Platform
import Testing

@testable import MoonlatchCLI

@Suite struct InputReportTests {
  private final class RecordedLines: Sendable {
    private let kept = Mutex<[String]>([])
    func add(_ line: String) { kept.withLock { $0.append(line) } }
    func take() -> [String] {
      kept.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
  }

  private let told = RecordedLines()
  private let chronicle: InputReport

  init() {
    let told = told
    chronicle = InputReport { told.add($0) }
  }

  @Test("lines held back are printed at the end if there are few")
  func few() {
    for n in 1...25 { chronicle.add(["\(n)", "  of \(n)"], isCommit: true) }
    #expect(told.take().count == 40)
    chronicle.end()
    #expect(told.take() == (21...25).flatMap { ["\($0)", "  of \($0)"] })
  }

  @Test("a single omitted transition and line are counted in the singular")
  func one() {
    for n in 1...20 { chronicle.add(["\(n)"], isCommit: true) }
    #expect(told.take().count == 20)
    chronicle.add(["21"], isCommit: true)
    chronicle.add(["printed"])
    for n in 22...26 { chronicle.add(["\(n)"], isCommit: true) }
    chronicle.end()
    #expect(
      told.take() == ["... and 1 more commit and 1 more line (:history lists the latest)"]
        + (22...26).map { "\($0)" })
  }

  @Test("of many printed lines only the last are shown")
  func printing() {
    for n in 1...21 { chronicle.add(["\(n)"], isCommit: true) }
    _ = told.take()
    for n in 1...1_000 { chronicle.add(["line \(n)"]) }
    chronicle.end()
    let lines = told.take()
    #expect(
      lines.first == "... and 1 more commit and 900 more lines (:history lists the latest)")
    #expect(lines.count == 101)
    #expect(lines.last == "line 1000")
  }

  @Test("each input has its own report, and lines held back by the previous one are printed first")
  func inputs() {
    for n in 1...30 { chronicle.add(["\(n)"], isCommit: true) }
    _ = told.take()
    chronicle.begin()
    #expect(told.take().count == 6)
    chronicle.add(["again"], isCommit: true)
    #expect(told.take() == ["again"])
    chronicle.end()
    chronicle.end()
    #expect(told.take() == [])
  }

  @Test("of many errors the first and the last are shown")
  func complaints() {
    var complaints = Diagnostics()
    #expect(complaints.isEmpty)
    for n in 1...26 { complaints.add("\(n)") }
    #expect(
      complaints.lines == (1...20).map { "\($0)" } + ["... and 1 more error"]
        + (22...26).map { "\($0)" })
  }
}
