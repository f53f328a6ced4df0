extension Chart.Reach {
  /// True if it is one of the flow language's, which look at the ends as they are listed.
  package var isFlow: Bool { self != .external && self != .internal }
}
