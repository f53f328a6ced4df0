import FlowLanguage
import LuaRuntime

/// The outcome of a dispatch.
public enum Outcome: Sendable {
  /// The action passed and made a commit.
  case passed(Commit)
  // The rarer cases are boxed, so that an outcome stays small where it is handed on.

  /// A rule refused the action; nothing changed.
  indirect case refused(Refusal)
  /// The dispatch failed, because of an error in the action or the flow or because of a limit; nothing changed.
  indirect case failed(DispatchFailure)

  /// True if the action passed.
  public var isPassed: Bool {
    if case .passed = self { return true }
    return false
  }

  /// The commit of an action that passed; otherwise nil.
  public var commit: Commit? {
    if case .passed(let commit) = self { commit } else { nil }
  }

  /// The refusal of an action that was refused; otherwise nil.
  public var refusal: Refusal? {
    if case .refused(let refusal) = self { refusal } else { nil }
  }

  /// The failure of a dispatch that failed; otherwise nil.
  public var failure: DispatchFailure? {
    if case .failed(let failure) = self { failure } else { nil }
  }

  /// Returns the commit, or throws if the action did not pass.
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
  /// The outcome in words.
  public var description: String {
    switch self {
    case .passed(let commit): commit.description
    case .refused(let refusal): refusal.description
    case .failed(let failure): failure.description
    }
  }
}

/// The failure of a dispatch.
public struct DispatchFailure: Error, Sendable, Hashable {
  /// The kind of a failure.
  public enum Kind: String, Sendable, Codable {
    /// There is no such action.
    case undeclared
    /// The payload does not match the action's declaration.
    case payload
    /// A rule, a reducer or a view raised an error.
    case script
    /// An invariant does not hold in the state that the action would have led to.
    case invariant
    /// A limit was reached.
    case limit
  }

  /// The kind of a failure.
  public let kind: Kind
  /// The action's name, as it was dispatched.
  public let action: String
  /// The message, without the place.
  public let message: String
  /// The error in the script; nil if there was none.
  public var script: ScriptError?
  /// Every write that was rolled back, in order, for a broken invariant; otherwise nil.
  public var writes: Patch?
  /// The net changes that were rolled back, for a broken invariant; otherwise nil.
  public var changes: Patch? { writes?.net }

  package init(
    kind: Kind, action: String, message: String, script: ScriptError? = nil, writes: Patch? = nil
  ) {
    self.kind = kind
    self.action = action
    self.message = message
    self.script = script
    self.writes = writes
  }
}

extension DispatchFailure: CustomStringConvertible {
  /// The message with its place, followed by the traceback if there is one.
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

/// The permission of an action: the result of steps 1 to 5 of a dispatch, without dispatching.
public enum Permission: Sendable {
  /// The action may pass.
  case granted
  /// A rule refuses the action.
  case refused(Refusal)
  /// The dispatch would fail.
  case failed(DispatchFailure)

  /// True if the action may pass.
  public var isGranted: Bool {
    if case .granted = self { return true }
    return false
  }

  /// The refusal, if the action would be refused; otherwise nil.
  public var refusal: Refusal? {
    if case .refused(let refusal) = self { refusal } else { nil }
  }

  /// The failure, if the dispatch would fail; otherwise nil.
  public var failure: DispatchFailure? {
    if case .failed(let failure) = self { failure } else { nil }
  }
}

/// The reason why a view has no value.
public indirect enum ViewError: Error, Sendable, CustomStringConvertible {
  /// There is no such view.
  case undeclared(String)
  /// The view raised an error, or reached a limit.
  case failed(ScriptError)
  /// The value does not have the requested type.
  case mismatch(String)
  /// The host was called from inside itself, or was stopped.
  case unreachable(AgentError)
  /// The journal of the host or the case could not be read or written.
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
