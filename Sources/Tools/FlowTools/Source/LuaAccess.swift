/// A name with a chain of fields: `s.session.id`, `view.takings`.
package struct LuaAccess: Sendable {
  package enum Step: Sendable, Hashable {
    /// `.name`, or `["name"]`.
    case field(String)
    /// `:name(...)`.
    case method(String)
    /// `[expression]`.
    case computed
  }

  /// The use of the place that the access names.
  package enum Use: Sendable {
    case read
    /// A value is assigned.
    case written
    /// Only nil or `none` is assigned.
    case cleared
    /// A function of this name is defined.
    case defined
  }

  /// The name; empty if the chain begins with the result of a call or the like.
  package let root: String
  package let steps: [Step]
  /// The tokens of the access.
  package let tokens: Range<Int>
  package let line: Int
  /// The index of the innermost enclosing function.
  package let function: Int?
  package internal(set) var use = Use.read

  /// The names of its fields.
  package var fields: [String] {
    steps.compactMap { if case .field(let name) = $0 { name } else { nil } }
  }

  /// The field directly after the root.
  package var firstField: String? {
    if case .field(let name)? = steps.first { name } else { nil }
  }
}

/// A function of Lua source.
package struct LuaFunction: Sendable {
  /// The last part of its name, if it is written with one.
  package let name: String?
  package let parameters: [String]
  /// The index of the enclosing function.
  package let parent: Int?
  package let line: Int
  /// Its tokens, from the first after its parameters.
  package internal(set) var tokens: Range<Int>
}
