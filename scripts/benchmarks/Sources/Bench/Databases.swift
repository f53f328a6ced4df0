import Foundation

/// Databases for journals on one PostgreSQL server.
public enum Databases {
  /// Makes one.
  ///
  /// - Returns: its URL.
  public static func make(_ name: String, at url: String) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["psql", url, "-q", "-c", "CREATE DATABASE \(name)"]
    try process.run()
    process.waitUntilExit()
    let slash = url.lastIndex(of: "/") ?? url.endIndex
    try WrongResult.unless(process.terminationStatus == 0, "no database could be made")
    return url[..<slash] + "/" + name
  }
}
