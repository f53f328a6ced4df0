import FlowHosting
import FlowKernel
import LuaRuntime

private let keeping = Result {
  try LoadedFlow(
    source: """
      state { box = map {}, count = 0 }
      action.put { value = any }
      action.clear {}
      function reduce.put(s, a) s.box.it = a.value; s.count = s.count + 1 end
      function reduce.clear(s) s.box.it = nil end
      function view.it(s) return s.box.it end
      """, name: "keeping.lua", limits: smallLimits)
}

/// Reads the bytes as values, and writes each, reads it, stores it in a state and takes it out again.
func playValue(_ bytes: [UInt8]) throws {
  let values: [Value]
  do {
    values = try bytes.withUnsafeBytes { buffer in
      var reader = ValueReader(buffer)
      return try reader.values()
    }
  } catch is ValueReader.Malformed {
    return
  }
  for value in values.prefix(8) {
    try checkBytes(of: value)
    try checkText(of: value)
    try checkFormats(of: value)
    try checkState(holding: value)
  }
}

private func written(_ value: Value) -> [UInt8] {
  var writer = ValueWriter()
  writer.write(value)
  return writer.bytes
}

private func checkBytes(of value: Value) throws {
  let first = written(value)
  let again = try first.withUnsafeBytes { buffer in
    var reader = ValueReader(buffer)
    return try reader.value()
  }
  try require(written(again) == first, "other bytes when written again: \(value)")
}

private func checkText(of value: Value) throws {
  for limit in [0, 1, 20] { _ = value.text(limit: limit) }
  _ = value.description
  _ = value.leaves(changedTo: .list([value]))
}

private func checkState(holding value: Value) throws {
  let options = HostOptions(
    limits: smallLimits, clock: .virtual, print: { _ in }, report: { _ in })
  let host = try FlowHost(keeping.get(), options: options)
  let before = try host.state()
  guard case .passed(let commit) = try host.dispatch("put", ["value": value]) else {
    try require(try host.state() == before, "a failed dispatch changed the state")
    return
  }
  let after = try host.state()
  let held = after["box"]?["it"] ?? .nil
  try require(held.loose == value.loose, "put \(value), found \(held)")
  let seen = try host.view("it")
  try require(seen.loose == value.loose, "put \(value), seen \(seen)")
  try require(
    after.reverting(commit.writes).loose == before.loose, "the patch does not lead back")
  try host.undo()
  try require(try host.state() == before, "undo does not restore the state")
  try host.redo()
  try require(try host.state() == after, "redo makes another state than \(after)")
  try require(try host.dispatch("clear").isPassed, "what was put cannot be taken away")
}
