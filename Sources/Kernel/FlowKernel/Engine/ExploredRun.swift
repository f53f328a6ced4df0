import LuaRuntime

/// The result of a move, and the parts of the state that it has read.
package struct ExploredRun: Sendable {
  package enum Ending: Sendable {
    case passed
    case refused(Refusal)
    case failed(DispatchFailure)
    /// The move has nothing to do: no timer is pending, or no such effect is under way.
    case idle
  }

  /// A note of a read or a draw outside of the VM's trace, at an offset of the trace in bytes.
  package struct Note: Sendable {
    package enum Content: Sendable {
      case part(CanonicalState.Part)
      case draw(among: Int, gave: Int, Value)
    }

    package let offset: Int
    package let what: Content
  }

  /// The point at which gates let an action pass: its offset in the trace, and the selected transitions.
  package struct Admission: Sendable {
    package let offset: Int
    package let plan: String
  }

  /// A record whose machine was read: the keys to it, and the fields of its machine's regions.
  package struct RecordLook: Sendable {
    package let path: [Value]
    package let fields: [String]
  }

  package let ending: Ending
  package let trace: TracedRun
  /// The reads outside of the tree, and the random draws.
  package let notes: [Note]
  package let canonical: CanonicalState
  /// The fields of machines whose values could affect the run.
  package let fields: Set<String>
  /// The machines whose history values could affect the run.
  package let memories: Set<String>
  /// The records whose machines could affect the run; nil if all of them could.
  package let records: [RecordLook]?
  package let problem: ExploredProblem?
  /// The point that divides the run; nil if no action was let pass.
  package let admission: Admission?
}
