import LuaRuntime
import StateBlocks

extension ValueWriter {
  package mutating func write(_ historyValues: [CaseState.Remembered: [String]]) {
    let values = historyValues.map { (key: $0.key, states: $0.value) }
    write(values.sorted { "\($0.key)" < "\($1.key)" }) {
      $0.write($1.key)
      $0.write($1.states) { $0.writeText($1) }
    }
  }
}

extension ValueWriter {
  mutating func write(_ stored: some Stored) { stored.write(to: &self) }

  package mutating func write(_ flag: Bool) { writeByte(flag ? 1 : 0) }

  package mutating func write<Element>(
    _ elements: some Collection<Element>, _ write: (inout ValueWriter, Element) -> Void
  ) {
    writeCount(elements.count)
    for element in elements { write(&self, element) }
  }

  mutating func write(_ elements: some Collection<some Stored>) {
    write(elements) { $0.write($1) }
  }

  package mutating func write<Wrapped>(
    _ optional: Wrapped?, _ write: (inout ValueWriter, Wrapped) -> Void
  ) {
    self.write(optional != nil)
    if let optional { write(&self, optional) }
  }
}
