import FlowLanguage
import LuaRuntime

/// Something that nobody asked for and that somebody should hear of.
package enum Report: Sendable {
  /// An effect did not finish.
  case effect(title: String, ScriptError)
  /// An effect did not finish, and dispatches an action that says so; a fault is one of the script's own.
  case handled(title: String, ScriptError, by: String, isFault: Bool)
  /// An effect under way was stopped, and nothing follows on it.
  case stopped(title: String, revision: Int, String)
  /// Something that was to come will not: what, and why.
  case dropped(String, String)
  /// The transcript ended, since the host could keep no more of it.
  case transcriptEnded(revision: Int, String)
  /// An action from the queue was refused; and what is spent with it, where it is that of a state's timer.
  case queuedRefused(Refusal, spent: String?)
  /// An action from the queue failed.
  case queuedFailed(DispatchFailure)
  /// A capability has ended that nobody waited for any more: who, how, and why nobody did.
  case unheard(String, because: String)
  /// A clean-up of a scope raised an error.
  case cleanUp(scope: String, ScriptError)
  /// A function changed a local of the flow's files.
  case local(Diagnostic)
  /// An error in a document that no transition has taken.
  case untaken(String, String, SourcePlace?)
  /// A scenario asked for a capability that nobody provides.
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
      "\(refusal.action) from the queue was \(refusal)" + (spent.map { "; \($0)" } ?? "")
    case .queuedFailed(let failure): "\(failure.action) from the queue failed: \(failure)"
    case .unheard(let call, let why):
      "\(call) when nobody waited for it any more (\(why)); the flow does not know of it"
    case .cleanUp(let scope, let error): "a clean-up of scope \(scope) failed: \(error)"
    case .local(let fault): "\(fault)"
    case .untaken(let name, let message, let place):
      "\(name), which no transition takes: \(message)"
        + (place.map { $0.line > 0 && !message.contains("\($0)") ? " (\($0))" : "" } ?? "")
    case .missingCapability(let message): message
    }
  }
}
