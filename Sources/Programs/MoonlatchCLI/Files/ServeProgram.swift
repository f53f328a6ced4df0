import HostFiles
import Platform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The program `moonlatch-serve` beside this one, which serves flows, makes real calls and reads databases.
///
/// It has all that HTTP and PostgreSQL need, so that this program stays small.
enum ServeProgram {
  /// The error if the program is not installed.
  struct Missing: Error, CustomStringConvertible {
    let place: String
    var description: String {
      "there is no moonlatch-serve in \(place), which serves flows, makes real calls and reads databases: "
        + "\"scripts/install --serve\" puts it there, \"scripts/moonlatch serve\" builds it, and so does "
        + "\"swift build -c release --product moonlatch-serve --traits default,Server,PostgreSQL\""
    }
  }

  /// Replaces this process by the other program if the first argument is one of its commands.
  static func becomeIfAsked(_ arguments: [String]) throws {
    guard arguments.count > 1, ["serve", "inspect"].contains(arguments[1]) else { return }
    try become(Array(arguments.dropFirst()))
  }

  /// Replaces this process by the other program, for `--live`, unless this program makes real calls itself.
  static func becomeForLiveCalls() throws {
    if LiveClient.current == nil { try become(Array(CommandLine.arguments.dropFirst())) }
  }

  /// Replaces this process by the other program with these arguments; returns only with an error.
  static func become(_ arguments: [String]) throws -> Never {
    let folder = ownFolder
    let path = folder + "/moonlatch-serve"
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    execv(path, &words)
    throw Missing(place: folder)
  }

  private static var ownFolder: String {
    #if os(Linux)
      let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    #else
      let own = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    #endif
    let folder = own.deletingLastPathComponent().path(percentEncoded: false)
    return folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
  }
}
