import Bench
import Foundation

/// A program that was run to its end, and what it took.
struct Child {
  let output: String
  /// Of the processor, its threads together.
  let seconds: Double
  /// From its start to its end.
  let wall: Double
  /// The most that it had in memory.
  let bytes: Double

  /// - Parameter codes: with which it may end.
  init(_ arguments: [String], in folder: URL, codes: Set<Int32> = [0]) throws {
    let file = folder.appending(path: "output").path
    guard FileManager.default.createFile(atPath: file, contents: nil),
      FileManager.default.changeCurrentDirectoryPath(folder.path)
    else { throw WrongResult("\(folder.path) cannot be written to") }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, file, O_WRONLY | O_TRUNC, 0)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    var words = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let begin = ContinuousClock().now
    guard posix_spawnp(&process, arguments[0], &actions, nil, &words, environ) == 0 else {
      throw WrongResult("\(arguments[0]) could not be started")
    }
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0, errno == EINTR {}
    wall = Stopwatch.nanoseconds(ContinuousClock().now - begin) / 1e9
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    self.seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime)
    bytes = Double(usage.ru_maxrss) * 1_024
    output = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    let code = status >> 8 & 0xff
    guard status & 0x7f == 0, codes.contains(code) else {
      throw WrongResult("\(arguments.joined(separator: " ")) ended with \(code):\n\(output)")
    }
  }
}
