import CLatch

/// The steps that one dispatch takes on the state, in order: fields of machines are set and reducers run.
package final class TransactionSteps: Sendable {
  let steps: [latch_step]

  /// A selected record whose machine takes a transition, or that is passed to a function.
  package struct Record: Sendable {
    package let number: UInt32
    /// The number of the record's machine.
    package let machine: Int32

    package init(_ number: UInt32, of machine: Int32) {
      (self.number, self.machine) = (number, machine)
    }
  }

  package enum Step {
    /// A call of a function; with a record, the function receives that record too.
    case reducer(LuaReference, of: Record? = nil)
    /// A write to a machine's field: its name and the new state are references to strings.
    ///
    /// A nil state removes the field's value.
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
