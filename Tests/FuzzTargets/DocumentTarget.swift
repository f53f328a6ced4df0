import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime

/// Loads the bytes as an SCXML document, dispatches the events that it waits for, and lets time pass.
///
/// Any text must load or report errors, two runs must have the same results, and a dispatch that does not pass must
/// change nothing.
func playDocument(_ bytes: [UInt8]) throws {
  let text = String(decoding: bytes, as: UTF8.self)
  let first = try course(of: text)
  let second = try course(of: text)
  try require(first == second, "two runs differ:\n\(first)\n\(second)")
}

private func course(of text: String) throws -> [String] {
  var told: [String] = []
  do {
    let flow = try LoadedFlow(
      source: text, name: "fuzzed.scxml", limits: smallLimits, print: { _ in })
    let options = HostOptions(
      limits: smallLimits, clock: .virtual, print: { _ in }, report: { _ in })
    let host = try FlowHost(flow, options: options)
    for _ in 0..<2 {
      for event in flow.flow.actionNames.prefix(8) {
        let (before, revision) = (try host.state(), try host.revision)
        let outcome = try host.dispatch(event, ["n": 1, "t": "a"])
        told.append("\(outcome)")
        if try host.revision == revision {
          try require(
            try host.state() == before,
            "\(event) changed the state without a transition: \(outcome)")
        }
      }
      try host.advance(1)
    }
    told.append("\(try host.state())")
    let (state, revision) = (try host.state(), try host.revision)
    try host.go(to: max(0, revision - 10))
    try host.go(to: revision)
    try require(try host.state().loose == state.loose, "undo and redo make another state")
  } catch let error as FlowError {
    try require(!error.faults.isEmpty, "it is refused without a reason")
    told += error.faults.map(\.description)
  } catch let error as ScriptError {
    told.append("\(error)")
  }
  return told
}
