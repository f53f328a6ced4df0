import Platform

extension Session {
  /// Opens the flow in the user's editor and reloads what was saved.
  func edit() throws -> String {
    guard text.file != nil else {
      throw CommandError("the flow that was typed has no file yet: :save NAME.lua first")
    }
    let variables = ProcessInfo.processInfo.environment
    let editor =
      [variables["VISUAL"], variables["EDITOR"]].compactMap { $0 }.first { !$0.isEmpty } ?? "vi"
    let line = editor + " \"$1\""
    guard let status = Shell.run(line, with: [text.displayName]) else {
      throw CommandError("no shell could be started")
    }
    guard status == 0 else {
      throw CommandError("\(editor) ended with \(status); nothing was reloaded")
    }
    return try reload(.keep)
  }
}
