#if Server
  import Foundation

  /// A program that sends requests to a server, whose address and token it finds in its environment.
  ///
  /// It is killed with the value.
  final class WorkerProcess {
    private let process = Process()

    /// Starts a program, with its arguments.
    init(_ words: [String], of server: ServerProcess, _ folder: ServedFolder) throws {
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = words
      process.currentDirectoryURL = folder.url
      process.environment = ProcessInfo.processInfo.environment.merging(
        ["MOONLATCH": server.address, "TOKEN": server.token]
      ) { $1 }
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
    }

    deinit { killNow() }

    /// Waits for the end, and returns the exit code.
    func waitForEnd() -> Int32 {
      process.waitUntilExit()
      return process.terminationStatus
    }

    /// Kills the process as `kill -9` does, and waits for its end.
    func killNow() {
      guard process.isRunning else { return }
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }
#endif
