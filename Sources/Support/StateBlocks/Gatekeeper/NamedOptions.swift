/// A type of options that have names for refusals.
///
/// Without it, the members of an option set are printed as Swift prints them (`State(rawValue: 1)`). A `Set` needs no
/// names: its elements are printed.
///
/// ```swift
/// struct State: OptionSet, NamedOptions {
///   let rawValue: Int
///   static let loading = State(rawValue: 1 << 0)
///   static let loaded = State(rawValue: 1 << 1)
///   static let optionNames: KeyValuePairs = [State.loading: "loading", .loaded: "loaded"]
/// }
/// ```
public protocol NamedOptions: SetAlgebra {
  /// Every option with its name, in the order in which a refusal picks the first one.
  static var optionNames: KeyValuePairs<Element, String> { get }
}

extension NamedOptions {
  var firstName: String? {
    Self.optionNames.first { contains($0.key) }?.value
  }
}
