// swift-tools-version: 6.1
import PackageDescription

// What a Lua that is linked as an archive needs.
let mathematics: [LinkerSetting] = [.linkedLibrary("m", .when(platforms: [.linux]))]

// What one product alone needs: who turns its trait off need not resolve it.
let heap = Target.Dependency.product(
  name: "HeapModule", package: "swift-collections", condition: .when(traits: ["Flows"]))
let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Command"]))
let logging = Target.Dependency.product(
  name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"]))
let sqlite = Target.Dependency.target(name: "CSQLite", condition: .when(traits: ["Journal"]))
let postgres = Target.Dependency.target(name: "CPQ", condition: .when(traits: ["PostgreSQL"]))
let expat = Target.Dependency.target(name: "CExpat", condition: .when(traits: ["Documents"]))

// What serves flows over HTTP: off unless asked for, and then the sources are compiled too.
func served(_ name: String, _ package: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: ["Server"]))
}
let hummingbird = served("Hummingbird", "hummingbird")
let metrics = served("Metrics", "swift-metrics")
let tracing = served("Tracing", "swift-distributed-tracing")
let lifecycle = served("ServiceLifecycle", "swift-service-lifecycle")
let serverLogging = served("Logging", "swift-log")

// Lua of our own: each text with what scripts/preludes has compiled it to. A build tool plugin would
// do so by itself, but SwiftPM runs it for everyone who depends on this package, whatever they use.
func preludes(in folder: String, _ names: String...) -> [Resource] {
  names.flatMap {
    [.embedInCode("\(folder)/\($0).lua"), .embedInCode("\(folder)/\($0).luac")] as [Resource]
  }
}

// What pages are made of: parts that several share, and those of one.
let pageParts = [
  "base.css", "elements.js", "changes.js", "tree.js", "layout.js", "arranging.js", "chart.js",
  "form.js",
]
let inspectorParts = [
  "inspector.html", "inspector.css", "asking.js", "timeline.js", "panels.js", "acting.js",
  "cases.js",
  "dialogs.js", "inspector.js", "starting.js",
]
func page(in folder: String, _ parts: [String]) -> [Resource] {
  parts.map { .embedInCode("\(folder)/\($0)") }
}

// A target names every module that it imports, not only the nearest: what names less is not always
// built again when one of them changes.
let package = Package(
  name: "Moonlatch",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Moonlatch", targets: ["Moonlatch"]),
    .library(name: "FlowJournal", targets: ["FlowJournal"]),
    .library(name: "FlowPostgres", targets: ["FlowPostgres"]),
    .library(name: "MoonlatchInspector", targets: ["MoonlatchInspector"]),
    .library(name: "MoonlatchLogging", targets: ["MoonlatchLogging"]),
    .library(name: "MoonlatchTesting", targets: ["MoonlatchTesting"]),
    .library(name: "StateBlocks", targets: ["StateBlocks"]),
    .executable(name: "moonlatch", targets: ["MoonlatchCLI"]),
    .executable(name: "moonlatch-serve", targets: ["ServeCLI"]),
  ],
  traits: [
    .trait(name: "Flows", description: "Moonlatch, which needs swift-collections."),
    .trait(name: "Command", description: "The command, which needs swift-argument-parser."),
    .trait(name: "Logging", description: "MoonlatchLogging, which needs swift-log."),
    .trait(name: "Journal", description: "FlowJournal, which needs SQLite."),
    .trait(
      name: "Documents",
      description: "SCXML documents as flows, and logs in XES, which need expat."),
    .trait(name: "PostgreSQL", description: "FlowPostgres, which needs libpq."),
    .trait(
      name: "Server",
      description: "moonlatch-serve and MoonlatchInspector, which need Hummingbird."),
    .default(enabledTraits: ["Flows", "Command", "Logging", "Journal", "Documents"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.10.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.4.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CLua", pkgConfig: "lua5.4",
      providers: [.apt(["liblua5.4-dev"]), .brew(["lua@5.4"])]),
    .target(
      name: "CLatch", dependencies: ["CLua"], cSettings: [.headerSearchPath(".")],
      linkerSettings: mathematics),
    .target(name: "StateBlocks"),
    .target(name: "StateCharts"),
    .target(name: "Platform"),
    .target(name: "LuaRuntime", dependencies: ["CLatch", "Platform"]),
    // Documents of the W3C's statechart language, as charts.
    .target(name: "SCXML", dependencies: ["StateCharts", "XMLStream"]),
    .target(
      name: "Moonlatch",
      dependencies: [
        "CLatch", "LuaRuntime", "Platform", "SCXML", "StateBlocks", "StateCharts", heap,
      ],
      resources: preludes(
        in: "Flow/Prelude", "data", "types", "flow", "policies", "ways", "machines", "scopes",
        "effects", "tools", "locals", "places", "inspect", "documents")),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(name: "CChecksum"),
    // The rows of a journal, whatever database they are in.
    .target(name: "JournalRows", dependencies: ["CChecksum", "Moonlatch", "Platform"]),
    .target(name: "FlowJournal", dependencies: ["JournalRows", "Moonlatch", "Platform", sqlite]),
    // The same rows and checks as in a file, in PostgreSQL.
    .systemLibrary(
      name: "CPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(
      name: "FlowPostgres", dependencies: ["JournalRows", "Moonlatch", "Platform", postgres]),
    // The page, and what it asks: without a server.
    .target(
      name: "FlowInspector",
      dependencies: [
        "FlowTools", "LuaRuntime", "Moonlatch", "Platform", "Scenarios", "StateCharts",
      ],
      resources: page(in: "Page", inspectorParts)),
    // HTTP: routes, tokens, streams of events.
    .target(
      name: "FlowServer",
      dependencies: [
        "LuaRuntime", "Moonlatch", "Platform", hummingbird, metrics, tracing, lifecycle,
        serverLogging,
      ]),
    .target(
      name: "MoonlatchInspector",
      dependencies: [
        "FlowInspector", "FlowServer", "LuaRuntime", "Moonlatch", "Platform", hummingbird,
        serverLogging,
      ]),
    .executableTarget(
      name: "ServeCLI",
      dependencies: [
        "FlowInspector", "FlowJournal", "FlowPostgres", "FlowServer", "JournalRows", "Moonlatch",
        "MoonlatchInspector", "Platform", "SharedCommands", argumentParser, hummingbird, lifecycle,
        serverLogging,
      ]),
    .target(
      name: "Scenarios", dependencies: ["LuaRuntime", "Moonlatch", "Platform", "StateCharts"],
      resources: preludes(
        in: "Language", "declaring", "scenario", "time_and_stubs", "matchers", "modules")
        + preludes(in: "Replay", "log_map")
        + [.embedInCode("Reports/report.html")] + page(in: "Reports/Page", pageParts)),
    // Of the two below the archives are linked, as of libedit: no library more to load. Zlib is the
    // command's alone; expat is linked by whoever does not turn off Documents.
    .systemLibrary(
      name: "CExpat", providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .target(
      name: "XMLStream", dependencies: [expat],
      linkerSettings: [
        .linkedLibrary(":libexpat.a", .when(platforms: [.linux], traits: ["Documents"])),
        .linkedLibrary("expat", .when(platforms: [.macOS], traits: ["Documents"])),
      ]),
    .target(
      name: "EventLogs",
      dependencies: ["CZlib", "LuaRuntime", "Moonlatch", "Platform", "Scenarios", "XMLStream"],
      linkerSettings: [
        .linkedLibrary(":libz.a", .when(platforms: [.linux])),
        .linkedLibrary("z", .when(platforms: [.macOS])),
      ]),
    .target(name: "CExplore"),
    .target(
      name: "FlowExplore",
      dependencies: [
        "CChecksum", "CExplore", "FlowTools", "LuaRuntime", "Moonlatch", "Platform", "Scenarios",
        heap,
      ],
      resources: preludes(in: "Language", "explore") + page(in: "Graph", ["graph.html"])),
    .target(
      name: "MoonlatchLogging",
      dependencies: ["Moonlatch", logging]),
    .target(
      name: "MoonlatchTesting",
      dependencies: ["FlowExplore", "LuaRuntime", "Moonlatch", "Platform", "Scenarios"]),
    .target(
      name: "FlowTools",
      dependencies: ["LuaRuntime", "Moonlatch", "Platform", "Scenarios", "StateCharts"],
      resources: [
        .embedInCode("Types/moonlatch.lua"), .embedInCode("Template/new.lua"),
        .embedInCode("Template/new.scenario.lua"), .embedInCode("Template/new.md"),
      ]),
    // The commands that both programs have, and how either ends.
    .target(
      name: "SharedCommands",
      dependencies: [
        "FlowJournal", "FlowTools", "JournalRows", "LuaRuntime", "Moonlatch", "Platform",
        "Scenarios", argumentParser,
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
        "LuaRuntime", "Moonlatch", "FlowExplore", "FlowJournal", "Platform", "Scenarios",
        "EventLogs",
        "FlowTools", "CLineEdit", "SharedCommands",
        argumentParser,
      ],
      resources: preludes(in: "Repl", "session")),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "FlowExplore", "LuaRuntime", "Moonlatch", "Platform", "Scenarios", "StateBlocks",
      ],
      path: "scripts/fuzzing/Targets",
      resources: [.embedInCode("mirrored.lua")]),
    // What scripts/fuzz runs with random flows.
    .executableTarget(
      name: "random-flows", dependencies: ["FuzzTargets", "Platform"],
      path: "scripts/fuzzing/Restarts"),
    // Charts and documents drawn at random, and appendix D of the recommendation, transliterated.
    .target(
      name: "RandomCharts", dependencies: ["LuaRuntime", "Moonlatch", "StateCharts"],
      path: "Tests/RandomCharts"),
    // What scripts/fuzz runs with them.
    .executableTarget(
      name: "random-charts", dependencies: ["Platform", "RandomCharts"],
      path: "scripts/fuzzing/Charts"),
    // What scripts/faults runs.
    .executableTarget(
      name: "journal-faults",
      dependencies: ["FlowJournal", "JournalRows", "Moonlatch", "Platform"],
      path: "scripts/faulting/Program"),
    .executableTarget(
      name: "postgres-faults",
      dependencies: ["FlowPostgres", "JournalRows", "Moonlatch", "Platform"],
      path: "scripts/faulting/Postgres"),
    // Whether what several nodes have answered fits one order.
    .target(name: "Histories", dependencies: ["Moonlatch"], path: "scripts/faulting/Histories"),
    .executableTarget(
      name: "node-faults",
      dependencies: ["FlowPostgres", "Histories", "JournalRows", "Moonlatch", "Platform"],
      path: "scripts/faulting/Nodes"),
    .testTarget(name: "HistoriesTests", dependencies: ["Histories"]),
    .testTarget(name: "CLatchTests", dependencies: ["CLatch"], exclude: ["C"]),
    .testTarget(name: "StateBlocksTests", dependencies: ["StateBlocks"]),
    .testTarget(name: "StateChartsTests", dependencies: ["RandomCharts", "StateCharts"]),
    .testTarget(name: "SCXMLTests", dependencies: ["SCXML", "StateCharts"]),
    .testTarget(name: "LuaRuntimeTests", dependencies: ["LuaRuntime", "Platform"]),
    .testTarget(
      name: "MoonlatchTests",
      dependencies: [
        "Histories", "LuaRuntime", "Moonlatch", "RandomCharts", "StateBlocks", "StateCharts",
      ],
      exclude: ["Hostile"]),
    .testTarget(
      name: "FlowJournalTests",
      dependencies: [
        "FlowJournal", "FlowPostgres", "JournalRows", "Moonlatch", "Platform",
      ]),
    .testTarget(
      name: "JournalRowsTests", dependencies: ["CChecksum", "JournalRows", "Moonlatch"]),
    .testTarget(
      name: "FlowPostgresTests",
      dependencies: ["FlowPostgres", "JournalRows", "Moonlatch", "Platform"]),
    .testTarget(
      name: "FlowInspectorTests",
      dependencies: ["FlowInspector", "LuaRuntime", "Moonlatch", "Platform"]),
    .testTarget(
      name: "MoonlatchInspectorTests",
      dependencies: [
        "FlowInspector", "FlowServer", "HTTPTesting", "LuaRuntime", "Moonlatch",
        "MoonlatchInspector", "Platform",
      ]),
    // Bytes on a connection, for tests of servers.
    .target(name: "HTTPTesting", path: "Tests/HTTPTesting"),
    .testTarget(
      name: "FlowServerTests",
      dependencies: [
        "FlowServer", "HTTPTesting", "LuaRuntime", "Moonlatch", hummingbird, lifecycle,
        serverLogging,
      ]),
    .testTarget(
      name: "ServeCLITests",
      dependencies: [
        "FlowPostgres", "JournalRows", "Moonlatch", "Platform", "ServeCLI", argumentParser,
      ]),
    .testTarget(
      name: "MoonlatchLoggingTests", dependencies: ["Moonlatch", "MoonlatchLogging"]),
    .testTarget(
      name: "MoonlatchTestingTests", dependencies: ["Moonlatch", "MoonlatchTesting"]),
    .testTarget(
      name: "ScenariosTests", dependencies: ["Moonlatch", "Scenarios"],
      exclude: ["Reports/junit.xsd"]),
    .testTarget(name: "XMLStreamTests", dependencies: ["XMLStream"]),
    .testTarget(
      name: "EventLogsTests",
      dependencies: ["CZlib", "EventLogs", "LuaRuntime", "Moonlatch", "Scenarios", "XMLStream"]),
    .testTarget(
      name: "FlowExploreTests",
      dependencies: [
        "CExplore", "FlowExplore", "LuaRuntime", "Moonlatch", "Platform", "Scenarios",
      ]),
    .testTarget(
      name: "FlowToolsTests",
      dependencies: ["FlowTools", "LuaRuntime", "Moonlatch", "StateCharts"],
      exclude: ["Seeded"]),
    .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets"]),
    .testTarget(
      name: "MoonlatchCLITests",
      dependencies: [
        "FlowJournal", "FlowPostgres", "FlowTools", "JournalRows", "LuaRuntime", "Moonlatch",
        "MoonlatchCLI", "MoonlatchLogging", "MoonlatchTesting", "Platform", "Scenarios",
        "SharedCommands", "StateBlocks",
        argumentParser, logging,
      ]),
  ],
  swiftLanguageModes: [.v6]
)
