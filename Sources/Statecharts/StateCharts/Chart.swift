/// A machine as a chart: states inside states, regions side by side, and the transitions between them.
///
/// It knows nothing of Lua nor of the text that it was read from: conditions and content are
/// numbers, behind which whoever builds it keeps functions. What dispatches actions, checks flows,
/// draws them and explores them asks one and the same chart.
package struct Chart: Sendable {
  /// The rules of a chart.
  package enum Dialect: Sendable {
    /// The rules of flows: a microstep is atomic, and `always` and `on_done` are due as long as they hold.
    case flow
    /// Appendix D of the SCXML recommendation, to the letter.
    case scxml

    /// True if an event may come that nothing declares: conditions tell which transitions it matches.
    @inlinable package var acceptsAnyEvent: Bool { self == .scxml }
    /// True if content runs block by block, and an error in a block is an event.
    ///
    /// In a flow the content of all microsteps is one batch, and an error takes the dispatch back.
    @inlinable package var runsContentByBlock: Bool { self == .scxml }
    /// True if entering the initial states runs content and may send messages.
    ///
    /// The initial states of a flow are known once it is loaded, but for its eventless transitions.
    @inlinable package var entersByMacrostep: Bool { self == .scxml }
  }

  /// A condition or content that the builder keeps, by its number.
  package typealias Function = Int32

  /// The number of a state in `states`.
  package typealias StateNumber = Int32

  /// Where something stands in a text; line 0 where that is not known.
  package struct Place: Sendable, Hashable {
    package var file: String
    package var line: Int

    package init(file: String, line: Int) { (self.file, self.line) = (file, line) }
  }

  /// How much of what was active before is entered again.
  package enum Depth: Sendable, Hashable { case shallow, deep }

  /// The reach of a transition: what it exits if its target is active, or is around its source.
  package enum Reach: Sendable, Hashable {
    /// Leaves what is inside the innermost state that contains both ends, either end included.
    case inner
    /// Leaves that state too.
    case reenters
    /// Nothing moves.
    case stays
    /// Not possible, whatever the states around say.
    case forbids
    /// SCXML's two.
    case external, `internal`
  }

  /// The trigger of a transition.
  package enum Trigger: Sendable, Hashable {
    /// An action of that name; in SCXML, an event that one of these describes.
    case action(String), events([String])
    /// Its condition, as long as it holds; the end of what is inside its state.
    case always, done
    /// The timer of that number, in its state.
    case timer(Int)
  }

  /// Timers of the state that a transition is listed in.
  package enum Restarts: Sendable, Hashable {
    case all
    /// The timers of these actions.
    case actions([String])

    /// True if the timers of what is due are among them.
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
    /// None where it stays or forbids.
    ///
    /// Several are regions of one parallel state, or stand in such.
    package var targets: [StateNumber]
    package var reach: Reach
    package var history: Depth?
    package var content: Function?
    /// Why it forbids, if it says so.
    package var refusal: String?
    /// True if it forbids its action until its state is left, when the action is dispatched again.
    package var postpones = false
    /// The timers of its state that begin anew as it is taken.
    package var restarts: Restarts?
    package var place: Place
    /// True if it was copied from a wildcard of a table: it is told and counted once a state all
    /// the same.
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

  /// What is due some time after its state was entered, once or again and again.
  package struct Timer: Sendable {
    package enum Delay: Sendable {
      case seconds(Double)
      case workedOut(Function)
    }

    package enum Due: Sendable, Hashable {
      /// An action, offered to the states below this one.
      case action(String)
      /// The transitions of this state whose trigger is this timer.
      case transition
    }

    package var delay: Delay
    package var repeats: Bool
    package var due: Due
    package var place: Place
    /// The delay as its author wrote it, where that is a text such as `14d`.
    package var written: String?

    package init(
      delay: Delay, repeats: Bool, due: Due, place: Place, written: String? = nil
    ) {
      (self.delay, self.repeats, self.due, self.place) = (delay, repeats, due, place)
      self.written = written
    }
  }

  package struct State: Sendable {
    package enum Kind: Sendable, Hashable {
      case atomic, compound, parallel, final
      /// SCXML's pseudo-state, whose one transition is where it leads to by default.
      case history(Depth)
    }

    package var name: String
    /// The names from the outermost region down, with dots between them; empty for the outermost
    /// state.
    package var path: String
    package var kind: Kind
    /// -1 for the outermost.
    package var parent: StateNumber
    /// Its descendants are the states behind it up to this one, which is itself where it has none.
    package var last: StateNumber
    /// The number of the innermost region that it stands in.
    package var region: Int32
    /// Where a compound state begins.
    package var initial: Transition?
    /// In order.
    package var transitions: [Transition] = []
    package var timers: [Timer] = []
    package var onEnter: [Function] = []
    package var onExit: [Function] = []
    package var effect: Function?
    package var place: Place
    /// True if it postpones actions.
    package var postpones: Bool { transitions.contains(where: \.postpones) }
    /// True if timers, postponed actions or an effect end as it is left.
    package var lasts: Bool { !timers.isEmpty || postpones || effect != nil }

    package init(
      name: String, path: String, kind: Kind, parent: StateNumber, last: StateNumber, region: Int32,
      place: Place = Place(file: "", line: 0)
    ) {
      (self.name, self.path, self.kind) = (name, path, kind)
      (self.parent, self.last, self.region, self.place) = (parent, last, region, place)
    }
  }

  /// A part that is in exactly one of its states while it is active.
  package struct Region: Sendable {
    /// Its outermost state: the chart's, or one of a parallel state's.
    package var head: StateNumber
    /// The parallel state that it belongs to; -1 for the outermost.
    package var owner: StateNumber
    /// The state's field that says where it stands; nil for one that is always at one and the same
    /// stop, as a chart that is parallel at its top is.
    package var field: String?

    package init(head: StateNumber, owner: StateNumber, field: String?) {
      (self.head, self.owner, self.field) = (head, owner, field)
    }
  }

  package var name: String
  package var place: Place
  package var dialect: Dialect
  /// In document order, the outermost first.
  package var states: [State]
  /// In the order of their heads, the outermost first.
  package var regions: [Region]

  package init(
    name: String, place: Place, dialect: Dialect, states: [State], regions: [Region]
  ) {
    (self.name, self.place, self.dialect) = (name, place, dialect)
    (self.states, self.regions) = (states, regions)
  }

  /// True if a state is another one or stands inside it.
  package func contains(_ outer: StateNumber, _ inner: StateNumber) -> Bool {
    outer <= inner && inner <= states[Int(outer)].last
  }
}
