import FlowLanguage
import StateCharts

extension FlowDrawing {
  /// A machine as a statechart, which shows each transition once, at the border of the state that lists it.
  struct Chart: Sendable {
    struct State: Sendable {
      let name: String
      /// The number of the parent; nil for an outermost state of the machine.
      var parent: Int?
      let isInitial: Bool
      let isFinal: Bool
      /// True if it is one of several parallel regions.
      var isRegion = false
      /// True if it has child states or regions.
      var hasStates = false
      /// The notes, as lines.
      let notes: [String]
    }

    /// The start or the end of an arrow.
    enum End: Hashable, Sendable {
      /// A state, or the border of a compound one.
      case state(Int)
      /// Any state inside another one; with nil, any state of the machine.
      case any(Int?)
      /// The mark of the initial state inside a compound state.
      case initial(Int?)
      /// The history of a state.
      case history(Int, StateCharts.Chart.Depth)
      /// The point inside a state at which one arrow becomes several.
      case fork(Int, inside: Int?)
    }

    /// All transitions with the same ends.
    struct Arrow: Sendable {
      let from: End
      let to: End
      /// True if no action is needed.
      var isEventless = false
      /// True if its end is drawn before its start.
      var isBack = false
      var labels: [String]
      /// The actions that lead along it, if they are needed.
      var actions: Set<String> = []
    }

    let name: String
    /// The notes of the machine as a whole, as lines.
    var notes: [String] = []
    let states: [State]
    let arrows: [Arrow]
  }
}

extension FlowDrawing.Chart {
  init(_ machine: Machine, use: StateUse, conditions: ConditionText) {
    if machine.isFlat {
      self.init(flat: machine, use: use)
    } else {
      var drafting = ChartDrafting(machine, use: use, conditions: conditions)
      self = drafting.drawn()
    }
  }
}
