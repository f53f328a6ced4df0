import CLineEdit
import FlowKernel
import Platform

/// An editor for inputs of one or more lines at a terminal, on libedit.
final class LineEditor {
  enum Result: Equatable {
    case text(String)
    /// Ctrl-C was pressed; the text is what was typed before it.
    case interrupted(String)
    /// Ctrl-D was pressed.
    case end
  }

  /// The functions that the editor calls while the user types.
  struct Callbacks {
    var isComplete: (String) -> Bool
    var complete: (String) -> Completion
    var pasted: (String) -> String
    /// Called when the time is up or a watched file has changed; returns what to print above the line.
    var woke: (LineEditor) -> String?
    /// Returns the style of each byte of an input; nil without colours.
    var paint: ((String) -> [UInt8])?
  }

  /// The prompt of all lines of an input but the first.
  static let continuation = LINE_CONTINUATION

  /// Returns a text with the spaces that the continuation prompts are painted on.
  static func indented(_ text: String) -> String {
    text.replacing("\n", with: "\n" + String(repeating: " ", count: continuation.utf8.count))
  }

  /// Returns a text without these spaces, in each line that has them.
  static func unindented(_ text: String) -> String {
    text.replacing("\n" + String(repeating: " ", count: continuation.utf8.count), with: "\n")
  }

  /// The current width of the terminal.
  static var width: Int { Int(line_terminal_width()) }

  /// The current height of the terminal.
  static var height: Int { Int(line_terminal_height()) }

  private let callbacks: Callbacks
  private var editor: OpaquePointer?

  /// Returns nil if the terminal does not support editing.
  init?(_ callbacks: Callbacks) {
    self.callbacks = callbacks
    var raw = line_callbacks()
    raw.context = Unmanaged.passUnretained(self).toOpaque()
    raw.is_complete = { context, text, length in
      LineEditor.from(context)?.callbacks.isComplete(
        LineEditor.unindented(LineEditor.string(text, length))) ?? true
    }
    raw.complete = { context, text, length in
      guard let editor = LineEditor.from(context) else { return line_completion() }
      let found = editor.callbacks.complete(LineEditor.unindented(LineEditor.string(text, length)))
      return line_completion(
        replaced: found.replaced, text: found.text.flatMap { strdup($0) },
        choices: found.choices.flatMap { strdup(LineEditor.shown($0)) })
    }
    raw.pasted = { context, text, length in
      let text = LineEditor.string(text, length)
      return strdup(LineEditor.indented(LineEditor.from(context)?.callbacks.pasted(text) ?? text))
    }
    raw.woke = { context in
      guard let editor = LineEditor.from(context) else { return nil }
      return editor.callbacks.woke(editor).flatMap { strdup(LineEditor.shown($0)) }
    }
    if callbacks.paint != nil {
      raw.paint = { context, text, length, styles in
        guard let styles, let paint = LineEditor.from(context)?.callbacks.paint else { return }
        let found = paint(LineEditor.string(text, length))
        for (index, style) in found.prefix(length).enumerated() { styles[index] = style }
      }
    }
    editor = line_editor_open("moonlatch", raw)
    if editor == nil { return nil }
  }

  deinit { if let editor { line_editor_close(editor) } }

  private static func from(_ context: UnsafeMutableRawPointer?) -> LineEditor? {
    context.map { Unmanaged<LineEditor>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func string(_ text: UnsafePointer<CChar>?, _ length: Int) -> String {
    String(decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
  }

  /// Returns a text as the editor prints it above or below the line.
  private static func shown(_ text: String) -> String {
    Terminal.shown(text).replacing("\n", with: "\r\n")
  }

  /// Reads an input.
  ///
  /// Escape sequences in the prompt must stand between pairs of `\u{1}`.
  func read(prompt: String) -> Result {
    guard let editor else { return .end }
    var text: UnsafePointer<CChar>?
    let result = line_editor_read(editor, prompt, &text)
    let typed = text.map { String(cString: $0) } ?? ""
    switch result {
    case LINE_TEXT: return .text(typed)
    case LINE_INTERRUPTED: return .interrupted(typed)
    default: return .end
    }
  }

  /// Sets the prompt, which is shown once the result of `woke` has been printed.
  func setPrompt(_ prompt: String) {
    if let editor { line_editor_set_prompt(editor, prompt) }
  }

  /// Makes the editor call `woke` when the descriptor is readable, or after this time without a key.
  func watch(_ descriptor: Int32?, milliseconds: Int?) {
    guard let editor else { return }
    line_editor_watch(editor, descriptor ?? -1)
    line_editor_set_timeout(editor, Int32(clamping: milliseconds ?? -1))
  }

  // MARK: History

  func remember(_ text: String) {
    if let editor { line_history_add(editor, text) }
  }

  /// Adds the inputs of a file to the history.
  func loadHistory(from path: String) {
    if let editor { _ = line_history_load(editor, path) }
  }

  /// Appends the newest input to the file, after whatever other sessions have appended meanwhile.
  func appendHistory(to path: String) {
    if let editor { _ = line_history_append(editor, path) }
  }
}
