extension SetAlgebra {
  /// The name of the first of these options.
  var firstOptionName: String {
    if let named = self as? any NamedOptions, let name = named.firstName { return name }
    if let elements = self as? any Collection { return elements.firstElementName }
    return "\(self)"
  }
}
