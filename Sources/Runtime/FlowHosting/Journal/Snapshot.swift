import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform

/// All that a host is at one moment, for who keeps it in a place of his own.
///
/// ```swift
/// let data = try JSONEncoder().encode(host.snapshot())
/// let later = try FlowHost(flow, restoring: JSONDecoder().decode(Snapshot.self, from: data))
/// ```
///
/// It has the state, machines, passages, timers, what is queued, chance and the clock; not the history, subscriptions,
/// and what the host itself gave: capabilities, rules, scopes that it opened. Effects that are under way end as
/// `on_error` says; durable ones of a host that keeps a journal go on.
public struct Snapshot: Sendable, Hashable, Codable {
  /// What messages call the flow's file.
  public let flow: String
  /// Which version of it, as `version(n)` says.
  public let version: Int
  /// The count of transitions.
  public let revision: Int
  /// The texts of the flow, the file's own first: name and text.
  package let texts: [[String]]
  package let body: [UInt8]

  /// The texts as a journal has them.
  package var kept: [JournaledFlow.Text] {
    texts.filter { $0.count == 2 }.map { JournaledFlow.Text(name: $0[0], text: $0[1]) }
  }
}
