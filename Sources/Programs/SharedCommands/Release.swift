import LuaRuntime

/// The release of Moonlatch that the programs belong to.
package enum Release {
  /// The version, which `scripts/release` reads here and tags.
  package static let version = "0.1.0"

  /// The version and the release of Lua that is linked, as `--version` prints them.
  package static var text: String { "\(version) (Lua \(LuaVM.release))" }
}
