import FlowLanguage
import LuaRuntime
import StateCharts

/// The transitions of one machine that an action, or no event, may enable.
package final class TransitionTable: Sendable {
  /// A prepared transition out of a leaf.
  package struct Prepared: Sendable {
    package let guardRule: LuaReference?
    /// The microstep; nil if the transition forbids the action.
    let transition: PreparedMicrostep?
    package let number: ChartInterpreter.TransitionNumber
  }

  package let machine: LoadedMachine
  package var index: Int { machine.index }
  /// The action's number in the chart.
  package let action: ChartInterpreter.ActionNumber
  /// The rule by which the payload selects records, if records have the machine; otherwise nil.
  let selection: RecordSelection?
  /// True if records have the machine.
  package let isOfRecords: Bool
  /// The fields that name one record; nil if they do not, or if the transitions are not prepared.
  let onlySelector: LuaVM.RecordSelector?
  /// The transitions out of all leaves, grouped by leaf; empty if they are not prepared.
  private let prepared: [Prepared]
  /// The guard of each prepared transition.
  package let guards: [LuaReference?]
  /// Unmanaged references to the microsteps of `prepared`, to take them without reference counting.
  ///
  /// `prepared` keeps the microsteps alive, a loaded action keeps this table alive, and a dispatch keeps the action
  /// alive.
  private let references: [Unmanaged<PreparedMicrostep>?]
  /// The leaves with transitions, in order.
  private let leafNumbers: [ChartInterpreter.LeafNumber]
  /// The index of the first transition of each of these leaves, and at the end the count of transitions.
  private let starts: [Int]

  package convenience init?(of action: Action, in machine: LoadedMachine) {
    let ofDocument = machine.dialect.acceptsAnyEvent ? CompiledChart.events : nil
    guard let number = ofDocument ?? machine.chart.action(action.name) else { return nil }
    self.init(
      number, in: machine, reducer: action.reducer?.reference,
      selection: machine.records?.selection(for: action))
  }

  /// Creates the table for an action in a machine.
  ///
  /// - Parameter reducer: the function that runs before the content of the transitions.
  init(
    _ action: ChartInterpreter.ActionNumber, in machine: LoadedMachine, reducer: LuaReference?,
    selection: RecordSelection? = nil
  ) {
    self.machine = machine
    self.action = action
    self.selection = selection
    isOfRecords = selection != nil
    onlySelector =
      machine.isPrepared ? selection.flatMap { $0.namesEach ? $0.selector : nil } : nil
    var prepared: [Prepared] = []
    var leafNumbers: [ChartInterpreter.LeafNumber] = []
    var starts = [0]
    if machine.isPrepared {
      var interpreter = ChartInterpreter(machine.chart)
      for leafNumber in machine.chart.leafNumbers(offering: action) {
        var transitions = machine.chart.candidates(action, at: leafNumber)
        if action == CompiledChart.eventless {
          transitions.removeAll { !interpreter.isDue($0, [leafNumber]) }
        }
        if transitions.isEmpty { continue }
        for transition in transitions {
          prepared.append(
            TransitionTable.prepare(
              transition, from: leafNumber, in: machine, reducer, &interpreter))
        }
        leafNumbers.append(leafNumber)
        starts.append(prepared.count)
      }
    }
    (self.prepared, self.leafNumbers, self.starts) = (prepared, leafNumbers, starts)
    guards = prepared.map(\.guardRule)
    references = prepared.map { $0.transition.map { .passUnretained($0) } }
  }

  private static func prepare(
    _ number: ChartInterpreter.TransitionNumber, from leafNumber: ChartInterpreter.LeafNumber,
    in machine: LoadedMachine,
    _ reducer: LuaReference?, _ interpreter: inout ChartInterpreter
  ) -> Prepared {
    let row = machine.chart.rows[Int(number)]
    let guardRule = row.condition < 0 ? nil : machine.reference(row.condition)
    guard row.reach != .forbids else {
      return Prepared(guardRule: guardRule, transition: nil, number: number)
    }
    var configuration = [leafNumber]
    var memory = interpreter.noMemory
    interpreter.taken = [number]
    interpreter.move(&configuration, remembering: &memory)
    let move = Microstep(
      machine, of: machine.records == nil ? 0 : 1, after: interpreter, remembering: memory)
    return Prepared(
      guardRule: guardRule, transition: PreparedMicrostep(move, reducer), number: number)
  }

  /// Returns the indices of the transitions out of a leaf; empty if the action is not possible there.
  package func numbers(from leafNumber: ChartInterpreter.LeafNumber) -> Range<Int> {
    // A binary search, because only the leaves that have such a transition are stored. A table of all leaves for each
    // action would have as many entries as leaves times actions.
    var (low, high) = (0, leafNumbers.count)
    while low < high {
      let middle = (low + high) / 2
      if leafNumbers[middle] < leafNumber { low = middle + 1 } else { high = middle }
    }
    guard low < leafNumbers.count, leafNumbers[low] == leafNumber else { return 0..<0 }
    return starts[low]..<starts[low + 1]
  }

  /// The readers of the conditions, for a table of eventless transitions.
  package var conditions: [Int32?] {
    prepared.map {
      let condition = machine.chart.rows[Int($0.number)].condition
      return condition < 0 ? nil : machine.conditionReaders[condition]
    }
  }

  package subscript(number: Int) -> Prepared { prepared[number] }

  /// Returns the microstep of a transition; nil if the transition forbids the action.
  func reference(_ number: Int) -> Unmanaged<PreparedMicrostep>? { references[number] }
}

/// A microstep that was computed in advance, with the steps of its transaction.
package final class PreparedMicrostep: Sendable {
  package let move: Microstep
  /// The steps of the transaction if no other machine moves.
  package let steps: TransactionSteps
  /// True if timers are restarted, or if a state with timers, postponed actions or an effect is left or entered.
  let stopsOrStarts: Bool
  /// True if an eventless transition may be enabled after the microstep.
  let leadsOn: Bool
  /// True if a state with an effect is entered.
  package let begins: Bool

  package init(_ move: Microstep, _ reducer: LuaReference?) {
    self.move = move
    steps = TransactionSteps([move], reducer: reducer)
    stopsOrStarts = move.stopsOrStarts
    let chart = move.machine.chart
    leadsOn =
      chart.heads.count == 1
      ? move.changes.contains { chart.entry(CompiledChart.eventless, at: $0.to) >= 0 }
      : move.leadsOn
    begins = !move.begun.isEmpty
  }
}
