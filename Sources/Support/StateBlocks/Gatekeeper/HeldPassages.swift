/// The passages held in all gatekeepers of a flow, with a yes/no gatekeeper for each held option.
///
/// The check of several options and the taking are two steps, because the caller may check more in between. A copy is a
/// snapshot. Each taking and each reset can be undone individually.
///
/// The type is not generic: flows use it in every dispatch, and code of another module is not specialized.
package struct HeldPassages: Sendable {
  /// A held option with its gatekeeper.
  ///
  /// It is an object, so that commits in the history can share it.
  package final class Held: Sendable {
    package let option: GatekeeperOption
    fileprivate let gatekeeper: Gatekeeper<Bool>
    /// The time at which the option was taken, by the clock of the flow's host.
    package let time: Int

    init(_ option: GatekeeperOption, _ gatekeeper: Gatekeeper<Bool>, time: Int) {
      (self.option, self.gatekeeper, self.time) = (option, gatekeeper, time)
    }

    /// Restores a passage that was taken before, with its number.
    package convenience init(
      _ option: GatekeeperOption, by name: String, at revision: Int, number: Int, time: Int
    ) {
      var gatekeeper = Gatekeeper<Bool>()
      gatekeeper.pass(Passage(number: number), by: name, at: revision)
      self.init(option, gatekeeper, time: time)
    }

    /// The name of the holder.
    package var name: String { gatekeeper.holder?.name ?? "" }
    /// The revision at which the option was taken.
    package var revision: Int { gatekeeper.holder?.since ?? 0 }
    /// The number of the passage.
    package var number: Int { gatekeeper.holder?.passage.number ?? 0 }
  }

  private var held: [GatekeeperOption: Held] = [:]

  /// The number of the latest passage.
  ///
  /// Numbers never decrease, so a stale passage stays stale after an undo or a reload.
  package private(set) var lastNumber = 0

  package init() {}

  /// Restores passages that were taken before.
  package init(held passages: [Held], lastNumber: Int) {
    held = Dictionary(passages.map { ($0.option, $0) }, uniquingKeysWith: { $1 })
    self.lastNumber = max(lastNumber, passages.map(\.number).max() ?? 0)
  }

  // MARK: Asking

  /// All held passages, in the order in which they were taken.
  package var all: [Held] { held.values.sorted { $0.number < $1.number } }

  package var count: Int { held.count }
  package var options: some Collection<GatekeeperOption> { held.keys }

  package func options(of gatekeeper: String) -> [String] {
    held.keys.filter { $0.gatekeeper == gatekeeper }.map(\.option).sorted()
  }

  /// Returns true if the passages of a gatekeeper are not the ones in `other`.
  package func differ(from other: HeldPassages, of gatekeeper: String) -> Bool {
    let options = options(of: gatekeeper)
    return options != other.options(of: gatekeeper)
      || options.contains { option in
        let option = GatekeeperOption(gatekeeper: gatekeeper, option: option)
        return held[option] !== other.held[option]
      }
  }

  package subscript(option: GatekeeperOption) -> Gatekeeper<Bool> {
    held[option]?.gatekeeper ?? Gatekeeper()
  }

  /// Returns the number of the passage that holds an option; nil if it is free.
  package func number(of option: GatekeeperOption) -> Int? { held[option]?.number }

  /// Returns the time at which an option was taken; 0 if it is free.
  package func time(of option: GatekeeperOption) -> Int { held[option]?.time ?? 0 }

  /// Returns the first of these options that is held and not among `resets`, which are reset first.
  package func firstHeld(
    of options: [GatekeeperOption], besides resets: [GatekeeperOption] = []
  ) -> GatekeeperOption? {
    options.first { !self[$0].mayPass && !resets.contains($0) }
  }

  /// Returns the first of these options whose passage, by its number in `passages`, has ended.
  ///
  /// The holder of such a number must not reset the option: a late reset would free somebody else's passage.
  package func firstStale(
    of options: [GatekeeperOption], for passages: [GatekeeperOption: Int]
  ) -> GatekeeperOption? {
    options.first { option in
      guard let number = passages[option] else { return false }
      return !self[option].isHeld(by: Passage(number: number))
    }
  }

  // MARK: Changing

  /// Makes the next number greater than this one.
  package mutating func goOn(from number: Int) { lastNumber = max(lastNumber, number) }

  /// Takes an option under the next number, or returns nil if it is held.
  package mutating func attempt(
    _ option: GatekeeperOption, by name: String, at revision: Int, time: Int
  ) -> Held? {
    var gatekeeper = self[option]
    guard gatekeeper.mayPass else { return nil }
    lastNumber += 1
    gatekeeper.pass(Passage(number: lastNumber), by: name, at: revision)
    let taken = Held(option, gatekeeper, time: time)
    held[option] = taken
    return taken
  }

  /// Frees an option, no matter who holds it, and returns its passage; nil if it was free.
  package mutating func reset(_ option: GatekeeperOption) -> Held? {
    held.removeValue(forKey: option)
  }

  /// Restores a passage, to undo a reset or redo a taking.
  package mutating func put(_ passage: Held) { held[passage.option] = passage }

  /// Removes a passage, to undo a taking or redo a reset.
  package mutating func remove(_ passage: Held) { held[passage.option] = nil }
}

/// An option of one gatekeeper.
package struct GatekeeperOption: Sendable, Hashable {
  package let gatekeeper: String
  package let option: String

  package init(gatekeeper: String, option: String) {
    (self.gatekeeper, self.option) = (gatekeeper, option)
  }
}
