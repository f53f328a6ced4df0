import FlowLanguage
import LuaRuntime

/// The result of a webhook's function: what follows from an event.
package enum HookAnswer: Sendable, Hashable {
  /// Nothing.
  case ignored
  /// An action of a case, once for each key.
  ///
  /// `given` is the part of the state with which the case is created if there is none; nil if it is not created.
  case dispatch(caseID: String, action: String, payload: Value, key: String, given: Value?)
  /// The result of a call.
  case result(call: String, Value)
  /// The error of a call.
  case failure(call: String, error: String, isRetryable: Bool)

  /// A result of another form.
  package struct Misfit: Error, CustomStringConvertible { package let description: String }

  /// The greatest length of the id of a case and of a key, in characters.
  private static let (longestID, longestKey) = (256, 1_000)
  private static let ofDispatch = ["case", "action", "payload", "key", "create"]
  private static let ofCall = ["call", "result", "error", "retryable"]

  /// Reads the result of a webhook's function.
  ///
  /// - Throws: `Misfit`, which names the field.
  package init(_ value: Value) throws(Misfit) {
    if value.isNil {
      self = .ignored
      return
    }
    guard let fields = value.recordValue, !fields.isEmpty else {
      throw Misfit(
        description:
          "run must return nothing, { case, action, payload, key } or { call, result }, got "
          + String(JSONText.text(value).prefix(80)))
    }
    let known = fields["call"] == nil ? HookAnswer.ofDispatch : HookAnswer.ofCall
    for name in fields.keys.sorted() where !known.contains(name) {
      throw Misfit(
        description: "run returned a field \(name)\(Names.suggestion(for: name, among: known)); "
          + "it returns \(known.joined(separator: ", "))")
    }
    if fields["call"] == nil {
      self = try HookAnswer(dispatch: fields)
    } else {
      self = try HookAnswer(call: fields)
    }
  }

  private init(dispatch fields: [String: Value]) throws(Misfit) {
    let id = try HookAnswer.text("case", fields, longest: HookAnswer.longestID)
    let key = try HookAnswer.text("key", fields, longest: HookAnswer.longestKey)
    guard let action = fields["action"]?.stringValue else {
      throw Misfit(description: "run returned no action, which must be a name in quotes")
    }
    let payload = fields["payload"] ?? [:]
    guard payload.recordValue != nil else {
      throw Misfit(description: "run returned a payload that is not a record")
    }
    let given: Value?
    switch fields["create"] {
    case nil, .boolean(false)?: given = nil
    case .boolean(true)?: given = .record([:])
    case let record?:
      guard record.recordValue != nil else {
        throw Misfit(
          description: "run returned a create that is neither true nor a part of the state")
      }
      given = record
    }
    self = .dispatch(caseID: id, action: action, payload: payload, key: key, given: given)
  }

  private init(call fields: [String: Value]) throws(Misfit) {
    let call = try HookAnswer.text("call", fields, longest: HookAnswer.longestKey)
    guard let error = fields["error"] else {
      if fields["retryable"] != nil {
        throw Misfit(description: "run returned retryable without an error")
      }
      self = .result(call: call, fields["result"] ?? .nil)
      return
    }
    guard fields["result"] == nil else {
      throw Misfit(description: "run returned both an error and a result")
    }
    guard let text = error.stringValue else {
      throw Misfit(description: "run returned an error that is not a text")
    }
    switch fields["retryable"] {
    case nil, .boolean(true)?: self = .failure(call: call, error: text, isRetryable: true)
    case .boolean(false)?: self = .failure(call: call, error: text, isRetryable: false)
    default:
      throw Misfit(description: "run returned a retryable that is neither true nor false")
    }
  }

  /// Returns a field that is a text, or a whole number.
  private static func text(
    _ name: String, _ fields: [String: Value], longest: Int
  ) throws(Misfit) -> String {
    let field = fields[name] ?? .nil
    let text = field.stringValue ?? field.integerValue.map { String($0) } ?? ""
    guard (1...longest).contains(text.unicodeScalars.count), !text.utf8.contains(0) else {
      throw Misfit(
        description: "run returned no \(name), which must be a text of 1 to \(longest) characters")
    }
    return text
  }
}
