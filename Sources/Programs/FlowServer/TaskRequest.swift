#if Server
  import FlowLanguage
  import Hummingbird
  import LuaRuntime

  /// The body of a request about tasks, whose fields are read by name.
  ///
  /// Each error names the field; a field that the request does not take is one.
  struct TaskRequest {
    private let fields: [String: Value]

    /// Reads the body of a request.
    ///
    /// - Parameters:
    ///   - known: the names of the fields that it may have.
    ///   - most: the greatest size of the body, in bytes, if it may be larger than others.
    ///   - problem: the problem of a larger body.
    init(
      _ call: Call, fields known: [String], upTo most: Int = 0, _ problem: Problem? = nil
    ) async throws {
      let body = try await call.body(upTo: most, problem)
      guard let fields = body.isNil ? [:] : body.recordValue else {
        throw Problem.badRequest("the body must be an object")
      }
      for name in fields.keys.sorted() where !known.contains(name) {
        let takes = known.isEmpty ? "none" : Names.list(known)
        throw Problem.badRequest(
          "the body has no field \(name)\(Names.suggestion(for: name, among: known)); it takes \(takes)"
        )
      }
      self.fields = fields
    }

    /// Returns a field; nil if it is missing or null.
    subscript(name: String) -> Value? { fields[name].flatMap { $0.isNil ? nil : $0 } }

    /// Returns a text; nil if it is missing.
    func text(_ name: String, longest: Int) throws -> String? {
      guard let value = self[name] else { return nil }
      guard let text = value.stringValue, (1...longest).contains(text.utf8.count) else {
        throw Problem.badRequest("\(name) must be a string of 1 to \(longest) bytes")
      }
      return text
    }

    /// Returns a text that must be there.
    func requiredText(_ name: String, longest: Int) throws -> String {
      guard let text = try text(name, longest: longest) else {
        throw Problem.badRequest("\(name) is missing")
      }
      return text
    }

    /// Returns a whole number; nil if it is missing.
    func number(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
      guard let value = self[name] else { return nil }
      guard let number = value.integerValue, range.contains(number) else {
        throw Problem.badRequest(
          "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      return number
    }

    /// Returns a duration in seconds; nil if it is missing.
    ///
    /// - Parameter limits: the limits as a sentence names them, such as `0 to 50s`.
    func duration(
      _ name: String, in range: ClosedRange<Double>, _ limits: String
    ) throws -> Double? {
      guard let value = self[name] else { return nil }
      guard let seconds = value.seconds, range.contains(seconds) else {
        throw Problem.badRequest("\(name) must be a duration from \(limits), such as \"20s\"")
      }
      return seconds
    }

    /// Returns a boolean; nil if it is missing.
    func flag(_ name: String) throws -> Bool? {
      guard let value = self[name] else { return nil }
      guard case .boolean(let flag) = value else {
        throw Problem.badRequest("\(name) must be true or false")
      }
      return flag
    }

    /// Returns a list of 1 to `most` different texts, which must be there.
    func texts(_ name: String, most: Int) throws -> [String] {
      guard let value = self[name] else { throw Problem.badRequest("\(name) is missing") }
      let texts = value.listValue?.compactMap(\.stringValue) ?? []
      guard (1...most).contains(texts.count), texts.count == value.listValue?.count,
        Set(texts).count == texts.count
      else {
        throw Problem.badRequest("\(name) must be a list of 1 to \(most) different strings")
      }
      return texts
    }
  }
#endif
