/// The actions of a flow, by name.
///
/// Recent lookups need no hashing: a host dispatches the same few actions over and over.
struct LoadedActions {
  private let all: [String: LoadedAction]
  /// The actions that were found last, by slot; unmanaged, because `all` keeps them alive.
  private var recent: [Unmanaged<LoadedAction>?] = Array(repeating: nil, count: 16)

  package init(_ all: [String: LoadedAction]) { self.all = all }

  /// The action with this name, which lives as long as these actions; nil if there is none.
  package subscript(name: String) -> Unmanaged<LoadedAction>? {
    mutating get {
      let slot = LoadedActions.slot(of: name)
      if let found = recent[slot], found._withUnsafeGuaranteedRef({ $0.name == name }) {
        return found
      }
      guard let action = all[name] else { return nil }
      let found = Unmanaged.passUnretained(action)
      recent[slot] = found
      return found
    }
  }

  /// Returns the slot in `recent` of a name.
  ///
  /// It is computed from the string's representation in memory: the same string always has the same slot, and equal
  /// strings may have different slots.
  private static func slot(of name: String) -> Int {
    withUnsafeBytes(of: name) { bytes in
      var mixed: UInt32 = 0
      for offset in stride(from: 0, to: bytes.count - 3, by: 4) {
        mixed = (mixed ^ bytes.load(fromByteOffset: offset, as: UInt32.self)) &* 0x9e37_79b1
      }
      return Int(mixed >> 28)
    }
  }
}
