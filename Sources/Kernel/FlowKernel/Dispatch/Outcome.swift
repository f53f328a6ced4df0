import FlowLanguage
import LuaRuntime

/// What a dispatch came to.
public enum Outcome: Sendable {
  /// The action passed and made a transition.
  case passed(Commit)
  // The rarer cases are boxed, so that an outcome stays small where it is handed on.

  /// A rule refused the action; nothing changed.
  indirect case refused(Refusal)
  /// Something is wrong with the action or the flow; nothing changed.
  indirect case failed(DispatchFailure)

  /// Whether the action passed.
  public var isPassed: Bool {
    if case .passed = self { return true }
    return false
  }

  /// The transition of an action that passed.
  public var commit: Commit? {
    if case .passed(let commit) = self { commit } else { nil }
  }

  /// Why the action was refused, if it was.
  public var refusal: Refusal? {
    if case .refused(let refusal) = self { refusal } else { nil }
  }

  /// Why the dispatch failed, if it did.
  public var failure: DispatchFailure? {
    if case .failed(let failure) = self { failure } else { nil }
  }

  /// The transition, for who counts on the action to pass.
  ///
  /// ```swift
  /// let revision = try host.dispatch("coin", ["amount": 1]).get().revision
  /// ```
  ///
  /// - Throws: the `Refusal` or the `DispatchFailure` of an action that did not pass.
  @discardableResult
  public func get() throws -> Commit {
    switch self {
    case .passed(let commit): return commit
    case .refused(let refusal): throw refusal
    case .failed(let failure): throw failure
    }
  }
}

extension Outcome: CustomStringConvertible {
  /// One sentence.
  public var description: String {
    switch self {
    case .passed(let commit): commit.description
    case .refused(let refusal): refusal.description
    case .failed(let failure): failure.description
    }
  }
}

/// Why a dispatch failed.
public struct DispatchFailure: Error, Sendable, Hashable {
  /// What kind of failure this is.
  public enum Kind: String, Sendable, Codable {
    /// There is no such action.
    case undeclared
    /// The payload is not what the action declares.
    case payload
    /// A rule, a reducer or a view raised an error.
    case script
    /// An invariant does not hold in the state that the action would have led to.
    case invariant
    /// A limit was reached.
    case limit
  }

  /// What kind of failure this is.
  public let kind: Kind
  /// The action's name, as it was dispatched.
  public let action: String
  /// The sentence, without the place.
  public let message: String
  /// The error in the script, if there was one.
  public var script: ScriptError?
  /// For a broken invariant: the changes that were taken back.
  public var patch: Patch?

  package init(
    kind: Kind, action: String, message: String, script: ScriptError? = nil, patch: Patch? = nil
  ) {
    self.kind = kind
    self.action = action
    self.message = message
    self.script = script
    self.patch = patch
  }
}

extension DispatchFailure: CustomStringConvertible {
  /// The sentence with its place, and the traceback where there is one.
  public var description: String {
    guard let script else { return message }
    var text = script.place.isEmpty ? message : "\(script.place): \(message)"
    for frame in script.traceback { text += "\n    \(frame)" }
    return text
  }

  /// The first line of the description.
  public var summary: String {
    guard let script, !script.place.isEmpty else { return message }
    return "\(script.place): \(message)"
  }
}

/// Whether an action may pass now: steps 1 to 5 of a dispatch, without dispatching.
public enum Permission: Sendable {
  /// It may.
  case granted
  /// A rule refuses it.
  case refused(Refusal)
  /// It would fail.
  case failed(DispatchFailure)

  /// Whether the action may pass.
  public var isGranted: Bool {
    if case .granted = self { return true }
    return false
  }

  /// Why the action would be refused, if it would.
  public var refusal: Refusal? {
    if case .refused(let refusal) = self { refusal } else { nil }
  }

  /// Why the dispatch would fail, if it would.
  public var failure: DispatchFailure? {
    if case .failed(let failure) = self { failure } else { nil }
  }
}

/// Why a view has no value.
public indirect enum ViewError: Error, Sendable, CustomStringConvertible {
  /// There is no such view.
  case undeclared(String)
  /// The view raised an error, or reached a limit.
  case failed(ScriptError)
  /// The value is not of the type that was asked for.
  case mismatch(String)
  /// The host was called from inside itself, or was stopped.
  case unreachable(AgentError)
  /// What the host keeps a journal of could not be kept.
  case unsaved(JournalError)

  /// A sentence, with the traceback where there is one.
  public var description: String {
    switch self {
    case .undeclared(let message), .mismatch(let message): message
    case .unreachable(let error): error.description
    case .unsaved(let error): error.description
    case .failed(let error): error.description
    }
  }
}
