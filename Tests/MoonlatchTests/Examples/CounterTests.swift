import FlowHosting
import FlowKernel
import Foundation
import LuaRuntime
import Platform
import Testing

/// A label that reads the part of the state that it shows.
private final class AskingLabel: Sendable {
  private let kept = Mutex("")
  var text: String { kept.withLock { $0 } }
  func show(_ count: Value) { kept.withLock { $0 = "\(count)" } }
}

/// A label that is told: it knows what to do with a count, and of no state.
private protocol CountComponent: Sendable {
  func newCount(_ count: Int)
}

private final class ToldLabel: CountComponent {
  private let kept = Mutex<[Int]>([])
  var counts: [Int] { kept.withLock { $0 } }
  func newCount(_ count: Int) { kept.withLock { $0.append(count) } }
}

@Suite struct CounterTests {
  private func host(_ component: any CountComponent) throws -> FlowHost {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try FlowHost(
      flow: root.appending(path: "examples/counter/counter.lua"),
      options: HostOptions(clock: .virtual)
    ) { scopes in
      scopes["label"].provide("new_count") { (count: Int) in component.newCount(count) }
    }
  }

  @Test("a pulling label reads the count, and is notified only if the count changes")
  func asked() throws {
    let host = try host(ToldLabel())
    let label = AskingLabel()
    let heard = Trial.Lines()
    let subscription = try host.subscribe("count") { count in
      if let count = try? count.get() { label.show(count) }
      heard.add(label.text)
    }
    try host.dispatch("increase", ["by": 3])
    try host.dispatch("appear")
    try host.dispatch("decrease")
    try host.dispatch("disappear")
    #expect(label.text == "2")
    #expect(heard.all == ["0", "3", "2"])
    subscription.cancel()
    try host.dispatch("increase")
    #expect(label.text == "2")
  }

  @Test("a pushed label gets each count while it is shown, and reads none")
  func told() throws {
    let label = ToldLabel()
    let host = try host(label)
    try host.dispatch("increase", ["by": 3])
    #expect(label.counts == [])
    try host.dispatch("appear")
    try host.dispatch("decrease")
    try host.dispatch("disappear")
    try host.dispatch("increase")
    #expect(label.counts == [3, 2])
  }
}
