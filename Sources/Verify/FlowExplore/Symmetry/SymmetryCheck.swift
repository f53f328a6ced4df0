import FlowKernel
import FlowLanguage
import LuaRuntime

/// A check of the symmetry of values.
///
/// The behaviour of the flow in a state, and in the state with two values exchanged, must be equal up to the exchange.
struct SymmetryCheck {
  private let setup: ExplorationSetup
  private let slots: SlotTable
  private let plain: ReferenceEngine

  init(_ flow: LoadedFlow, _ setup: ExplorationSetup, _ slots: SlotTable) throws {
    (self.setup, self.slots) = (setup, slots)
    plain = try ReferenceEngine(flow, setup)
  }

  /// The result of a move.
  private enum Outcome: Hashable {
    case passes(Value, CanonicalState)
    case refused(Refusal.Refuser)
    case fails
    case idle
  }

  /// One possible result of a move, with its text for messages and the next state.
  private struct Ending {
    let outcome: Outcome
    let told: String
    let after: ReferenceEngine.State?
  }

  /// Returns the state with two values exchanged.
  func image(
    of state: ReferenceEngine.State, _ contents: StateForm.Contents, by exchange: SymmetryExchange
  ) throws -> ReferenceEngine.State {
    var moved: StateForm.Contents = [:]
    for (subject, content) in contents {
      moved[slots.image(of: subject, by: exchange)] =
        try slots.image(of: content, in: subject, by: exchange)
    }
    return ReferenceEngine.State(
      tree: StateForm.tree(slots.places) { moved[$0] ?? .absent },
      canonical: state.canonical.exchanged(slots.canonicalImage(by: exchange)))
  }

  /// Compares a state with its image.
  ///
  /// - Throws: `ExplorationError` if the flow behaves differently in the two states.
  func compare(
    _ before: ReferenceEngine.State, with image: ReferenceEngine.State, _ exchange: SymmetryExchange
  ) throws {
    try compareQuestions(before, image, exchange)
    let moves = try moves(in: before)
    let images = moves.map { self.image(of: $0, by: exchange) }
    let known = Set(try self.moves(in: image))
    if let index = images.indices.first(where: { !known.contains(images[$0]) }) {
      throw difference(
        exchange,
        "in \(plain.shown(before)) \(moves[index].title(nil)) is possible, but with the two exchanged \(images[index].title(nil)) is not"
      )
    }
    for (move, moved) in zip(moves, images) {
      try compare(before, move, with: image, moved, exchange)
    }
  }

  private func compare(
    _ before: ReferenceEngine.State, _ move: ExploredMove, with image: ReferenceEngine.State,
    _ moved: ExploredMove, _ exchange: SymmetryExchange
  ) throws {
    let endings = try self.endings(of: move, from: before, by: exchange)
    let others = try self.endings(of: moved, from: image, by: nil)
    let (expected, found) = (Set(endings.map(\.outcome)), Set(others.map(\.outcome)))
    if expected != found {
      let one = endings.first { !found.contains($0.outcome) } ?? endings.first
      let other = others.first { !expected.contains($0.outcome) } ?? others.first
      throw difference(
        exchange,
        "in \(plain.shown(before)) \(move.title(nil)) \(one?.told ?? "does nothing"), and in \(plain.shown(image)) "
          + "\(moved.title(nil)) \(other?.told ?? "does nothing")")
    }
    for property in setup.said.properties where property.kind == .step {
      for one in endings {
        // The order of the draws may differ after the exchange.
        let other = others.first { $0.outcome == one.outcome }
        guard let after = one.after, let otherAfter = other?.after else { continue }
        let said = try plain.verdict(property.asked, of: move, from: before, to: after)
        let expected = try plain.verdict(property.asked, of: moved, from: image, to: otherAfter)
        if said.holds == expected.holds { continue }
        throw difference(
          exchange,
          told(
            property.title, said.holds, "\(move.title(nil)) in \(plain.shown(before))",
            "\(moved.title(nil)) in \(plain.shown(image))"))
      }
    }
  }

  private func moves(in state: ReferenceEngine.State) throws -> [ExploredMove] {
    try setup.moves + (setup.passesTime ? [.time] : [])
      + plain.ends(in: state).flatMap { effect, answers in
        answers.map { .end(effect, $0.action, $0.payload) }
      }
  }

  private func image(of move: ExploredMove, by exchange: SymmetryExchange) -> ExploredMove {
    let fields = slots.alike.lists[exchange.list].fields
    func image(_ payload: Value) -> Value { exchange.image(ofPayload: payload, fields) }
    return switch move {
    case .action(let name, let payload): .action(name, image(payload))
    case .time: .time
    case .end(let effect, let name, let payload):
      .end(slots.canonicalImage(by: exchange)(effect), name, image(payload))
    }
  }

  /// Returns all results of a move, one for each outcome of chance.
  ///
  /// - Parameter exchange: the exchange to apply to the results; nil for none.
  private func endings(
    of move: ExploredMove, from state: ReferenceEngine.State, by exchange: SymmetryExchange?
  ) throws -> [Ending] {
    var endings: [Ending] = []
    var draws: [Int] = []
    while true {
      let run = try plain.play(move, draws: draws, from: state)
      endings.append(ending(run, by: exchange))
      draws += [Int](repeating: 0, count: max(0, run.outcomes.count - draws.count))
      while let last = draws.indices.last, draws[last] + 1 >= run.outcomes[last] {
        draws.removeLast()
      }
      guard let last = draws.indices.last else { return endings }
      draws[last] += 1
    }
  }

  private func ending(_ run: ReferenceEngine.Play, by exchange: SymmetryExchange?) -> Ending {
    switch run.ending {
    case .passed:
      let value = run.state.value
      let outcome: Outcome =
        exchange.map {
          .passes(
            slots.image(of: value, by: $0),
            run.state.canonical.exchanged(slots.canonicalImage(by: $0)))
        } ?? .passes(value, run.state.canonical)
      return Ending(outcome: outcome, told: "leads to \(plain.shown(run.state))", after: run.state)
    case .refused(let refusal):
      return Ending(outcome: .refused(refusal.rejectedBy), told: "is \(refusal)", after: nil)
    case .failed(let failure): return Ending(outcome: .fails, told: "fails: \(failure)", after: nil)
    case .idle: return Ending(outcome: .idle, told: "does nothing", after: nil)
    }
  }

  /// Compares the invariants, and the functions of the exploration file about states.
  private func compareQuestions(
    _ before: ReferenceEngine.State, _ image: ReferenceEngine.State, _ exchange: SymmetryExchange
  ) throws {
    let broken = try plain.brokenInvariants(in: before).map(\.name)
    let others = try plain.brokenInvariants(in: image).map(\.name)
    if let name = Set(broken).symmetricDifference(others).sorted().first {
      throw difference(
        exchange,
        told(
          Names.dotted("invariant", name), !broken.contains(name), plain.shown(before),
          plain.shown(image)))
    }
    let said = setup.said
    let asked =
      said.properties.filter { $0.kind != .step }.map(\.asked)
      + [said.within, said.ends].compactMap { $0 }
    for function in asked {
      let one = try plain.verdict(function, in: before)
      let other = try plain.verdict(function, in: image)
      if one.holds != other.holds {
        throw difference(
          exchange, told(function.title, one.holds, plain.shown(before), plain.shown(image)))
      }
    }
  }

  private func told(_ title: String, _ holds: Bool, _ one: String, _ other: String) -> String {
    "\(title) is \(holds) for \(one) and \(!holds) for \(other)"
  }

  /// Returns the error for a state whose image is impossible, because its records have other fields.
  func cannotStand(
    _ before: ReferenceEngine.State, _ exchange: SymmetryExchange, _ error: any Error
  ) -> ExplorationError {
    difference(
      exchange,
      "\(plain.shown(before)) is a valid state, but with the two exchanged it is not: \(error)")
  }

  private func difference(_ exchange: SymmetryExchange, _ what: String) -> ExplorationError {
    let alike = slots.alike.lists[exchange.list]
    let hint =
      alike.places == nil
      ? "name the places of these values with at, \(SymmetryTable.form(alike.name)); or remove alike"
      : "at must name every place of these values; or remove alike"
    return ExplorationError(
      .setup,
      "\(alike.place): alike \(alike.name): \(exchange.one) and \(exchange.other) are not symmetric: \(what)\n  \(hint)"
    )
  }
}
