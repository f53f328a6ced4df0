// swift-tools-version: 6.1
import PackageDescription

// A package of its own that depends on Moonlatch, as any other program would.
// It finds everything that it uses of Moonlatch with `import Moonlatch` alone, members too.
let settings: [SwiftSetting] = [.enableUpcomingFeature("MemberImportVisibility")]

let package = Package(
  name: "Embedding",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Moonlatch", path: "../..")],
  targets: [
    .target(
      name: "Kiosk", dependencies: [.product(name: "Moonlatch", package: "Moonlatch")],
      swiftSettings: settings),
    .executableTarget(
      name: "kiosk", dependencies: ["Kiosk", .product(name: "Moonlatch", package: "Moonlatch")],
      path: "Sources/KioskCommand", swiftSettings: settings),
    .testTarget(
      name: "KioskTests",
      dependencies: [
        "Kiosk", .product(name: "Moonlatch", package: "Moonlatch"),
        .product(name: "MoonlatchTesting", package: "Moonlatch"),
      ], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
