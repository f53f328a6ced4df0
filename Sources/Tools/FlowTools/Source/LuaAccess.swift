/// A name, and the fields that are reached from it: `s.session.id`, `view.takings`.
package struct LuaAccess: Sendable {
  package enum Step: Sendable, Hashable {
    /// `.name`, or `["name"]`.
    case field(String)
    /// `:name(...)`.
    case method(String)
    /// `[expression]`.
    case computed
  }

  /// What is done to the place that the access names.
  package enum Use: Sendable {
    case read
    /// Something is put there.
    case written
    /// Nothing but nil or `none` is put there.
    case cleared
    /// A function of this name is defined.
    case defined
  }

  /// The name; empty where the fields are those of a call's result or the like.
  package let root: String
  package let steps: [Step]
  /// The words of the access.
  package let tokens: Range<Int>
  package let line: Int
  /// The innermost function around it, as an index.
  package let function: Int?
  package internal(set) var use = Use.read

  /// The names of its fields.
  package var fields: [String] {
    steps.compactMap { if case .field(let name) = $0 { name } else { nil } }
  }

  /// The field right behind the root.
  package var firstField: String? {
    if case .field(let name)? = steps.first { name } else { nil }
  }
}

/// A function of Lua source.
package struct LuaFunction: Sendable {
  /// The last part of its name where it is written with one.
  package let name: String?
  package let parameters: [String]
  /// The function around it, as an index.
  package let parent: Int?
  package let line: Int
  /// Its words, from the first behind its parameters.
  package internal(set) var tokens: Range<Int>
}
