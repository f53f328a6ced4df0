import Platform

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The program that serves flows and reads databases, beside this one: with all that HTTP and PostgreSQL need, so that
/// this one stays small.
enum ServeProgram {
  /// It is not there.
  struct Missing: Error, CustomStringConvertible {
    let place: String
    var description: String {
      "there is no moonlatch-serve in \(place), which serves flows and reads databases: "
        + "\"scripts/install --serve\" puts it there, \"scripts/moonlatch serve\" builds it, and so does "
        + "\"swift build -c release --product moonlatch-serve --traits default,Server,PostgreSQL\""
    }
  }

  /// Becomes it, where the first argument is its command.
  static func becomeIfAsked(_ arguments: [String]) throws {
    guard arguments.count > 1, ["serve", "inspect"].contains(arguments[1]) else { return }
    try become(Array(arguments.dropFirst()))
  }

  /// Becomes it with these arguments; returns only by an error.
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
