import FlowKernel
import FlowLanguage
import LuaRuntime
import Platform

/// A snapshot of a host, for embedders that store it in a place of their own.
///
/// ```swift
/// let data = try JSONEncoder().encode(host.snapshot())
/// let later = try FlowHost(flow, restoring: JSONDecoder().decode(Snapshot.self, from: data))
/// ```
///
/// It contains the state, machines, passages, timers, queued actions, random generators and the clock. It
/// does not contain the history, subscriptions, and what the host provides: capabilities, rules, scopes that
/// it opened. Running effects end as `on_error` says; durable effects of a host with a journal continue.
public struct Snapshot: Sendable, Hashable, Codable {
  /// The name of the flow's file, as messages show it.
  public let flow: String
  /// The version of the flow, as `version(n)` declares it.
  public let version: Int
  /// The revision: the number of commits.
  public let revision: Int
  /// The texts of the flow, its own file first, each as name and text.
  package let texts: [[String]]
  package let body: [UInt8]

  /// The texts as a journal stores them.
  package var kept: [JournaledFlow.Text] {
    texts.filter { $0.count == 2 }.map { JournaledFlow.Text(name: $0[0], text: $0[1]) }
  }
}
