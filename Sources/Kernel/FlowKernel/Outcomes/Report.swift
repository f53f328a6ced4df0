import FlowLanguage
import LuaRuntime

/// A report of something that happened outside of any call.
package enum Report: Sendable {
  /// An effect did not finish.
  case effect(title: String, ScriptError)
  /// An effect did not finish, and dispatches its `on_error` action; a fault is an error of the script itself.
  case handled(title: String, ScriptError, by: String, isFault: Bool)
  /// An effect under way was stopped, and nothing follows it.
  case stopped(title: String, revision: Int, String)
  /// Something pending was dropped: its name, and why.
  case dropped(String, String)
  /// The transcript ended, because the host could store no more of it.
  case transcriptEnded(revision: Int, String)
  /// An action from the queue was refused, with the state's timer that was refused with it, if any.
  case queuedRefused(Refusal, spent: String?)
  /// An action from the queue failed.
  case queuedFailed(DispatchFailure)
  /// A capability ended for which nothing waited any more: its caller and result, and why nothing waited.
  case unheard(String, because: String)
  /// A clean-up of a scope raised an error.
  case cleanUp(scope: String, ScriptError)
  /// A function changed a local of the flow's files.
  case local(Diagnostic)
  /// No transition handled an error in a document.
  case untaken(String, String, SourcePlace?)
  /// A scenario asked for a capability that nobody provides, or a durable effect waits for one.
  case missingCapability(String)
}

extension Report: CustomStringConvertible {
  package var description: String {
    switch self {
    case .effect(let title, let error): "\(title) did not finish: \(error)"
    case .handled(let title, let error, let action, _):
      "\(title) did not finish: \(error); \(action) follows"
    case .stopped(let title, let revision, let why): "\(title) of #\(revision) was stopped: \(why)"
    case .dropped(let what, let why): "\(what) was dropped: \(why)"
    case .transcriptEnded(let revision, let why): "the transcript ends at #\(revision): \(why)"
    case .queuedRefused(let refusal, let spent):
      "\(refusal.action) from the queue was \(refusal.reason == nil ? "refused: " : "")\(refusal)"
        + (spent.map { "; \($0)" } ?? "")
    case .queuedFailed(let failure): "\(failure.action) from the queue failed: \(failure)"
    case .unheard(let call, let why):
      "\(call) after the flow had stopped waiting for it (\(why)); the flow never receives it"
    case .cleanUp(let scope, let error): "a clean-up of scope \(scope) failed: \(error)"
    case .local(let fault): "\(fault)"
    case .untaken(let name, let message, let place):
      "no transition handles \(name): \(message)"
        + (place.map { $0.line > 0 && !message.contains("\($0)") ? " (\($0))" : "" } ?? "")
    case .missingCapability(let message): message
    }
  }
}
