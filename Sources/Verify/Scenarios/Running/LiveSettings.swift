import HostFiles

/// The settings of a run whose scenarios with the tag `live` make real calls.
package struct LiveSettings: Sendable, Hashable {
  /// The host file of each flow.
  package var hostFile: HostFileChoice
  /// True if `http` capabilities may reach private addresses.
  package var allowsPrivate: Bool
  /// True if host files may have `command` capabilities, which run programs.
  package var allowsCommands: Bool

  package init(
    hostFile: HostFileChoice = .beside, allowsPrivate: Bool = false, allowsCommands: Bool = false
  ) {
    self.hostFile = hostFile
    (self.allowsPrivate, self.allowsCommands) = (allowsPrivate, allowsCommands)
  }
}
