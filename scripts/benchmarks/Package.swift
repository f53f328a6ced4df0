// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that nobody who uses Moonlatch builds its benchmarks. `scripts/bench`
// builds and runs them.
//
// The programs see what the modules of the package see of each other, as those of scripts/trials do: they are compiled
// under its name, that of its folder.
let folder = Context.packageDirectory.split(separator: "/").dropLast(2).last ?? "moonlatch"
let packageName = String(
  folder.lowercased().map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })

func module(_ name: String, dependencies: [Target.Dependency] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, packageAccess: false,
    swiftSettings: [.unsafeFlags(["-package-name", packageName])])
}

func program(
  _ name: String, dependencies: [Target.Dependency], path: String? = nil, exclude: [String] = []
) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: path, exclude: exclude, packageAccess: false,
    swiftSettings: [.unsafeFlags(["-package-name", packageName])])
}

let package = Package(
  name: "MoonlatchBenchmarks",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "dispatch", targets: ["DispatchBench"]),
    .executable(name: "limits", targets: ["limits"]),
    .executable(name: "journal", targets: ["journal"]),
    .executable(name: "postgres", targets: ["postgres"]),
    .executable(name: "nodes", targets: ["nodes"]),
    .executable(name: "documents", targets: ["documents"]),
    .executable(name: "explore", targets: ["explore"]),
    .executable(name: "blocks", targets: ["blocks"]),
    .executable(name: "hostile", targets: ["hostile"]),
    .executable(name: "memory", targets: ["memory"]),
    .executable(name: "paths", targets: ["paths"]),
    .executable(name: "repl", targets: ["repl"]),
    .executable(name: "batch", targets: ["batch"]),
    .executable(name: "replay", targets: ["replay"]),
    .executable(name: "server", targets: ["server"]),
    .executable(name: "bare-server", targets: ["bare-server"]),
    .executable(name: "bare-client", targets: ["bare-client"]),
    .executable(name: "scale", targets: ["scale"]),
    .executable(name: "table", targets: ["table"]),
  ],
  dependencies: [
    // scripts/bench turns PostgreSQL on, by MOONLATCH_TRAITS.
    .package(name: "Moonlatch", path: "../.."),
    // The baselines for the server and for its calls.
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CLuaForBaseline", pkgConfig: "lua5.4",
      providers: [.apt(["liblua5.4-dev"]), .brew(["lua@5.4"])]),
    module("Baseline", dependencies: ["CLuaForBaseline"]),
    module("Bench"),
    module("Epoll"),
    // The workloads that several of them measure.
    module(
      "Workloads",
      dependencies: ["Bench", .product(name: "Moonlatch", package: "Moonlatch")]),
    // Not named like its product: "dispatch_main" is a function of libdispatch.
    program(
      "DispatchBench",
      dependencies: [
        "Baseline", "Bench", "Workloads", .product(name: "Moonlatch", package: "Moonlatch"),
      ],
      path: "Sources/dispatch"),
    program(
      "limits",
      dependencies: ["Baseline", "Bench", .product(name: "Moonlatch", package: "Moonlatch")]),
    program(
      "journal",
      dependencies: [
        "Bench", "Workloads", .product(name: "FlowJournal", package: "Moonlatch"),
        .product(name: "Moonlatch", package: "Moonlatch"),
      ]),
    program(
      "postgres",
      dependencies: [
        "Bench", "Workloads", .product(name: "FlowPostgres", package: "Moonlatch"),
      ]),
    program(
      "nodes",
      dependencies: [
        "Bench", .product(name: "FlowPostgres", package: "Moonlatch"),
        .product(name: "Moonlatch", package: "Moonlatch"),
      ]),
    program(
      "blocks",
      dependencies: ["Bench", .product(name: "StateBlocks", package: "Moonlatch")]),
    program(
      "hostile",
      dependencies: ["Bench", .product(name: "Moonlatch", package: "Moonlatch")]),
    program(
      "memory",
      dependencies: ["Bench", .product(name: "Moonlatch", package: "Moonlatch")]),
    program(
      "paths",
      dependencies: ["Bench", "Workloads", .product(name: "Moonlatch", package: "Moonlatch")]),
    program(
      "documents",
      dependencies: ["Bench", .product(name: "Moonlatch", package: "Moonlatch")]),
    program("explore", dependencies: ["Bench"], exclude: ["Models"]),
    program("repl", dependencies: ["Bench"]),
    program("batch", dependencies: ["Bench"]),
    program("replay", dependencies: ["Bench"], exclude: ["pm4py_replay.py"]),
    program(
      "server",
      dependencies: [
        "Bench", "Epoll", "Workloads", .product(name: "FlowJournal", package: "Moonlatch"),
        .product(name: "FlowPostgres", package: "Moonlatch"),
        .product(name: "Moonlatch", package: "Moonlatch"),
      ]),
    program(
      "bare-server",
      dependencies: [.product(name: "Hummingbird", package: "hummingbird")]),
    program(
      "bare-client",
      dependencies: [
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
      ]),
    program(
      "scale",
      dependencies: [
        "Baseline", "Bench", "Workloads", .product(name: "Moonlatch", package: "Moonlatch"),
      ]),
    program(
      "table",
      dependencies: [
        "Baseline", "Bench", "Workloads", .product(name: "FlowJournal", package: "Moonlatch"),
        .product(name: "Moonlatch", package: "Moonlatch"),
      ],
      exclude: ["Peers"]),
  ],
  swiftLanguageModes: [.v6]
)
