import Bench
import Foundation

/// A program of another system, which does the same work and prints its figures: lines of a name and
/// nanoseconds, and a line `version` that says what it is.
struct Peer {
  let name: String
  /// The figures that the program printed; nil if it could not be run.
  private let lines: [String: String]?
  /// True if the program is installed.
  let isInstalled: Bool
  /// Why there are no figures of it.
  let fault: String?

  /// Runs it, unless a part of it is missing.
  init(_ name: String, _ words: [String]?, environment: [String: String] = [:]) {
    self.name = name
    isInstalled = words != nil
    guard let words else {
      (lines, fault) = (nil, "\(name) is not installed")
      return
    }
    do {
      lines = try Peer.run(words, environment: environment)
      fault = nil
    } catch {
      (lines, fault) = (nil, "\(name) did not run: \(error)")
    }
  }

  /// The name of the program, with its version.
  var version: String? { lines?["version"] }

  /// Nil when it did not run.
  func figure(_ key: String) throws -> Figure? {
    guard let lines else { return nil }
    guard let figure = lines[key].flatMap(Double.init) else {
      throw WrongResult("\(name) has not measured \(key)")
    }
    return .nanoseconds(figure)
  }

  /// The lines that a program prints, by their first words.
  static func run(
    _ words: [String], environment: [String: String] = [:]
  ) throws -> [String: String] {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    try WrongResult.unless(
      process.terminationStatus == 0,
      "\(words.joined(separator: " ")) ended with \(process.terminationStatus)")
    var lines: [String: String] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
      if parts.count == 2 { lines[parts[0]] = parts[1] }
    }
    return lines
  }
}
