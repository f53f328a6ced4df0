import Foundation
import Moonlatch
import Testing

/// The program of the README, in a package as strict as this one.
@Suite struct ReadmeProgramTests {
  private func URL(filePath: String) -> Foundation.URL {
    Foundation.URL(filePath: #filePath)
      .appending(path: "../../../../refund").appending(path: filePath).standardizedFileURL
  }

  @Test("the README's program says why a refund is refused")
  func program() throws {
    var lines: [String] = []
    func print(_ line: some CustomStringConvertible) { lines.append(line.description) }
    let host = try FlowHost(flow: URL(filePath: "refund.lua"))
    try host.dispatch("request", ["amount": 60])
    switch try host.dispatch("approve", ["by": "clerk"]) {
    case .passed(let commit): print(commit.changes)  // a line for each change: returned: 0 -> 60
    case .refused(let refusal): print(refusal)  // refused by gate approve: above 50, ask a manager
    case .failed(let failure): print(failure)  // file:line, message, traceback
    }
    #expect(lines == ["refused by gate approve: a refund above 50 needs a manager"])
  }
}
