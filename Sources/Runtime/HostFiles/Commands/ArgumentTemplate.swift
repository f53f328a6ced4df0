import LuaRuntime

/// An argument of a command, with placeholders such as `{path}`; `{{` is a brace.
struct ArgumentTemplate: Sendable {
  enum Part: Sendable, Hashable {
    case text(String)
    case placeholder(String)
  }

  private let parts: [Part]

  /// The greatest size of an argument in bytes, with the NUL at its end: Linux allows 128 KiB.
  private static let longest = 128 << 10

  /// The names of the placeholders, in order.
  var placeholders: [String] {
    parts.compactMap { part -> String? in
      guard case .placeholder(let name) = part else { return nil }
      return name
    }
  }

  /// True for `--`, after which programs take no options.
  var endsOptions: Bool { parts == [.text("--")] }

  /// Reads an argument as the host file has it.
  init(_ text: String) throws(CallFault) {
    var parts: [Part] = []
    var fixed = ""
    var rest = text[...]
    while let brace = rest.firstIndex(of: "{") {
      fixed += rest[..<brace]
      rest = rest[rest.index(after: brace)...]
      if rest.first == "{" {
        fixed += "{"
        rest = rest.dropFirst()
        continue
      }
      let end = rest.firstIndex(of: "}")
      let name = end.map { String(rest[..<$0]) } ?? ""
      guard let end, Value.isName(name) else {
        throw CallFault(
          "the argument \"\(text)\" has { without the name of an argument and }: a brace itself is {{"
        )
      }
      if !fixed.isEmpty { parts.append(.text(fixed)) }
      fixed = ""
      parts.append(.placeholder(name))
      rest = rest[rest.index(after: end)...]
    }
    fixed += rest
    if !fixed.isEmpty || parts.isEmpty { parts.append(.text(fixed)) }
    self.parts = parts
  }

  /// Returns the argument with the values of a call.
  ///
  /// - Parameter isOperand: true if `--` stands before it, so that the program takes it for no option.
  /// - Throws: an error for a value that is missing, that no argument can have, or that would be an option.
  func filled(with call: HostCall, isOperand: Bool) throws(CallFault) -> String {
    var filled = ""
    for part in parts {
      switch part {
      case .text(let fixed): filled += fixed
      case .placeholder(let name):
        let value = try call.text(of: name, in: "the command")
        if value.utf8.contains(0) {
          throw CallFault("\(name) has the character NUL, which no argument can have")
        }
        filled += value
      }
    }
    if case .placeholder(let name)? = parts.first, !isOperand,
      filled.utf8.first == UInt8(ascii: "-")
    {
      throw CallFault(
        "\(name) begins with -, so that the program may take it for an option; the command in the host file has no -- before it"
      )
    }
    if filled.utf8.count >= ArgumentTemplate.longest {
      throw CallFault("an argument of a command must be shorter than 128 KiB")
    }
    return filled
  }
}
