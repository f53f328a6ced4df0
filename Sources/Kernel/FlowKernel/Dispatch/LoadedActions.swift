/// The actions by their names.
///
/// Those that were looked up last are found without hashing: a host dispatches the same few actions
/// over and over.
struct LoadedActions {
  private let all: [String: LoadedAction]
  /// Unmanaged: `all` keeps them.
  private var recent: [Unmanaged<LoadedAction>?] = Array(repeating: nil, count: 16)

  package init(_ all: [String: LoadedAction]) { self.all = all }

  /// The action of that name, which lives as long as these actions.
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

  /// Where a name is looked for first: it follows from how the string lies in memory, so that the same
  /// string has the same slot, and equal ones may have others.
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
