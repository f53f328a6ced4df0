/// A statechart: nested states, parallel regions, and the transitions between them.
///
/// It is independent of Lua and of its source text: conditions and content are numbers, behind which the builder keeps
/// functions. Dispatch, checks, drawings and exploration all use the same chart.
package struct Chart: Sendable {
  /// The semantics of a chart.
  ///
  /// Each dispatch asks for it several times: a pattern is inlined into other modules, `==` is a call there.
  package enum Dialect: Sendable {
    /// The semantics of flows: a microstep is atomic, and `always` and `on_done` are due as long as they hold.
    case flow
    /// The algorithm of appendix D of the SCXML recommendation, to the letter.
    case scxml

    /// True if events may arrive that the chart does not declare; conditions decide which transitions they match.
    @inlinable @inline(__always) package var acceptsAnyEvent: Bool {
      if case .scxml = self { true } else { false }
    }
    /// True if content runs block by block, and an error in a block is an event.
    ///
    /// In a flow the content of all microsteps is one batch, and an error rolls back the dispatch.
    @inlinable @inline(__always) package var runsContentByBlock: Bool {
      if case .scxml = self { true } else { false }
    }
    /// True if entering the initial states runs content and may send messages.
    ///
    /// The initial states of a flow are known once it is loaded, except for the effect of eventless transitions.
    @inlinable @inline(__always) package var entersByMacrostep: Bool {
      if case .scxml = self { true } else { false }
    }
  }

  /// The number of a condition or of content, whose function the builder keeps.
  package typealias Function = Int32

  /// The number of a state in `states`.
  package typealias StateNumber = Int32

  /// A source position; line 0 if it is not known.
  package struct Place: Sendable, Hashable {
    package var file: String
    package var line: Int

    package init(file: String, line: Int) { (self.file, self.line) = (file, line) }
  }

  /// The depth of a history: the active child only, or all active descendants.
  package enum Depth: Sendable, Hashable { case shallow, deep }

  /// The reach of a transition: the states that it exits if its target is already active or contains its source.
  package enum Reach: Sendable, Hashable {
    /// Exits the states inside the innermost state that contains both ends; that state may be one of the ends.
    case inner
    /// Exits that innermost state too.
    case reenters
    /// Exits no state.
    case stays
    /// Refuses the action, also on behalf of the states around.
    case forbids
    /// The two kinds of SCXML.
    case external, `internal`
  }

  /// The trigger of a transition.
  package enum Trigger: Sendable, Hashable {
    /// An action by name; in SCXML, an event that matches one of these descriptors.
    case action(String), events([String])
    /// `always` is due while its condition holds, `done` when the content of its state has finished.
    case always, done
    /// The timer of that number in its state.
    case timer(Int)
  }

  /// The timers of the source state that a transition restarts.
  package enum Restarts: Sendable, Hashable {
    case all
    /// The timers of these actions.
    case actions([String])

    /// Returns true if the timers with that trigger are among them.
    package func contains(_ due: Timer.Due) -> Bool {
      switch (self, due) {
      case (.all, _): true
      case (.actions(let actions), .action(let action)): actions.contains(action)
      case (.actions, .transition): false
      }
    }
  }

  package struct Transition: Sendable {
    package var source: StateNumber
    package var trigger: Trigger
    package var condition: Function?
    /// The target states; none for a transition that stays or forbids.
    ///
    /// Several targets are regions of one parallel state, or are inside such regions.
    package var targets: [StateNumber]
    package var reach: Reach
    package var history: Depth?
    package var content: Function?
    /// The reason for a refusal, if the author gave one.
    package var refusal: String?
    /// True if the transition holds back its action until its state is left; the action is then dispatched again.
    package var postpones = false
    /// The timers of its state that the transition restarts.
    package var restarts: Restarts?
    package var place: Place
    /// True if it was copied from a wildcard of a table; it is still reported and counted once per state.
    package var isFromWildcard: Bool

    package init(
      source: StateNumber, trigger: Trigger, condition: Function? = nil, targets: [StateNumber],
      reach: Reach = .inner, history: Depth? = nil, content: Function? = nil,
      refusal: String? = nil,
      place: Place = Place(file: "", line: 0), isFromWildcard: Bool = false
    ) {
      (self.source, self.trigger, self.condition) = (source, trigger, condition)
      (self.targets, self.reach, self.history) = (targets, reach, history)
      (self.content, self.refusal) = (content, refusal)
      (self.place, self.isFromWildcard) = (place, isFromWildcard)
    }
  }

  /// A timer that runs from the entry of its state, once or repeatedly.
  package struct Timer: Sendable {
    package enum Delay: Sendable {
      case seconds(Double)
      case workedOut(Function)
    }

    package enum Due: Sendable, Hashable {
      /// An action, dispatched to the states below this one.
      case action(String)
      /// The transitions of this state whose trigger is this timer.
      case transition
    }

    package var delay: Delay
    package var repeats: Bool
    package var due: Due
    package var place: Place

    package init(delay: Delay, repeats: Bool, due: Due, place: Place) {
      (self.delay, self.repeats, self.due, self.place) = (delay, repeats, due, place)
    }
  }

  package struct State: Sendable {
    package enum Kind: Sendable, Hashable {
      case atomic, compound, parallel, final
      /// SCXML's history pseudo-state, whose only transition leads to its default target.
      case history(Depth)
    }

    package var name: String
    /// The names from the outermost region down, separated by dots; empty for the outermost state.
    package var path: String
    package var kind: Kind
    /// The state around; -1 for the outermost state.
    package var parent: StateNumber
    /// The last descendant: the descendants are the states after this one up to it; the state itself if it has none.
    package var last: StateNumber
    /// The number of the innermost region that contains it.
    package var region: Int32
    /// The initial transition of a compound state.
    package var initial: Transition?
    /// The transitions in document order.
    package var transitions: [Transition] = []
    package var timers: [Timer] = []
    package var onEnter: [Function] = []
    package var onExit: [Function] = []
    package var effect: Function?
    package var place: Place
    /// True if it has a transition that postpones an action.
    package var postpones: Bool { transitions.contains(where: \.postpones) }
    /// True if timers, postponed actions or an effect end when the state is exited.
    package var lasts: Bool { !timers.isEmpty || postpones || effect != nil }

    package init(
      name: String, path: String, kind: Kind, parent: StateNumber, last: StateNumber, region: Int32,
      place: Place = Place(file: "", line: 0)
    ) {
      (self.name, self.path, self.kind) = (name, path, kind)
      (self.parent, self.last, self.region, self.place) = (parent, last, region, place)
    }
  }

  /// A region: a part of the chart of which exactly one state is active while the part is active.
  package struct Region: Sendable {
    /// Its outermost state: the chart's, or a child of a parallel state.
    package var head: StateNumber
    /// The parallel state to which it belongs; -1 for the outermost region.
    package var owner: StateNumber
    /// The field of the flow's state that holds the region's active state; nil for a region that has only one leaf,
    /// such as a chart that is parallel at its top.
    package var field: String?

    package init(head: StateNumber, owner: StateNumber, field: String?) {
      (self.head, self.owner, self.field) = (head, owner, field)
    }
  }

  package var name: String
  package var place: Place
  package var dialect: Dialect
  /// The states in document order, the outermost first.
  package var states: [State]
  /// The regions in the order of their heads, the outermost first.
  package var regions: [Region]

  package init(
    name: String, place: Place, dialect: Dialect, states: [State], regions: [Region]
  ) {
    (self.name, self.place, self.dialect) = (name, place, dialect)
    (self.states, self.regions) = (states, regions)
  }

  /// Returns true if `inner` is `outer` or one of its descendants.
  package func contains(_ outer: StateNumber, _ inner: StateNumber) -> Bool {
    outer <= inner && inner <= states[Int(outer)].last
  }
}
