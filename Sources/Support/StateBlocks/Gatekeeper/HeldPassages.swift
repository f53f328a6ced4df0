/// Who holds what, in all gatekeepers of a flow: for each of their options that is held a yes/no
/// gatekeeper.
///
/// To ask about several options and then to take them are two steps, because there may be more to
/// ask in between. A copy is a snapshot, and what was taken or reset can be undone one by one.
///
/// It is not generic: flows ask in every dispatch, and code of another module is not specialized.
package struct HeldPassages: Sendable {
  /// The gatekeeper of an option while somebody holds it: one object, which the history shares.
  package final class Held: Sendable {
    package let option: GatekeeperOption
    fileprivate let gatekeeper: Gatekeeper<Bool>
    /// Since when, by the clock of the flow's host.
    package let time: Int

    init(_ option: GatekeeperOption, _ gatekeeper: Gatekeeper<Bool>, time: Int) {
      (self.option, self.gatekeeper, self.time) = (option, gatekeeper, time)
    }

    /// A passage that was taken before, under its number.
    package convenience init(
      _ option: GatekeeperOption, by name: String, at revision: Int, number: Int, time: Int
    ) {
      var gatekeeper = Gatekeeper<Bool>()
      gatekeeper.pass(Passage(number: number), by: name, at: revision)
      self.init(option, gatekeeper, time: time)
    }

    /// Who has taken it.
    package var name: String { gatekeeper.holder?.name ?? "" }
    /// The revision that has.
    package var revision: Int { gatekeeper.holder?.since ?? 0 }
    /// The number of the passage.
    package var number: Int { gatekeeper.holder?.passage.number ?? 0 }
  }

  private var held: [GatekeeperOption: Held] = [:]

  /// The number of the latest passage.
  ///
  /// Numbers never go back: what is stale stays so, whatever is undone or reloaded.
  package private(set) var lastNumber = 0

  package init() {}

  /// What is held by passages that were taken before.
  package init(held passages: [Held], lastNumber: Int) {
    held = Dictionary(passages.map { ($0.option, $0) }, uniquingKeysWith: { $1 })
    self.lastNumber = max(lastNumber, passages.map(\.number).max() ?? 0)
  }

  // MARK: Asking

  /// All that is held, in the order in which it was taken.
  package var all: [Held] { held.values.sorted { $0.number < $1.number } }

  package var count: Int { held.count }
  package var options: some Collection<GatekeeperOption> { held.keys }

  package func options(of gatekeeper: String) -> [String] {
    held.keys.filter { $0.gatekeeper == gatekeeper }.map(\.option).sorted()
  }

  /// Whether the passages of a gatekeeper are not those that another moment has.
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

  /// The number of the passage that holds an option; nil where nobody does.
  package func number(of option: GatekeeperOption) -> Int? { held[option]?.number }

  /// When an option was taken; 0 where nobody holds it.
  package func time(of option: GatekeeperOption) -> Int { held[option]?.time ?? 0 }

  /// The first of these options that is held, besides those that are reset before.
  package func firstHeld(
    of options: [GatekeeperOption], besides resets: [GatekeeperOption] = []
  ) -> GatekeeperOption? {
    options.first { !self[$0].mayPass && !resets.contains($0) }
  }

  /// The first of these options whose passage is over for one who took it under such a number.
  ///
  /// They must not reset it: a late reset would free somebody else's passage.
  package func firstStale(
    of options: [GatekeeperOption], for passages: [GatekeeperOption: Int]
  ) -> GatekeeperOption? {
    options.first { option in
      guard let number = passages[option] else { return false }
      return !self[option].isHeld(by: Passage(number: number))
    }
  }

  // MARK: Changing

  /// The next number is behind this one at least.
  package mutating func goOn(from number: Int) { lastNumber = max(lastNumber, number) }

  /// Passes for an option, under the next number, or returns nil.
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

  /// Frees an option, whoever holds it; nil: nobody did.
  package mutating func reset(_ option: GatekeeperOption) -> Held? {
    held.removeValue(forKey: option)
  }

  /// Undoes a reset, or passes again.
  package mutating func put(_ passage: Held) { held[passage.option] = passage }

  /// Undoes a passage, or resets again.
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
