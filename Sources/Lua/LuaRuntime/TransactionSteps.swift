import CLatch

/// What a transition with machines does to the state, in order: machines move, reducers run.
package final class TransactionSteps: Sendable {
  let steps: [latch_step]

  /// A selected record, whose machine moves or whose function runs.
  package struct Record: Sendable {
    package let number: UInt32
    /// Its machine's number.
    package let machine: Int32

    package init(_ number: UInt32, of machine: Int32) {
      (self.number, self.machine) = (number, machine)
    }
  }

  package enum Step {
    /// A function, of a machine for a record if there is one: it gets that too.
    case reducer(LuaReference, of: Record? = nil)
    /// A machine's field is written; its name and the new state are kept strings. Nil: it has no value any
    /// more.
    case move(LuaReference, to: LuaReference?, region: Int = 0, of: Record? = nil)
  }

  package init(_ all: [Step]) {
    steps = all.map { step in
      switch step {
      case .reducer(let function, let record):
        latch_step(
          function: function.number, moves_to: 0, record: record?.number ?? 0,
          machine: record?.machine ?? 0, region: 0)
      case .move(let field, let state, let region, let record):
        latch_step(
          function: field.number, moves_to: state?.number ?? latch_ref(LATCH_MOVES_AWAY),
          record: record?.number ?? 0, machine: record?.machine ?? 0, region: Int32(region))
      }
    }
  }
}
