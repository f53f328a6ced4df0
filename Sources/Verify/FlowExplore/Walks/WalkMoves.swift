import FlowKernel
import FlowLanguage

/// A step of a walk: a move, and the outcome of each of its draws.
struct WalkStep: Sendable, Equatable {
  var move: ExploredMove
  var draws: [Int] = []
}

/// The possible moves in a state, in groups: each action is equally likely, regardless of its number of payloads.
struct WalkMoves {
  /// A group of moves that are tried as alternatives.
  enum Group {
    case moves([ExploredMove])
    /// An action with any payload of a type.
    case drawn(String, PayloadType)
    /// An effect that ends with any payload of a type.
    case drawnEnd(ExploredEffect, String, PayloadType)
  }

  private let actions: [Group]

  init(_ setup: ExplorationSetup) {
    var groups: [Group] = []
    var names: [String] = []
    var byName: [String: [ExploredMove]] = [:]
    for case .action(let name, let payload) in setup.moves {
      if byName[name] == nil { names.append(name) }
      byName[name, default: []].append(.action(name, payload))
    }
    groups = names.map { .moves(byName[$0] ?? []) }
    groups += setup.drawn.map { .drawn($0.name, $0.type) }
    actions = groups
  }

  /// Returns the groups of a state.
  func groups(in state: ReferenceEngine.State, of plain: ReferenceEngine) throws -> [Group] {
    var groups = actions
    // Time passes if something is due, or if the exploration file configures it.
    if plain.setup.passesTime, plain.setup.isTimeSaid || !state.canonical.hasNoTimers {
      groups.append(.moves([.time]))
    }
    for (effect, answers) in try plain.ends(in: state) {
      let known = answers.filter { $0.type == nil }
      if !known.isEmpty {
        groups.append(.moves(known.map { .end(effect, $0.action, $0.payload) }))
      }
      groups += answers.compactMap { answer in
        answer.type.map { .drawnEnd(effect, answer.action, $0) }
      }
    }
    return groups
  }
}
