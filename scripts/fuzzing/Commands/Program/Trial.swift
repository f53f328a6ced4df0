import Foundation

/// Something that is tried again and again, each time as a seed has it.
protocol Trial: CustomStringConvertible {
  /// Tries it once.
  ///
  /// - Throws: what was found.
  mutating func play(seed: UInt64) throws

  /// Keeps the files of the last time.
  func copyFiles(to folder: String)
}

/// How often, from which seed on, and where findings are kept.
struct Repetition {
  let seed: UInt64
  let count: UInt64
  let seconds: Double
  let folder: String
  let goesOn: Bool

  /// Tries something.
  ///
  /// - Returns: how often something was found.
  func play(_ trial: inout some Trial, named kind: String) -> Int {
    let start = Date()
    var (number, found): (UInt64, Int) = (0, 0)
    while count > 0 ? number < count : Date().timeIntervalSince(start) < seconds {
      let seed = seed &+ number
      do {
        try trial.play(seed: seed)
      } catch {
        let kept = "\(folder)/found/\(kind)-\(seed)"
        trial.copyFiles(to: kept)
        print("seed \(seed), kept in \(kept):\n\(error)\n")
        fflush(nil)
        found += 1
        if !goesOn { break }
      }
      number += 1
    }
    print(trial)
    return found
  }
}
