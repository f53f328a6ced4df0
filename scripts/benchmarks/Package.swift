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
    .executable(name: "scale", targets: ["scale"]),
    .executable(name: "table", targets: ["table"]),
  ],
  dependencies: [
    // scripts/bench turns PostgreSQL on, by MOONLATCH_TRAITS.
    .package(name: "Moonlatch", path: "../.."),
    // The baseline for the server.
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CLuaForBaseline", pkgConfig: "lua5.4",
      providers: [.apt(["liblua5.4-dev"]), .brew(["lua@5.4"])]),
    .target(name: "Baseline", dependencies: ["CLuaForBaseline"]),
    .target(name: "Bench"),
    .target(name: "Epoll"),
    // The workloads that several of them measure.
    .target(
      name: "Workloads",
      dependencies: ["Bench", .product(name: "Moonlatch", package: "Moonlatch")]),
    // Not named like its product: "dispatch_main" is a function of libdispatch.
    .executableTarget(
      name: "DispatchBench",
      dependencies: [
        "Baseline", "Bench", "Workloads", .product(name: "Moonlatch", package: "Moonlatch"),
      ],
      path: "Sources/dispatch"),
    .executableTarget(
      name: "limits",
      dependencies: ["Baseline", "Bench", .product(name: "Moonlatch", package: "Moonlatch")]),
    .executableTarget(
      name: "journal",
      dependencies: [
        "Bench", "Workloads", .product(name: "FlowJournal", package: "Moonlatch"),
        .product(name: "Moonlatch", package: "Moonlatch"),
      ]),
    .executableTarget(
      name: "postgres",
      dependencies: [
        "Bench", "Workloads", .product(name: "FlowPostgres", package: "Moonlatch"),
      ]),
    .executableTarget(
      name: "nodes",
      dependencies: [
        "Bench", .product(name: "FlowPostgres", package: "Moonlatch"),
        .product(name: "Moonlatch", package: "Moonlatch"),
      ]),
    .executableTarget(
      name: "blocks",
      dependencies: ["Bench", .product(name: "StateBlocks", package: "Moonlatch")]),
    .executableTarget(
      name: "hostile",
      dependencies: ["Bench", .product(name: "Moonlatch", package: "Moonlatch")]),
    .executableTarget(
      name: "memory",
      dependencies: ["Bench", .product(name: "Moonlatch", package: "Moonlatch")]),
    .executableTarget(
      name: "paths",
      dependencies: ["Bench", "Workloads", .product(name: "Moonlatch", package: "Moonlatch")]),
    .executableTarget(
      name: "documents",
      dependencies: ["Bench", .product(name: "Moonlatch", package: "Moonlatch")]),
    .executableTarget(name: "explore", dependencies: ["Bench"], exclude: ["Models"]),
    .executableTarget(name: "repl", dependencies: ["Bench"]),
    .executableTarget(name: "batch", dependencies: ["Bench"]),
    .executableTarget(name: "replay", dependencies: ["Bench"], exclude: ["pm4py_replay.py"]),
    .executableTarget(
      name: "server",
      dependencies: [
        "Bench", "Epoll", "Workloads", .product(name: "FlowJournal", package: "Moonlatch"),
        .product(name: "FlowPostgres", package: "Moonlatch"),
        .product(name: "Moonlatch", package: "Moonlatch"),
      ]),
    .executableTarget(
      name: "bare-server",
      dependencies: [.product(name: "Hummingbird", package: "hummingbird")]),
    .executableTarget(
      name: "scale",
      dependencies: [
        "Baseline", "Bench", "Workloads", .product(name: "Moonlatch", package: "Moonlatch"),
      ]),
    .executableTarget(
      name: "table",
      dependencies: [
        "Baseline", "Bench", "Workloads", .product(name: "Moonlatch", package: "Moonlatch"),
      ],
      exclude: ["Peers"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type == .regular || target.type == .executable {
  target.packageAccess = false
  target.swiftSettings = [.unsafeFlags(["-package-name", packageName])]
}
