extension Collection {
  var firstElementName: String {
    map { "\($0)" }.min() ?? ""
  }
}
