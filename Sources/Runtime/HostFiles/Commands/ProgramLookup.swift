import Platform

/// The search for the program of a command.
enum ProgramLookup {
  private static let usualFolders = "/usr/local/bin:/usr/bin:/bin"

  /// Returns the absolute path of a program.
  ///
  /// - Parameters:
  ///   - name: a name, which is looked up in the folders of `PATH`, or a path, from the host file's folder on if it is
  ///     not absolute.
  ///   - path: the variable `PATH`; nil if it is not set. Folders that are not absolute are left out.
  ///   - folder: the folder of the host file.
  /// - Throws: an error if there is no such program that may be run.
  static func path(of name: String, in path: String?, folder: URL) throws(CallFault) -> String {
    if name.utf8.contains(UInt8(ascii: "/")) {
      let file = name.utf8.first == UInt8(ascii: "/") ? name : folder.appending(path: name).path
      if let reason = reasonNotToRun(file) {
        throw CallFault("the program \(name) cannot be run: \(reason)")
      }
      return file
    }
    let folders = (path ?? usualFolders).split(separator: ":")
      .filter { $0.utf8.first == UInt8(ascii: "/") }
    for folder in folders {
      let file = "\(folder)/\(name)"
      if reasonNotToRun(file) == nil { return file }
    }
    let advice = name.utf8.contains(UInt8(ascii: " ")) ? "; each argument is a text of its own" : ""
    throw CallFault("the program \(name) is in no folder of PATH\(advice)")
  }

  private static func reasonNotToRun(_ file: String) -> String? {
    var status = stat()
    guard stat(file, &status) == 0 else { return text(of: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { return "it is not a file" }
    return access(file, X_OK) == 0 ? nil : text(of: errno)
  }

  private static func text(of code: Int32) -> String {
    guard let text = strerror(code) else { return "error \(code)" }
    return String(cString: text).lowercased()
  }
}
