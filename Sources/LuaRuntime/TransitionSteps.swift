import CLatch

/// What a transition with machines does to the state, in order: machines move, reducers run.
package final class TransitionSteps: Sendable {
  fileprivate let steps: [latch_step]
  /// The changes that moves make, as the patch has them.
  fileprivate let changes: [UInt8]

  package enum Step {
    case reducer(LuaReference)
    case move(Move)
  }

  /// A machine's field is written; its name and the new state are kept strings.
  package struct Move {
    let machine: LuaReference
    let state: LuaReference
    let change: (name: String, old: String, new: String)

    package init(
      _ machine: LuaReference, to state: LuaReference, name: String, old: String, new: String
    ) {
      self.machine = machine
      self.state = state
      change = (name, old, new)
    }
  }

  package init(_ all: [Step]) {
    var writer = ValueWriter()
    steps = all.map { step in
      switch step {
      case .reducer(let function):
        latch_step(
          function: function.number, moves_to: 0, change: 0, head: 0, old_length: 0, new_length: 0)
      case .move(let move): TransitionSteps.step(move, &writer)
      }
    }
    changes = writer.bytes
  }

  /// Names of states up to this length are encoded once, here; longer ones in each transition, as every other
  /// write is.
  private static let longestEncoded = 40

  private static func step(_ move: Move, _ writer: inout ValueWriter) -> latch_step {
    var step = latch_step(
      function: move.machine.number, moves_to: move.state.number, change: 0, head: 0,
      old_length: 0, new_length: 0)
    let (name, old, new) = move.change
    guard [name, old, new].allSatisfy({ $0.utf8.count <= longestEncoded }) else { return step }
    let lengths = writer.writeSet(name, old, new, at: &step.change)
    (step.head, step.old_length, step.new_length) = lengths
    return step
  }
}

extension ValueWriter {
  /// Writes the change of a field of the state's own as a patch has it (`scalar_writes.c` does the same).
  ///
  /// Gives the lengths of what comes before the old value, of that and of the new one.
  fileprivate mutating func writeSet(
    _ field: String, _ old: String, _ new: String, at start: inout UInt32
  ) -> (UInt16, UInt16, UInt16) {
    start = UInt32(bytes.count)
    writeByte(0)
    write(.list([.string(field)]))
    let head = bytes.count
    write(.string(old))
    let middle = bytes.count
    write(.string(new))
    return (
      UInt16(head - Int(start)), UInt16(middle - head), UInt16(bytes.count - middle)
    )
  }
}

extension LuaVM {
  /// Takes the steps in turn, each reducer on a budget of its own.
  package func take(_ steps: TransitionSteps, budget: Int) throws(ScriptError) {
    let run = run(LATCH_REDUCER, budget)
    let status = steps.steps.withUnsafeBufferPointer { all in
      steps.changes.withUnsafeBufferPointer { changes in
        latch_take_steps(latch, all.baseAddress, all.count, changes.baseAddress, run)
      }
    }
    try check(status)
  }
}
