import Platform

/// The file with the inputs of earlier sessions with one flow.
///
/// Its path is `$XDG_STATE_HOME/moonlatch/history/NAME-HASH`, with `~/.local/state` as the default folder.
struct HistoryFile {
  let path: String

  /// Returns nil if there is no home folder, or the folder cannot be created.
  init?(flow: URL?, name: String, environment: [String: String]) {
    let base: String
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      base = state
    } else if let home = environment["HOME"], home.hasPrefix("/") {
      base = home + "/.local/state"
    } else {
      return nil
    }
    let folder = base + "/moonlatch/history"
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    } catch {
      return nil
    }
    let place = flow?.resolvingSymlinksInPath().standardizedFileURL.path ?? ""
    // Two flows of one name in different folders have separate histories.
    path = "\(folder)/\(name)-\(SHA256.hexadecimal(of: place).prefix(32))"
  }
}
