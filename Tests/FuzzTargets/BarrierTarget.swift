import FlowHosting
import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform

private let mirrored = Result {
  try LoadedFlow(
    source: String(decoding: PackageResources.mirrored_lua, as: UTF8.self), name: "mirrored.lua")
}

/// The steps of an input.
///
/// A step has one byte, which says whether it fails and how many choices it has at most, and then the choices.
private struct Steps: Sequence, IteratorProtocol {
  var rest: ArraySlice<UInt8>

  mutating func next() -> Value? {
    guard let first = rest.popFirst() else { return nil }
    let choices = rest.prefix(Int(first >> 2) + 1)
    rest = rest.dropFirst(choices.count)
    return [
      "fails": .boolean(first & 3 == 3), "length": .integer(1 + choices.count / 4),
      "choices": .list(choices.map { .integer(Int($0)) }),
    ]
  }
}

/// The values that a subscriber of a view has received since the last check.
private final class Subscriber: Sendable {
  let view: String
  private let values = Mutex<[Value?]>([])

  init(_ view: String, of host: FlowHost) throws {
    self.view = view
    try host.subscribe(view, owner: self) { subscriber, result in
      subscriber.values.withLock { $0.append(try? result.get()) }
    }
  }

  /// Checks that the last received value is the current one, and that each value differs from the one before.
  func check(_ host: FlowHost, at step: Int) throws {
    let told = values.withLock { values in
      defer { values = Array(values.suffix(1)) }
      return values
    }
    let now = try host.view(view)
    try require(
      told.last == now,
      "step \(step): the subscriber of \(view) was told \(told), and it is \(now)")
    try require(
      zip(told, told.dropFirst()).allSatisfy { $0 != $1 },
      "step \(step): the subscriber of \(view) was told the same twice: \(told)")
  }
}

/// Changes the state as the bytes say, and checks it after each step.
///
/// The state must be what plain tables would be, a failure must leave it unchanged, a patch must lead back and forth
/// and have the right old values, and subscribers must receive each change.
func playBarrier(_ bytes: [UInt8]) throws {
  let options = HostOptions(clock: .virtual, print: { _ in }, report: { _ in })
  let host = try FlowHost(mirrored.get(), options: options)
  let views = ["tree", "name", "count", "leaves", "kinds", "copies", "few", "address"]
  let subscribers = try views.map { try Subscriber($0, of: host) }
  for (step, payload) in Steps(rest: bytes.prefix(2_000)[...]).enumerated() {
    for action in ["step", "overwrite", "loosen"] {
      try play(action, payload, at: step, on: host)
      for subscriber in subscribers { try subscriber.check(host, at: step) }
    }
  }
}

/// Checks that each change of a patch has the right old value, and that all changes together lead to the new state.
private func follow(_ patch: Patch, from before: Value, to after: Value, at step: Int) throws {
  var state = before
  for change in patch.changes {
    let old = change.operation == .insert ? .nil : state[change.path]
    try require(
      old.loose == change.old.loose,
      "step \(step): \(change.path) was \(old), and the patch says otherwise:\n\(patch)")
    state = state.applying(change)
  }
  try require(
    state.loose == after.loose, "step \(step): the patch leads elsewhere:\n\(patch)\n\(state)")
}

/// Checks that undo and redo of several patches lead to the same state.
private func goFarther(back count: Int, to after: Value, at step: Int, on host: FlowHost) throws {
  let revision = try host.revision
  try host.go(to: max(0, revision - count))
  try host.go(to: revision)
  let again = try host.state()
  try require(
    again.loose == after.loose,
    "step \(step): \(count) patches make another state:\n\(again)\n\(after)")
}

private func play(_ action: String, _ payload: Value, at step: Int, on host: FlowHost) throws {
  let before = try host.state()
  let outcome = try host.dispatch(action, payload)
  let after = try host.state()
  switch outcome {
  case .passed(let commit):
    try follow(commit.writes, from: before, to: after, at: step)
    try require(
      after.reverting(commit.writes).loose == before.loose,
      "step \(step): the patch does not lead back:\n\(commit.writes)\n\(before)\n\(after)")
    try host.undo()
    try require(
      try host.state().loose == before.loose, "step \(step): undo does not restore the state")
    try host.redo()
    try require(try host.state().loose == after.loose, "step \(step): redo makes another state")
    try goFarther(back: 9, to: after, at: step, on: host)
    _ = try host.dispatch("accept")
  case .failed(let failure):
    let expected = failure.message == "the end" || failure.message.contains("a cycle")
    try require(expected, "step \(step): \(failure)")
    try require(after == before, "step \(step): a failed step changed the state")
  case .refused(let refusal): throw Finding(description: "step \(step): \(refusal)")
  }
  let check = try host.dispatch("check")
  try require(check.isPassed, "step \(step): \(check)")
  try require(
    try host.view("tree").loose == after["tree"]?.loose, "step \(step): a view is out of date")
  try require(try host.view("name") == after["user"]?["name"], "step \(step): a view is stale")
}
