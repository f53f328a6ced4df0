import ArgumentParser

/// The completion scripts for shells, with the commands that `help` takes.
///
/// ArgumentParser makes them; it completes nothing behind `help`, and puts a space behind `junit=`, which a path
/// follows. In fish it does not.
enum CompletionScript {
  /// Returns the script that `--generate-completion-script SHELL` asks for; nil if the arguments ask for nothing.
  static func text(for arguments: some Sequence<String>) -> String? {
    let arguments = Array(arguments)
    guard arguments.count == 2, arguments[0] == "--generate-completion-script",
      let shell = CompletionShell(rawValue: arguments[1])
    else { return nil }
    let script = MoonlatchCommand.completionScript(for: shell)
    let names = MoonlatchCommand.configuration.subcommands
      .compactMap { $0.configuration.commandName }.joined(separator: " ")
    switch shell {
    case .bash:
      let added = "COMPREPLY+=(\"${completion}\")"
      let joined = script.replacing(
        added,
        with: added
          + "\n        if [[ ${completion} == *= ]]; then compopt -o nospace +o filenames 2>/dev/null; fi"
      )
      let function = "_moonlatch_help() {"
      guard let start = joined.firstRange(of: function),
        let end = joined[start.upperBound...].firstRange(of: "\n}")
      else { return joined }
      return joined.replacingCharacters(
        in: end, with: "\n    COMPREPLY+=($(compgen -W '\(names)' -- \"${cur}\"))\n}")
    case .zsh:
      let beginnings = "    local -ar beginnings=(\"${(M)@:#*=}\")\n"
      return script.replacing("'*:subcommands:'", with: "'*:subcommands:(\(names))'")
        .replacing("=(\"${@:#(|:*)}\")\n", with: "=(\"${@:#(|:*|*=)}\")\n" + beginnings)
        .replacing(
          "_describe -V '' non_empty_completions --",
          with: "_describe -V '' non_empty_completions -- beginnings -S '' --")
    case .fish:
      return script
        + "\ncomplete -c 'moonlatch' -n '__fish_seen_subcommand_from help' -f -a '\(names)'\n"
    default: return script
    }
  }
}

extension String {
  /// Returns the text with other characters in a range.
  fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
    self[..<range.lowerBound] + text + self[range.upperBound...]
  }
}
