// swift-tools-version: 6.1
import PackageDescription

// A package of its own that depends on Moonlatch, as any other program would.
// It finds everything that it uses of Moonlatch with `import Moonlatch` alone, members too, and is as strict as the
// packages of Swift servers are.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// The module of the window belongs to the main actor by default, as those of apps do.
#if compiler(>=6.2)
  let ofMainActor = strict + [.unsafeFlags(["-default-isolation", "MainActor"])]
#else
  let ofMainActor = strict
#endif

let package = Package(
  name: "Embedding",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Moonlatch", path: "../..")],
  targets: [
    .target(
      name: "Kiosk", dependencies: [.product(name: "Moonlatch", package: "Moonlatch")],
      swiftSettings: strict),
    .target(
      name: "KioskWindow", dependencies: [.product(name: "Moonlatch", package: "Moonlatch")],
      swiftSettings: ofMainActor),
    .executableTarget(
      name: "kiosk", dependencies: ["Kiosk", .product(name: "Moonlatch", package: "Moonlatch")],
      path: "Sources/KioskCommand", swiftSettings: strict),
    .testTarget(
      name: "KioskTests",
      dependencies: [
        "Kiosk", "KioskWindow", .product(name: "Moonlatch", package: "Moonlatch"),
        .product(name: "MoonlatchTesting", package: "Moonlatch"),
        .product(name: "StateBlocks", package: "Moonlatch"),
      ], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
