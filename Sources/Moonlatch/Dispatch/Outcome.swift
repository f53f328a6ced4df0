/// What a dispatch came to.
public enum Outcome: Sendable {
  /// The action passed and made a transition.
  case passed(Transition)
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
}

extension Outcome: CustomStringConvertible {
  /// One sentence.
  public var description: String {
    switch self {
    case .passed(let transition): transition.description
    case .refused(let refusal): refusal.description
    case .failed(let failure): failure.description
    }
  }
}

/// Why an action did not pass.
public struct Refusal: Sendable, Hashable {
  /// The action's name.
  public let action: String
  /// Who refused: `gate push`.
  public let by: String
  /// What the rule said, if it said anything.
  public let reason: String?
  /// Where the rule is declared.
  public let place: SourcePlace
}

extension Refusal: CustomStringConvertible {
  /// `refused by gate push: insert a coin first`.
  public var description: String {
    reason.map { "refused by \(by): \($0)" } ?? "\(by) gave no reason (\(place))"
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

  /// A sentence, with the traceback where there is one.
  public var description: String {
    switch self {
    case .undeclared(let message), .mismatch(let message): message
    case .unreachable(let error): error.description
    case .failed(let error): error.description
    }
  }
}
