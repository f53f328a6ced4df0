extension Engine {
  /// Returns a number from 0 up to, but not including, 1, from the state's sequence or from that of effects.
  func drawUnit(inEffect: Bool) -> Double {
    guard configuration.randomSource != nil else {
      return inEffect ? caseState.effectRandom.unit() : caseState.random.unit()
    }
    return draw(inEffect) { $0.unit() }
  }

  /// Returns an integer of the closed range, from the state's sequence or from that of effects.
  func drawInteger(_ low: Int, _ high: Int, inEffect: Bool) -> Int {
    guard configuration.randomSource != nil else {
      return inEffect
        ? caseState.effectRandom.integer(low, high) : caseState.random.integer(low, high)
    }
    return draw(inEffect) { $0.integer(low, high) }
  }

  private func draw<Number>(_ inEffect: Bool, _ body: (inout SourcedRandom) -> Number) -> Number {
    var numbers = SourcedRandom(
      source: configuration.randomSource,
      seed: inEffect ? Engine.effectSeed(configuration.seed) : configuration.seed,
      position: (inEffect ? caseState.effectRandom : caseState.random).state)
    defer {
      if inEffect {
        caseState.effectRandom = SeededRandom(seed: numbers.position)
      } else {
        caseState.random = SeededRandom(seed: numbers.position)
      }
    }
    return body(&numbers)
  }

  static func effectSeed(_ seed: UInt64) -> UInt64 { seed ^ 0x6566_6665_6374_7321 }
}
