import Platform

/// Where the inputs for one flow are kept from session to session:
/// `$XDG_STATE_HOME/moonlatch/history/NAME-HASH`, else below `~/.local/state`.
struct HistoryFile {
  let path: String

  /// Nil where there is no home, or the folder cannot be made.
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
    // Two flows of one name in different folders have histories of their own.
    path = "\(folder)/\(name)-\(SHA256.hexadecimal(of: place).prefix(32))"
  }
}
