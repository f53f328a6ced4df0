import FlowKernel
import FlowLanguage
import LuaRuntime
import StateCharts
import Platform

/// The machine states of cases of earlier texts of a flow, as they will be under the present text.
///
/// A case is migrated when it is woken; until then its row has the state names of the earlier text. So that a
/// list by state is right at once after a deployment, the names are translated: for each set of active states
/// that occurs, the earlier text's initial state with the machines in these states goes through the
/// migrations of the present text. If a migration derives a machine's state from other fields than those of
/// machines, the result is known only once the case was woken.
package final class MigratedStates: Sendable {
  /// The active states of each machine, as in `CaseSummary.machines`.
  package typealias Machines = [String: [String]]

  /// An earlier text of the flow.
  package struct Earlier: Sendable {
    package let number: Int
    package let flow: LoadedFlow
    /// The fields of its initial state.
    package let first: [String: Value]
  }

  private struct Question: Hashable {
    let flow: Int
    /// The fields of machines, with their values.
    let fields: [String: String]
  }

  private struct State {
    var earlier: [Int: Earlier?] = [:]
    var machines: [Question: Machines?] = [:]
  }

  private let flow: LoadedFlow
  private let limits: Limits
  private let state = Mutex(State())

  /// The greatest number of answers that are cached.
  private static let most = 4_096

  package init(of flow: LoadedFlow, _ limits: Limits) { (self.flow, self.limits) = (flow, limits) }

  /// Returns the earlier texts of the flow in a journal whose cases the present text takes over.
  ///
  /// Texts of a later version, and those that cannot be loaded any more, are left out.
  package func earlier(in journal: any FlowListing) async throws(JournalError) -> [Earlier] {
    var found: [Earlier] = []
    for number in try journal.flowNumbers() {
      let known: Earlier?? = state.withLock { state in state.earlier[number] }
      if let known {
        if let text = known { found.append(text) }
        continue
      }
      let kept = try await journal.flow(number)
      let text: Earlier? = kept.flatMap { kept in read(kept, number) }
      state.withLock { state in state.earlier[number] = .some(text) }
      if let text { found.append(text) }
    }
    return found
  }

  private func read(_ kept: JournaledFlow, _ number: Int) -> Earlier? {
    guard kept.hash != flow.flow.hash, kept.version <= flow.flow.version else { return nil }
    let log = ScriptLog { _ in }
    guard
      let loaded = try? LoadedFlow(FlowSources(kept: kept.texts), limits: limits, log: log),
      let first = try? Engine(loaded, limits: limits, log: log).state().recordValue
    else { return nil }
    return Earlier(number: number, flow: loaded, first: first)
  }

  /// Returns the states of an earlier text from which a case may come to a state of the present one.
  ///
  /// These are the states that no longer exist, and those that migrate to it.
  package func sources(of machine: String, _ state: String, in earlier: Earlier) -> Set<String> {
    guard let old = earlier.flow.machine(named: machine) else { return [] }
    let present = Set(flow.machine(named: machine)?.paths ?? [])
    return Set(
      old.chart.chart.states.indices.compactMap { number -> String? in
        let number = ChartInterpreter.StateNumber(number)
        let path = old.path(of: number)
        if !present.contains(path) { return path }
        let machines = machines(from: earlier, with: old.fields(in: number))
        return machines?[machine]?.contains(state) == true ? path : nil
      })
  }

  /// Returns the states in which a case of an earlier text will be; nil if they cannot be determined.
  package func machines(of summary: CaseSummary, in earlier: Earlier) -> Machines? {
    var fields: [String: String?] = [:]
    for machine in earlier.flow.machines where machine.records == nil {
      guard let active = summary.machines[machine.name] else { continue }
      fields.merge(machine.fields(at: Set(active))) { $1 }
    }
    return machines(from: earlier, with: fields)
  }

  private func machines(from earlier: Earlier, with fields: [String: String?]) -> Machines? {
    let question = Question(flow: earlier.number, fields: fields.mapValues { $0 ?? "" })
    let known: Machines?? = state.withLock { state in state.machines[question] }
    if let known { return known }
    let answer = try? tried(earlier, fields)
    state.withLock { state in
      if state.machines.count >= Self.most { state.machines = [:] }
      state.machines[question] = .some(answer)
    }
    return answer
  }

  private func tried(_ earlier: Earlier, _ fields: [String: String?]) throws -> Machines? {
    var state = earlier.first
    for (field, text) in fields { state[field] = text.map(Value.string) ?? .nil }
    let engine = try Engine(flow, limits: limits, log: ScriptLog { _ in })
    return engine.standing(after: .record(state), ofVersion: earlier.flow.flow.version)
  }
}

extension LoadedFlow {
  fileprivate func machine(named name: String) -> LoadedMachine? {
    machines.first { $0.name == name && $0.records == nil }
  }
}

extension LoadedMachine {
  /// The paths of all states.
  fileprivate var paths: [String] {
    chart.nodes.indices.map { path(of: ChartInterpreter.StateNumber($0)) }
  }

  /// Returns the fields of its regions while a state is active; nil for a region that is not active then.
  fileprivate func fields(in state: ChartInterpreter.StateNumber) -> [String: String?] {
    var interpreter = ChartInterpreter(chart)
    var leafNumbers: [ChartInterpreter.LeafNumber] = []
    interpreter.begin(&leafNumbers, at: [state], remembering: interpreter.noMemory)
    return fields { leafNumbers[$0] }
  }

  /// Returns the fields of its regions while these states are active.
  fileprivate func fields(at active: Set<String>) -> [String: String?] {
    fields { region in
      let leafNumbers = chart.leafStates.indices.filter { leaf in
        let state = chart.leafStates[leaf]
        return Int(chart.nodes[Int(state)].region) == region && active.contains(path(of: state))
      }
      let deepest = leafNumbers.max {
        path(of: chart.leafStates[$0]).utf8.count < path(of: chart.leafStates[$1]).utf8.count
      }
      return deepest.map { ChartInterpreter.LeafNumber($0) } ?? -1
    }
  }

  private func fields(
    _ leafNumber: (Int) -> ChartInterpreter.LeafNumber
  ) -> [String: String?] {
    var fields: [String: String?] = [:]
    for (number, region) in chart.chart.regions.enumerated() {
      if let field = region.field { fields[field] = .some(value(of: leafNumber(number))) }
    }
    return fields
  }
}
