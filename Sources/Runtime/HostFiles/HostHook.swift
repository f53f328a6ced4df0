import FlowLanguage
import LuaRuntime

/// A webhook of a host file: signed requests of other programs, which become actions or answers of tasks.
package struct HostHook: Sendable {
  package let name: String
  /// The line of the host file that declares it.
  package let place: SourcePlace
  package let signature: HookSignature
  /// The actions that it may dispatch.
  package let actions: [String]
  /// True if an action that the flow refuses is done for the sender, who must not send it again.
  package let acceptsRefusals: Bool
  /// The function that reads an event.
  let run: HostFunction

  /// Reads the prelude's description.
  init(_ entry: Value, _ lines: HostFileLines) {
    name = entry["name"]?.stringValue ?? ""
    place = lines.place(ofHook: name, endingAt: SourcePlace(describedIn: entry))
    signature = HookSignature(entry)
    actions = (entry["actions"]?.listValue ?? []).compactMap(\.stringValue)
    acceptsRefusals = entry["accepts_refusals"] == true
    run = HostFunction(name: "hooks.\(name)")
  }

  /// The name as the host file has it, such as `hooks.stripe`.
  package var title: String { "hooks.\(name)" }

  /// The request in a line, such as `POST /hooks/stripe`.
  package var summary: String { "POST /hooks/\(name)" }

  /// Returns a fault for each action that the webhook cannot dispatch in a flow.
  func faults(for flow: Flow) -> [Diagnostic] {
    actions.compactMap { action in
      let message: String
      switch flow.action(named: action)?.isInternal {
      case false?: return nil
      case true?:
        message = "\(title): action \(action) is internal, so that a webhook cannot dispatch it"
      case nil:
        let known = flow.actions.filter { !$0.isInternal }.map(\.name)
        message =
          "\(title): \(flow.file) declares no action \(action)"
          + Names.suggestion(for: action, among: known)
      }
      return Diagnostic(file: place.file, line: place.line, message: message)
    }
  }
}
