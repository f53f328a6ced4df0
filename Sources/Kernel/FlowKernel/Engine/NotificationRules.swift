/// The rules of a notification: the commits that it reports to another program, and the content of its messages.
package struct NotificationRules: Sendable {
  /// The actions whose commits are sent; nil for all of them.
  package let actions: Set<String>?
  /// The names of the views whose values are sent.
  package let views: [String]
  /// True if the payload of the action is sent, with dots in place of secrets.
  package let hasPayload: Bool
  /// The time from the first failed try of an event to the last one, in microseconds.
  package let giveUp: Int

  package init(
    actions: Set<String>? = nil, views: [String] = [], hasPayload: Bool = false,
    giveUp: Int = 3 * 24 * 3_600_000_000
  ) {
    (self.actions, self.views) = (actions, views)
    (self.hasPayload, self.giveUp) = (hasPayload, giveUp)
  }

  /// Returns true if a commit is sent; the commit of an action that a state has postponed is not.
  package func includes(_ commit: Commit) -> Bool {
    !commit.isPostponed && actions?.contains(commit.action) ?? true
  }
}
