import LuaRuntime

extension ValueWriter {
  package mutating func begin(_ kind: CaseImage.Kind) {
    writeByte(CaseImage.format)
    writeByte(kind.rawValue)
  }

  mutating func write(_ fact: TurnFact) { writeByte(fact.rawValue) }
}
