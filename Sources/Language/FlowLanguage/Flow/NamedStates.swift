import LuaRuntime
import StateCharts
import Platform

/// The states of a flow's machines, found by the names that scripts use.
///
/// A name is `player.on.transport.playing`, or `transport.playing` if it begins with a region. The index is built
/// at the first lookup.
package final class NamedStates: Sendable {
  /// The place in the flow's state that shows if a named state is active.
  package struct Place {
    /// The field of the state's region; nil for a state that is always active.
    package let field: String?
    /// The value of the field, or the part of it before a dot, while the state is active; nil if it is active for
    /// any value.
    package let path: String?
    /// The number of the machine, if it is a machine of records, whose records have the field.
    package var machineOfRecords: Int?
  }

  /// The error for a name of no state.
  package struct Unknown: Error {
    package let description: String
    /// The number of names that were searched for a similar one.
    package let lookedAt: Int
  }

  private struct Index {
    /// The machines and regions by name, each as a machine's number and its outermost state.
    var heads: [String: (machine: Int, state: Chart.StateNumber)] = [:]
    /// The states of each machine, by their paths from the outermost state.
    var states: [[String: Chart.StateNumber]] = []
  }

  private let machines: [Machine]
  private let index = Mutex<Index?>(nil)

  package init(of machines: [Machine]) { self.machines = machines }

  package func place(of name: String) throws(Unknown) -> Place {
    let index = self.index.withLock { index in
      if let index { return index }
      let made = makeIndex()
      index = made
      return made
    }
    guard let (head, rest) = split(name, index) else {
      throw unknown("there is no machine or region", name, among: index.heads.keys.sorted())
    }
    let machine = machines[head.machine]
    let number = machine.records == nil ? nil : head.machine
    guard let rest else { return place(of: head.state, in: machine.chart, number) }
    let above = machine.chart.states[Int(head.state)].path
    let path = above.isEmpty ? rest : "\(above).\(rest)"
    guard !rest.isEmpty, let state = index.states[head.machine][path] else {
      throw unknown(name, rest, below: head.state, in: machine.chart)
    }
    return place(of: state, in: machine.chart, number)
  }

  private func makeIndex() -> Index {
    var index = Index()
    for (number, machine) in machines.enumerated() {
      let chart = machine.chart
      // The fields of records are not names at the root of the state.
      for region in chart.regions where machine.records == nil {
        if let field = region.field { index.heads[field] = (number, region.head) }
      }
      index.heads[machine.name] = (number, 0)
      index.states.append(
        Dictionary(
          chart.states.indices.map { (chart.states[$0].path, Chart.StateNumber($0)) },
          uniquingKeysWith: { first, _ in first }))
    }
    return index
  }

  /// Splits a name into the machine or region that it begins with, and the rest.
  private func split(
    _ name: String, _ index: Index
  ) -> ((machine: Int, state: Chart.StateNumber), String?)? {
    if let head = index.heads[name] { return (head, nil) }
    for dot in name.indices where name[dot] == "." {
      if let head = index.heads[String(name[..<dot])] {
        return (head, String(name[name.index(after: dot)...]))
      }
    }
    return nil
  }

  private func place(
    of state: Chart.StateNumber, in chart: Chart, _ machineOfRecords: Int?
  ) -> Place {
    let region = chart.regions[Int(chart.states[Int(state)].region)]
    if state == region.head {
      return Place(field: region.field, path: nil, machineOfRecords: machineOfRecords)
    }
    let above = chart.states[Int(region.head)].path.utf8.count
    let path = chart.states[Int(state)].path
    return Place(
      field: region.field, path: String(path.utf8.dropFirst(above == 0 ? 0 : above + 1)) ?? path,
      machineOfRecords: machineOfRecords)
  }

  // MARK: What was meant

  private func unknown(_ what: String, _ name: String, among candidates: [String]) -> Unknown {
    Unknown(
      description: "\(what) \(Value.quoted(name, limit: 100))"
        + Names.suggestion(for: name, among: candidates), lookedAt: candidates.count)
  }

  /// Returns an error that suggests a similar state at the same place, or a state of that name elsewhere.
  private func unknown(
    _ name: String, _ rest: String, below head: Chart.StateNumber, in chart: Chart
  ) -> Unknown {
    let outer = chart.states[Int(head)]
    let first = name.utf8.count - rest.utf8.count
    let named = String(name.utf8.prefix(first)) ?? ""
    let paths = chart.states[Int(head)...Int(outer.last)].dropFirst().map {
      String($0.path.utf8.dropFirst(outer.path.isEmpty ? 0 : outer.path.utf8.count + 1)) ?? $0.path
    }
    let elsewhere = paths.filter { $0.hasSuffix(".\(rest)") }
    let meant = elsewhere.count == 1 ? elsewhere.first : Names.nearest(to: rest, among: paths)
    return Unknown(
      description: "there is no state \(Value.quoted(name, limit: 100))"
        + (meant.map { "; did you mean \(named)\($0)?" } ?? ""), lookedAt: paths.count)
  }
}
