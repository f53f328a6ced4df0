// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Moonlatch",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Moonlatch", targets: ["Moonlatch"]),
    .library(name: "MoonlatchLogging", targets: ["MoonlatchLogging"]),
    .library(name: "MoonlatchTesting", targets: ["MoonlatchTesting"]),
    .library(name: "StateBlocks", targets: ["StateBlocks"]),
    .executable(name: "moonlatch", targets: ["MoonlatchCLI"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CLua", pkgConfig: "lua5.4",
      providers: [.apt(["liblua5.4-dev"]), .brew(["lua@5.4"])]),
    .target(name: "CLatch", dependencies: ["CLua"]),
    .target(name: "StateBlocks"),
    .target(name: "LuaRuntime", dependencies: ["CLatch"]),
    .target(
      name: "Moonlatch", dependencies: ["LuaRuntime", "StateBlocks"],
      resources: [
        .embedInCode("Flow/Prelude/flow.lua"), .embedInCode("Flow/Prelude/machines.lua"),
        .embedInCode("Flow/Prelude/scopes.lua"), .embedInCode("Flow/Prelude/effects.lua"),
        .embedInCode("Flow/Prelude/library.lua"), .embedInCode("Flow/Prelude/time.lua"),
        .embedInCode("Flow/Prelude/words.lua"), .embedInCode("Flow/Prelude/tools.lua"),
        .embedInCode("Flow/Prelude/instances.lua"), .embedInCode("Flow/Prelude/locals.lua"),
      ]),
    .target(
      name: "Scenarios", dependencies: ["Moonlatch"],
      resources: [
        .embedInCode("Language/scenario.lua"), .embedInCode("Language/course.lua"),
        .embedInCode("Replay/log_map.lua"), .embedInCode("Reports/report.html"),
      ]),
    .target(
      name: "MoonlatchLogging",
      dependencies: ["Moonlatch", .product(name: "Logging", package: "swift-log")]),
    .target(name: "MoonlatchTesting", dependencies: ["Moonlatch", "Scenarios"]),
    .target(
      name: "FlowTools", dependencies: ["Scenarios"],
      resources: [
        .embedInCode("Types/moonlatch.lua"), .embedInCode("Template/new.lua"),
        .embedInCode("Template/new.scenario.lua"), .embedInCode("Template/new.md"),
      ]),
    // Linked in whole: `moonlatch run` has no library more to load.
    .target(
      name: "CLineEdit",
      linkerSettings: [
        .linkedLibrary(":libedit.a", .when(platforms: [.linux])),
        .linkedLibrary(":libbsd.a", .when(platforms: [.linux])),
        .linkedLibrary(":libmd.a", .when(platforms: [.linux])),
        .linkedLibrary(":libtinfo.a", .when(platforms: [.linux])),
        .linkedLibrary("edit", .when(platforms: [.macOS])),
      ]),
    .executableTarget(
      name: "MoonlatchCLI",
      dependencies: [
        "Scenarios", "FlowTools", "CLineEdit",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      resources: [.embedInCode("Repl/session.lua")]),
    .target(
      name: "FuzzTargets", dependencies: ["Scenarios"], path: "scripts/fuzzing/Targets",
      resources: [.embedInCode("mirrored.lua")]),
    .testTarget(name: "CLatchTests", dependencies: ["CLatch"], exclude: ["C"]),
    .testTarget(name: "StateBlocksTests", dependencies: ["StateBlocks"]),
    .testTarget(name: "LuaRuntimeTests", dependencies: ["LuaRuntime"]),
    .testTarget(name: "MoonlatchTests", dependencies: ["Moonlatch"], exclude: ["Hostile"]),
    .testTarget(name: "MoonlatchLoggingTests", dependencies: ["MoonlatchLogging"]),
    .testTarget(name: "MoonlatchTestingTests", dependencies: ["MoonlatchTesting"]),
    .testTarget(
      name: "ScenariosTests", dependencies: ["Scenarios"], exclude: ["Reports/junit.xsd"]),
    .testTarget(name: "FlowToolsTests", dependencies: ["FlowTools"]),
    .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets"]),
    .testTarget(
      name: "MoonlatchCLITests",
      dependencies: ["MoonlatchCLI", "MoonlatchLogging", "MoonlatchTesting", "StateBlocks"]),
  ],
  swiftLanguageModes: [.v6]
)
