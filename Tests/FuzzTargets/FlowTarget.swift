import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime
import StateBlocks

/// Loads the bytes as a flow and dispatches each of its actions, twice over.
///
/// Both runs must report the same, and a dispatch that does not pass must change nothing.
func playFlow(_ bytes: [UInt8]) throws {
  let text = String(decoding: bytes, as: UTF8.self)
  let first = try course(of: text)
  let second = try course(of: text)
  try require(first == second, "two runs differ:\n\(first)\n\(second)")
}

private func course(of text: String) throws -> [String] {
  do {
    let flow = try LoadedFlow(
      source: text, name: "fuzzed.lua", limits: smallLimits, print: { _ in })
    let options = HostOptions(
      limits: smallLimits, clock: .virtual, print: { _ in }, report: { _ in })
    return try course(of: FlowHost(flow, options: options), actions: flow.flow.actionNames)
  } catch let error as FlowError {
    return error.faults.map(\.description)
  } catch let error as ScriptError {
    return ["\(error)"]
  }
}

private func course(of host: FlowHost, actions: [String]) throws -> [String] {
  var told: [String] = []
  for action in actions.prefix(10) {
    for payload in [[:], ["amount": 1, "id": "a"]] as [Value] {
      told.append("\(try host.may(action, payload))")
      let before = try host.state()
      let revision = try host.revision
      let outcome = try host.dispatch(action, payload)
      told.append("\(outcome)")
      let after = try host.state()
      // An effect may have dispatched another action.
      if try host.revision == revision {
        try require(after == before, "\(action) changed the state without a transition: \(outcome)")
      }
    }
  }
  told.append(contentsOf: try travel(host))
  told.append("\(try host.state())")
  told.append(contentsOf: try host.stop().map(\.description))
  return told
}

/// Lets time pass, and goes through undo and redo.
private func travel(_ host: FlowHost) throws -> [String] {
  try host.advance(100)
  let pending = try host.settle()
  let after = try host.state()
  if try !host.commits.isEmpty {
    try host.undo()
    try host.redo()
    let again = try host.state()
    try require(
      again.loose == after.loose, "undo and redo make another state: \(again) for \(after)")
  }
  return pending.map(\.description)
}
