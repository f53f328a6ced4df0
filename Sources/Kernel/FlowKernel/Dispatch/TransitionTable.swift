import FlowLanguage
import LuaRuntime
import StateCharts

/// The transitions of one machine that an action, or no event, enables.
package final class TransitionTable: Sendable {
  /// A prepared transition out of a leaf.
  package struct Prepared: Sendable {
    package let guardRule: LuaReference?
    /// Nil where the transition forbids.
    let transition: PreparedMicrostep?
    package let number: ChartInterpreter.TransitionNumber
  }

  package let machine: LoadedMachine
  package var index: Int { machine.index }
  /// The action's number in the chart.
  package let action: ChartInterpreter.ActionNumber
  /// How its payload says which records it is about, if those have the machine.
  let selection: RecordSelection?
  /// True if records have the machine.
  package let isOfRecords: Bool
  /// The fields that name one record, where its transitions are prepared.
  let onlySelector: LuaVM.RecordSelector?
  /// The transitions out of all leaves, those of one leaf behind each other; none if they are not prepared.
  private let prepared: [Prepared]
  /// The guard of each.
  package let guards: [LuaReference?]
  /// The same transitions, for going there without counting references: `prepared` keeps them, a loaded action
  /// keeps this, and a dispatch keeps the action until it is over.
  private let references: [Unmanaged<PreparedMicrostep>?]
  /// The leaves with transitions, in order.
  private let leafNumbers: [ChartInterpreter.LeafNumber]
  /// The first transition of each of these, and the end of the last one's.
  private let starts: [Int]

  package convenience init?(of action: Action, in machine: LoadedMachine) {
    let ofDocument = machine.dialect.acceptsAnyEvent ? CompiledChart.events : nil
    guard let number = ofDocument ?? machine.chart.action(action.name) else { return nil }
    self.init(
      number, in: machine, reducer: action.reducer?.reference,
      selection: machine.records?.selection(for: action))
  }

  /// - Parameter reducer: what runs before the content of the transitions.
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

  /// The numbers of the transitions out of a leaf; none if the action is not possible there.
  package func numbers(from leafNumber: ChartInterpreter.LeafNumber) -> Range<Int> {
    // By halving, since only the leaves that have such a transition are kept: a table of all leaves for each
    // action would take leaves times actions.
    var (low, high) = (0, leafNumbers.count)
    while low < high {
      let middle = (low + high) / 2
      if leafNumbers[middle] < leafNumber { low = middle + 1 } else { high = middle }
    }
    guard low < leafNumbers.count, leafNumbers[low] == leafNumber else { return 0..<0 }
    return starts[low]..<starts[low + 1]
  }

  /// The readers of the conditions, where no action asks for the transitions.
  package var conditions: [Int32?] {
    prepared.map {
      let condition = machine.chart.rows[Int($0.number)].condition
      return condition < 0 ? nil : machine.conditionReaders[condition]
    }
  }

  package subscript(number: Int) -> Prepared { prepared[number] }

  /// Nil where the transition forbids.
  func reference(_ number: Int) -> Unmanaged<PreparedMicrostep>? { references[number] }
}

/// A microstep of a machine with one region, worked out beforehand.
package final class PreparedMicrostep: Sendable {
  package let move: Microstep
  /// The steps of the transaction if no other machine moves.
  package let steps: TransactionSteps
  /// True if anything is left or entered that has timers or an effect.
  let stopsOrStarts: Bool
  /// True if a transition that no action asks for may be due where it leads.
  let leadsOn: Bool
  /// True if a state is entered that has an effect.
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
