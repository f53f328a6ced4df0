/// A shrinker, which makes a walk shorter and simpler while the same violation occurs at its end.
///
/// It removes steps, many at once at first and finally one by one (Zeller and Hildebrandt, "Simplifying and isolating
/// failure-inducing input", 2002). Then it simplifies each payload and each draw of chance.
struct WalkShrinker {
  private let walker: Walker
  private let begin: Int
  private let fault: WalkFault
  private var rest: Int

  /// The maximum number of steps that are replayed for a finding.
  private static let most = 200_000

  init(_ walker: Walker, from begin: Int, _ fault: WalkFault) {
    (self.walker, self.begin, self.fault) = (walker, begin, fault)
    rest = WalkShrinker.most
  }

  /// Returns the shrunk walk: none of its steps can be left out.
  mutating func shrink(_ steps: [WalkStep]) throws -> [WalkStep] {
    var steps = try again(steps) ?? steps
    while true {
      steps = try fewer(steps)
      guard let simpler = try simpler(steps) else { return steps }
      steps = simpler
    }
  }

  /// Returns those steps that pass, if the same violation occurs at their end; nil otherwise.
  private mutating func again(_ steps: [WalkStep]) throws -> [WalkStep]? {
    if rest <= 0 { return nil }
    rest -= steps.count + 1
    return try walker.replay(steps, from: begin, until: fault)?.steps.map(\.step)
  }

  private mutating func fewer(_ steps: [WalkStep]) throws -> [WalkStep] {
    var steps = steps
    var size = max(1, steps.count / 2)
    while true {
      var at = 0
      var isShorter = false
      while at < steps.count {
        var candidate = steps
        candidate.removeSubrange(at..<min(at + size, steps.count))
        if let found = try again(candidate), found.count < steps.count {
          steps = found
          isShorter = true
        } else {
          at += size
        }
      }
      if size == 1, !isShorter { return steps }
      size = max(1, size / 2)
    }
  }

  /// Returns the steps with a simpler payload or draw; nil if there is none.
  private mutating func simpler(_ steps: [WalkStep]) throws -> [WalkStep]? {
    for index in steps.indices {
      for candidate in candidates(for: steps[index]) {
        var changed = steps
        changed[index] = candidate
        if let found = try again(changed), found.count <= steps.count, found != steps {
          return found
        }
      }
    }
    return nil
  }

  private func candidates(for step: WalkStep) -> [WalkStep] {
    var found: [WalkStep] = []
    for (place, draw) in step.draws.enumerated() where draw > 0 {
      for simple in [0, draw / 2] where simple < draw {
        var changed = step
        changed.draws[place] = simple
        found.append(changed)
      }
    }
    let setup = walker.plain.setup
    switch step.move {
    case .action(let name, let payload):
      let known = setup.moves.filter { if case .action(name, _) = $0 { true } else { false } }
      if known.isEmpty {
        found += RandomPayload.simpler(than: payload).map {
          WalkStep(move: .action(name, $0), draws: step.draws)
        }
      } else {
        // Payloads that are declared first are the simplest.
        found += known.prefix { $0 != step.move }.map { WalkStep(move: $0, draws: step.draws) }
      }
    case .end(let effect, let name, let payload):
      guard
        setup.answersByEffect[effect.title]?.contains(where: { $0.action == name && $0.type != nil }
        )
          == true
      else { break }
      found += RandomPayload.simpler(than: payload).map {
        WalkStep(move: .end(effect, name, $0), draws: step.draws)
      }
    case .time: break
    }
    return found
  }
}
