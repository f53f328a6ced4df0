import FlowLanguage
import StateCharts

extension FlowDrawing {
  /// A machine as a state chart, each way drawn once, at the border of the state that lists it.
  struct Chart: Sendable {
    struct State: Sendable {
      let name: String
      /// The number of the state around it; nil for one of the machine's outermost.
      var parent: Int?
      let isInitial: Bool
      let isFinal: Bool
      /// Whether it is one of several that are active side by side.
      var isRegion = false
      /// Whether there are states inside, or the regions of a parallel state.
      var hasStates = false
      /// What there is to be said of it, as lines.
      let notes: [String]
    }

    /// Where an arrow begins or ends.
    enum End: Hashable, Sendable {
      /// A state, or the border of one with states inside.
      case state(Int)
      /// Any state inside another one; of nil, any of the machine.
      case any(Int?)
      /// Where a state with states inside begins.
      case initial(Int?)
      /// What was active inside a state as it was last left.
      case history(Int, StateCharts.Chart.Depth)
      /// Where one arrow becomes several, inside a state.
      case fork(Int, inside: Int?)
    }

    /// All that leads from one place to another.
    struct Arrow: Sendable {
      let from: End
      let to: End
      /// Whether no action is needed.
      var isEventless = false
      /// Whether it leads to what is drawn before where it begins.
      var isBack = false
      var labels: [String]
      /// The actions that lead along it, where any are asked for.
      var actions: Set<String> = []
    }

    let name: String
    /// What there is to be said of the machine as a whole, as lines.
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
