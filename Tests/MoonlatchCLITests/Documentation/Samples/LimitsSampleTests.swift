import FlowHosting
import FlowKernel
import LuaRuntime
import Testing

/// The Swift, and the numbers, of the page on limits.
@Suite struct LimitsSampleTests: ReadsAsOnPage {
  let desk: Desk

  init() throws { desk = try Desk("LimitsAndSecurity") }

  @Test("an exceeded limit fails the dispatch, and the host stays usable")
  func reached() throws {
    let limits = Limits(instructionsPerDispatch: 100_000, memory: 8 << 20)
    let host = try FlowHost(flow: URL(filePath: "loop.lua"), options: HostOptions(limits: limits))
    if case .failed(let failure) = try host.dispatch("spin") {
      print(failure.kind)  // limit
      print(failure.summary)  // loop.lua:7: the instruction limit is reached (100000)
    }
    print(try host.dispatch("rest").isPassed)  // true
    try expectPrinted(as: "let limits")
  }

  @Test("the page has every limit with its default")
  func defaults() {
    for limit in Mirror(reflecting: Limits()).children {
      guard let name = limit.label, let number = limit.value as? Int else { continue }
      let row = "| `\(name)` | \(grouped(number)) |"
      #expect(desk.page.contains(row), "no row begins \(row)")
    }
  }

  /// A number with commas: `10,000`.
  private func grouped(_ number: Int) -> String {
    var text = ""
    for (index, digit) in "\(number)".reversed().enumerated() {
      if index > 0, index % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }
}
