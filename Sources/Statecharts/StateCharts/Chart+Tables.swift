extension Chart.Reach {
  /// True if the reach belongs to the flow language, which looks at the ends of a transition as they are listed.
  package var isFlow: Bool { self != .external && self != .internal }
}
