// swift-tools-version: 6.1
import PackageDescription

// What a Lua that is linked as an archive needs.
let mathematics: [LinkerSetting] = [.linkedLibrary("m", .when(platforms: [.linux]))]

// A target names every module that it imports, not only the nearest: what names less is not always
// built again when one of them changes.
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
    .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CLua", pkgConfig: "lua5.4",
      providers: [.apt(["liblua5.4-dev"]), .brew(["lua@5.4"])]),
    .target(name: "CLatch", dependencies: ["CLua"], linkerSettings: mathematics),
    .target(name: "StateBlocks"),
    // The Lua of our own is compiled while the package is built, and embedded with its text.
    .executableTarget(
      name: "PreludeCompiler", dependencies: ["CLua"], linkerSettings: mathematics),
    .plugin(
      name: "CompilePreludes", capability: .buildTool(), dependencies: ["PreludeCompiler"],
      path: "Sources/CompilePreludes"),
    .target(name: "LuaRuntime", dependencies: ["CLatch"]),
    .target(
      name: "Moonlatch",
      dependencies: [
        "CLatch", "LuaRuntime", "StateBlocks",
        .product(name: "HeapModule", package: "swift-collections"),
      ],
      resources: [
        .embedInCode("Flow/Prelude/flow.lua"), .embedInCode("Flow/Prelude/machines.lua"),
        .embedInCode("Flow/Prelude/scopes.lua"), .embedInCode("Flow/Prelude/effects.lua"),
        .embedInCode("Flow/Prelude/tools.lua"), .embedInCode("Flow/Prelude/locals.lua"),
        .embedInCode("Flow/Prelude/places.lua"),
      ],
      plugins: ["CompilePreludes"]),
    .target(
      name: "Scenarios", dependencies: ["LuaRuntime", "Moonlatch"],
      resources: [
        .embedInCode("Language/scenario.lua"), .embedInCode("Language/course.lua"),
        .embedInCode("Replay/log_map.lua"), .embedInCode("Reports/report.html"),
      ],
      plugins: ["CompilePreludes"]),
    .target(
      name: "MoonlatchLogging",
      dependencies: ["Moonlatch", .product(name: "Logging", package: "swift-log")]),
    .target(
      name: "MoonlatchTesting", dependencies: ["LuaRuntime", "Moonlatch", "Scenarios"]),
    .target(
      name: "FlowTools", dependencies: ["LuaRuntime", "Moonlatch", "Scenarios"],
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
        "LuaRuntime", "Moonlatch", "Scenarios", "FlowTools", "CLineEdit",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      resources: [.embedInCode("Repl/session.lua")],
      plugins: ["CompilePreludes"]),
    .target(
      name: "FuzzTargets",
      dependencies: ["LuaRuntime", "Moonlatch", "Scenarios", "StateBlocks"],
      path: "scripts/fuzzing/Targets",
      resources: [.embedInCode("mirrored.lua")]),
    .testTarget(name: "CLatchTests", dependencies: ["CLatch"], exclude: ["C"]),
    .testTarget(name: "StateBlocksTests", dependencies: ["StateBlocks"]),
    .testTarget(name: "LuaRuntimeTests", dependencies: ["LuaRuntime"]),
    .testTarget(
      name: "MoonlatchTests", dependencies: ["LuaRuntime", "Moonlatch", "StateBlocks"],
      exclude: ["Hostile"]),
    .testTarget(
      name: "MoonlatchLoggingTests", dependencies: ["Moonlatch", "MoonlatchLogging"]),
    .testTarget(
      name: "MoonlatchTestingTests", dependencies: ["Moonlatch", "MoonlatchTesting"]),
    .testTarget(
      name: "ScenariosTests", dependencies: ["Moonlatch", "Scenarios"],
      exclude: ["Reports/junit.xsd"]),
    .testTarget(
      name: "FlowToolsTests", dependencies: ["FlowTools", "LuaRuntime", "Moonlatch"]),
    .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets"]),
    .testTarget(
      name: "MoonlatchCLITests",
      dependencies: [
        "LuaRuntime", "Moonlatch", "MoonlatchCLI", "MoonlatchLogging", "MoonlatchTesting",
        "Scenarios", "StateBlocks",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
