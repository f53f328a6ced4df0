import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A program as a whole process, timed from its start to its end.
public struct Program {
  private let words: [String]
  private let folder: URL
  private let expected: String

  /// `expected` is what its output contains when it has done its work.
  public init(_ words: [String], in folder: URL, says expected: String) {
    self.words = words
    self.folder = folder
    self.expected = expected
  }

  /// Runs it once.
  public func seconds() throws -> Double { try measure().seconds }

  /// Runs it once, and gives the processor time that it used, the most memory that it held, in MiB, and its output too.
  ///
  /// The memory is never less than that of this process, because the program begins as a copy of it; `peak` reports
  /// less.
  public func measure() throws -> (
    seconds: Double, processor: Double, peak: Double, output: String
  ) {
    try run { _ in }
  }

  /// Runs it once, and gives the most memory that it held, in MiB, as the system's record of the
  /// program says about a millisecond before its end.
  ///
  /// Without such a record it returns the same as `measure`.
  public func peak() throws -> Double {
    var peak = 0.0
    let run = try run { process in
      while let held = Program.mostMemory(of: process) {
        peak = max(peak, held)
        usleep(1_000)
      }
    }
    return peak > 0 ? peak : run.peak
  }

  /// The most that a running process has held so far, in MiB; nil for one that has ended.
  public static func mostMemory(of process: pid_t) -> Double? {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
      let kibibytes = line.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
    else { return nil }
    return kibibytes / 1_024
  }

  private func run(_ watch: (pid_t) -> Void) throws -> (
    seconds: Double, processor: Double, peak: Double, output: String
  ) {
    let output = folder.deletingLastPathComponent().appending(path: "output").path
    guard chdir(folder.path) == 0 else { throw WrongResult("\(folder.path) is gone") }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    arguments.append(nil)
    defer { for word in arguments { free(word) } }
    let start = ContinuousClock.now
    var process: pid_t = 0
    guard posix_spawnp(&process, words[0], &actions, nil, arguments, environ) == 0 else {
      throw WrongResult("\(words[0]) could not be started")
    }
    watch(process)
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0 && errno == EINTR {}
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
    try WrongResult.unless(
      status == 0 && (expected.isEmpty || text.contains(expected)),
      "\(words.joined(separator: " ")) did not do its work: \(text.suffix(300))")
    let processor = Program.seconds(usage.ru_utime) + Program.seconds(usage.ru_stime)
    return (seconds, processor, Double(usage.ru_maxrss) / Program.maxrssPerMiB, text)
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }

  /// Linux counts in KiB, macOS in bytes.
  #if os(macOS)
    private static let maxrssPerMiB = 1_048_576.0
  #else
    private static let maxrssPerMiB = 1_024.0
  #endif
}
