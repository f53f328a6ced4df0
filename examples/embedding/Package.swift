// swift-tools-version: 6.1
import PackageDescription

// A package of its own that depends on Moonlatch, as any other program would.
let package = Package(
  name: "Embedding",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Moonlatch", path: "../..")],
  targets: [
    .target(name: "Kiosk", dependencies: [.product(name: "Moonlatch", package: "Moonlatch")]),
    .executableTarget(
      name: "kiosk", dependencies: ["Kiosk", .product(name: "Moonlatch", package: "Moonlatch")],
      path: "Sources/KioskCommand"),
    .testTarget(
      name: "KioskTests",
      dependencies: [
        "Kiosk", .product(name: "Moonlatch", package: "Moonlatch"),
        .product(name: "MoonlatchTesting", package: "Moonlatch"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
