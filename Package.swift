// swift-tools-version: 6.1
import PackageDescription

// The mathematics that a Lua linked as an archive calls.
let mathematics: [LinkerSetting] = [.linkedLibrary("m", .when(platforms: [.linux]))]

// Dependencies of one product each: a client that turns its trait off need not resolve them.
let heap = Target.Dependency.product(
  name: "HeapModule", package: "swift-collections", condition: .when(traits: ["Flows"]))
let deque = Target.Dependency.product(
  name: "DequeModule", package: "swift-collections", condition: .when(traits: ["Flows"]))
let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Command"]))
let logging = Target.Dependency.product(
  name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"]))
let sqlite = Target.Dependency.target(name: "CSQLite", condition: .when(traits: ["Journal"]))
let postgres = Target.Dependency.target(name: "CPQ", condition: .when(traits: ["PostgreSQL"]))
let expat = Target.Dependency.target(name: "CExpat", condition: .when(traits: ["Documents"]))

// The modules of flows, which everything above them uses.
func flows(and more: Target.Dependency...) -> [Target.Dependency] {
  ["FlowCases", "FlowHosting", "FlowKernel", "FlowLanguage"] + more
}

// Dependencies of the server of flows: off unless asked for, and then the sources are compiled too.
func served(_ name: String, _ package: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: ["Server"]))
}
let hummingbird = served("Hummingbird", "hummingbird")
let metrics = served("Metrics", "swift-metrics")
let tracing = served("Tracing", "swift-distributed-tracing")
let lifecycle = served("ServiceLifecycle", "swift-service-lifecycle")
let serverLogging = served("Logging", "swift-log")
let asyncHTTPClient = served("AsyncHTTPClient", "async-http-client")
let nioCore = served("NIOCore", "swift-nio")
let nioHTTP1 = served("NIOHTTP1", "swift-nio")
let nioPosix = served("NIOPosix", "swift-nio")
let nioSSL = served("NIOSSL", "swift-nio-ssl")
let subprocess = served("Subprocess", "swift-subprocess")

// Lua of our own: each text with what scripts/preludes has compiled it to. A build tool plugin would
// do so by itself, but SwiftPM runs it for everyone who depends on this package, whatever they use.
func preludes(in folder: String, _ names: String...) -> [Resource] {
  names.flatMap {
    [.embedInCode("\(folder)/\($0).lua"), .embedInCode("\(folder)/\($0).luac")] as [Resource]
  }
}

// Parts of pages: those that several share, and those of the inspector.
let pageParts = [
  "base.css", "elements.js", "changes.js", "tree.js", "layout.js", "arranging.js", "chart.js",
  "form.js",
]
let inspectorParts = [
  "inspector.html", "inspector.css", "asking.js", "timeline.js", "panels.js", "comparing.js",
  "pending.js", "acting.js", "cases.js", "tasks.js", "dialogs.js", "inspector.js", "starting.js",
]
func page(in folder: String, _ parts: [String]) -> [Resource] {
  parts.map { .embedInCode("\(folder)/\($0)") }
}

// Traits that are on besides the usual ones, such as "Server,PostgreSQL". Scripts set it for work on the package itself;
// the modules that tests share are a product then, for scripts/trials. Traits that an option turns on reach the compiler
// in another order for each package that is built, and everything would be compiled again; these do not.
let addedTraits = Context.environment["MOONLATCH_TRAITS"]?.split(separator: ",").map(String.init)
let defaultTraits: Set<String> = ["Flows", "Command", "Logging", "Journal", "Documents"]
let testSupport: [Product] = [
  .library(name: "TestSupport", targets: ["FuzzTargets", "Histories", "RandomCharts"])
]

// The command as one file without a library to load. Set by scripts/moonlatch where the system has all archives.
let staticExecutable: [LinkerSetting] =
  Context.environment["MOONLATCH_STATIC"] != nil ? [.unsafeFlags(["-static-executable"])] : []

// Libraries of which the archive is linked, so that there is no library more to load; or the system's own, which
// `scripts/install --dynamic` asks for.
func archive(_ name: String, traits: Set<String>? = nil) -> [LinkerSetting] {
  let isDynamic = Context.environment["MOONLATCH_DYNAMIC"] != nil
  return [
    .linkedLibrary(isDynamic ? name : ":lib\(name).a", .when(platforms: [.linux], traits: traits)),
    .linkedLibrary(name, .when(platforms: [.macOS], traits: traits)),
  ]
}

// The archive of libedit needs these; its shared library brings them.
let archiveDependencies: [LinkerSetting] =
  Context.environment["MOONLATCH_DYNAMIC"] != nil
  ? [] : ["bsd", "md", "tinfo"].map { .linkedLibrary(":lib\($0).a", .when(platforms: [.linux])) }

// A target names every module that it imports, not only the nearest: what names less is not always
// built again when one of them changes.
let package = Package(
  name: "Moonlatch",
  // All but macOS are for StateBlocks, which needs nothing but Swift's own libraries.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Moonlatch", targets: ["Moonlatch"]),
    .library(name: "FlowJournal", targets: ["FlowJournal"]),
    .library(name: "FlowPostgres", targets: ["FlowPostgres"]),
    .library(name: "HTTPTasks", targets: ["HTTPTasks"]),
    .library(name: "CommandTasks", targets: ["CommandTasks"]),
    .library(name: "MoonlatchInspector", targets: ["MoonlatchInspector"]),
    .library(name: "MoonlatchLogging", targets: ["MoonlatchLogging"]),
    .library(name: "MoonlatchTesting", targets: ["MoonlatchTesting"]),
    .library(name: "StateBlocks", targets: ["StateBlocks"]),
    .executable(name: "moonlatch", targets: ["MoonlatchMain"]),
    .executable(name: "moonlatch-serve", targets: ["ServeCLI"]),
  ] + (addedTraits == nil ? [] : testSupport),
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
      description:
        "moonlatch-serve, MoonlatchInspector, HTTPTasks and CommandTasks, which need Hummingbird, AsyncHTTPClient and Subprocess."
    ),
    .default(enabledTraits: defaultTraits.union(addedTraits ?? [])),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.10.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.4.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.2"),
    // Without its trait, which is for the types of Foundation.
    .package(
      url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
  ],
  targets: [
    // Support: agents, gatekeepers, scopes; the system.
    .target(name: "StateBlocks", path: "Sources/Support/StateBlocks"),
    .target(name: "Platform", path: "Sources/Support/Platform"),

    // Lua: a sandboxed VM and its values. It knows no flow.
    .systemLibrary(
      name: "CLua", path: "Sources/Lua/CLua", pkgConfig: "lua5.4",
      providers: [.apt(["liblua5.4-dev"]), .brew(["lua@5.4"])]),
    .target(
      name: "CLatch", dependencies: ["CLua"], path: "Sources/Lua/CLatch", exclude: ["COSTS.md"],
      cSettings: [.headerSearchPath(".")], linkerSettings: mathematics),
    .target(
      name: "LuaRuntime", dependencies: ["CLatch", "Platform", "StateBlocks"],
      path: "Sources/Lua/LuaRuntime"),

    // Statecharts: charts as data, and their interpreter; SCXML documents. They know no Lua.
    .target(name: "StateCharts", path: "Sources/Statecharts/StateCharts"),
    // The archive of expat is linked, as of libedit: no library more to load. Whoever turns off Documents
    // links none.
    .systemLibrary(
      name: "CExpat", path: "Sources/Statecharts/CExpat",
      providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
    .target(
      name: "XMLStream", dependencies: [expat], path: "Sources/Statecharts/XMLStream",
      linkerSettings: archive("expat", traits: ["Documents"])),
    .target(
      name: "SCXML", dependencies: ["StateCharts", "XMLStream"], path: "Sources/Statecharts/SCXML"),

    // Language: the declarations of a flow, their types, and how a text becomes one.
    .target(
      name: "FlowLanguage",
      dependencies: ["CLatch", "LuaRuntime", "Platform", "SCXML", "StateBlocks", "StateCharts"],
      path: "Sources/Language/FlowLanguage",
      resources: preludes(
        in: "Prelude", "data", "types", "flow", "policies", "transitions", "machines",
        "scopes",
        "effects", "tools", "locals", "places", "inspect", "documents",
        "ecmascript", "ecmascript_methods", "ecmascript_functions")),

    // Kernel: the state of a case, and the steps of a dispatch as functions of it.
    .target(
      name: "FlowKernel",
      dependencies: [
        "FlowLanguage", "LuaRuntime", "Platform", "SCXML", "StateBlocks", "StateCharts",
        deque, heap,
      ],
      path: "Sources/Kernel/FlowKernel"),

    // Runtime: the host of one flow, in memory or with a journal.
    .target(
      name: "FlowHosting",
      dependencies: [
        "FlowKernel", "FlowLanguage", "LuaRuntime", "Platform", "StateBlocks", "StateCharts",
        deque, heap,
      ],
      path: "Sources/Runtime/FlowHosting"),

    // Files that say who performs the capabilities of a flow.
    .target(
      name: "HostFiles",
      dependencies: [
        "FlowHosting", "FlowKernel", "FlowLanguage", "LuaRuntime", "Platform", "StateBlocks",
      ],
      path: "Sources/Runtime/HostFiles",
      resources: preludes(
        in: "Language", "capability_options", "http", "command", "hooks", "notify", "host_file")),

    // Durable: many cases of a flow; their journals, in a file and in PostgreSQL.
    .target(
      name: "FlowCases",
      dependencies: [
        "FlowHosting", "FlowKernel", "FlowLanguage", "LuaRuntime", "Platform", "StateBlocks",
        deque, heap,
      ],
      path: "Sources/Durable/FlowCases"),
    .systemLibrary(
      name: "CSQLite", path: "Sources/Durable/CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(name: "CChecksum", path: "Sources/Durable/CChecksum"),
    // The rows of a journal, whatever database they are in.
    .target(
      name: "JournalRows",
      dependencies: flows(and: "CChecksum", "Platform"),
      path: "Sources/Durable/JournalRows"),
    .target(
      name: "FlowJournal",
      dependencies: flows(and: "JournalRows", "Platform", sqlite),
      path: "Sources/Durable/FlowJournal"),
    .systemLibrary(
      name: "CPQ", path: "Sources/Durable/CPQ", pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(
      name: "FlowPostgres",
      dependencies: flows(and: "JournalRows", "Platform", postgres),
      path: "Sources/Durable/FlowPostgres"),

    // Tools: analysis of sources, checks, drawings, templates.
    .target(
      name: "FlowTools",
      dependencies: flows(and: "HostFiles", "LuaRuntime", "Platform", "StateCharts"),
      path: "Sources/Tools/FlowTools",
      resources: [
        .embedInCode("Types/moonlatch.lua"), .embedInCode("Template/readme.md"),
      ]
        + ["blank", "machine", "durable", "game"].flatMap {
          [.embedInCode("Template/\($0).lua"), .embedInCode("Template/\($0).scenario.lua")]
        }),

    // Parts that pages share: styles, trees, charts, forms.
    .target(
      name: "FlowPages", path: "Sources/Tools/FlowPages", resources: page(in: "Parts", pageParts)),

    // Verify: scenarios, recorded logs, exploration.
    .target(
      name: "Scenarios",
      dependencies: flows(
        and: "FlowPages", "FlowTools", "HostFiles", "LuaRuntime", "Platform", "StateCharts",
        deque),
      path: "Sources/Verify/Scenarios",
      resources: preludes(
        in: "Language", "declaring", "scenario", "time_and_stubs", "matchers", "modules")
        + preludes(in: "Replay", "log_map")
        + page(in: "Reports", ["report.html"])),
    .systemLibrary(
      name: "CZlib", path: "Sources/Verify/CZlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .target(
      name: "EventLogs",
      dependencies: flows(and: "CZlib", "LuaRuntime", "Platform", "Scenarios", "XMLStream"),
      path: "Sources/Verify/EventLogs",
      linkerSettings: archive("z")),
    .target(name: "CExplore", path: "Sources/Verify/CExplore"),
    .target(
      name: "FlowExplore",
      dependencies: flows(
        and: "CChecksum", "CExplore", "FlowPages", "FlowTools", "LuaRuntime", "Platform",
        "Scenarios", heap),
      path: "Sources/Verify/FlowExplore",
      resources: preludes(in: "Language", "explore") + page(in: "Graph", ["graph.html"])),

    // Programs: the front door for embedders, their logging and testing; the two commands, the server, the inspector.
    .target(
      name: "Moonlatch",
      dependencies: flows(and: "LuaRuntime"),
      path: "Sources/Programs/Moonlatch"),
    .target(
      name: "MoonlatchLogging",
      dependencies: flows(and: logging),
      path: "Sources/Programs/MoonlatchLogging"),
    .target(
      name: "MoonlatchTesting",
      dependencies: flows(and: "FlowExplore", "LuaRuntime", "Platform", "Scenarios", "StateBlocks"),
      path: "Sources/Programs/MoonlatchTesting"),
    // The commands that both programs have, and how either ends.
    .target(
      name: "SharedCommands",
      dependencies: flows(
        and: "FlowJournal", "FlowTools", "JournalRows", "LuaRuntime", "Platform", "Scenarios",
        argumentParser),
      path: "Sources/Programs/SharedCommands"),
    // Linked in whole: `moonlatch run` has no library more to load.
    .target(
      name: "CLineEdit", path: "Sources/Programs/CLineEdit",
      linkerSettings: archive("edit") + archiveDependencies),
    // The commands of `moonlatch`, of which `moonlatch-serve` has those that make real calls.
    .target(
      name: "MoonlatchCLI",
      dependencies: flows(
        and: "CLineEdit", "EventLogs", "FlowExplore", "FlowJournal", "FlowTools", "HostFiles",
        "LuaRuntime", "Platform", "Scenarios", "SharedCommands", argumentParser),
      path: "Sources/Programs/MoonlatchCLI", resources: preludes(in: "Repl", "session")),
    .executableTarget(
      name: "MoonlatchMain", dependencies: ["MoonlatchCLI"],
      path: "Sources/Programs/MoonlatchMain", linkerSettings: staticExecutable),
    // The page, and what it asks: without a server.
    .target(
      name: "FlowInspector",
      dependencies: flows(
        and: "FlowPages", "FlowTools", "LuaRuntime", "Platform", "Scenarios", "StateCharts"),
      path: "Sources/Programs/FlowInspector", resources: page(in: "Page", inspectorParts)),
    // HTTP: routes, tokens, streams of events.
    .target(
      name: "FlowServer",
      dependencies: flows(
        and: "HostFiles", "LuaRuntime", "Platform", "StateBlocks", hummingbird, metrics, tracing,
        lifecycle, serverLogging),
      path: "Sources/Programs/FlowServer"),
    .target(
      name: "MoonlatchInspector",
      dependencies: flows(
        and: "FlowInspector", "FlowServer", "LuaRuntime", "Platform", hummingbird, serverLogging),
      path: "Sources/Programs/MoonlatchInspector"),
    // The client of `http` capabilities.
    .target(
      name: "HTTPTasks",
      dependencies: [
        "FlowHosting", "HostFiles", "Platform", "StateBlocks", asyncHTTPClient, nioCore, nioHTTP1,
        nioPosix,
        nioSSL,
      ],
      path: "Sources/Programs/HTTPTasks"),
    // The runner of `command` capabilities.
    .target(
      name: "CommandTasks",
      dependencies: [
        "FlowHosting", "HTTPTasks", "HostFiles", "Platform", "StateBlocks", subprocess,
      ],
      path: "Sources/Programs/CommandTasks"),
    .executableTarget(
      name: "ServeCLI",
      dependencies: flows(
        and: "CommandTasks", "FlowInspector", "FlowJournal", "FlowPostgres", "FlowServer",
        "FlowTools", "HTTPTasks", "HostFiles", "JournalRows", "LuaRuntime", "MoonlatchCLI",
        "MoonlatchInspector", "Platform", "SharedCommands", "StateBlocks", argumentParser,
        hummingbird, lifecycle,
        serverLogging),
      path: "Sources/Programs/ServeCLI"),

    // Modules that several tests and the programs of scripts/trials share.
    .target(
      name: "FuzzTargets",
      dependencies: flows(
        and: "FlowExplore", "FlowTools", "LuaRuntime", "Platform", "Scenarios", "StateBlocks"),
      path: "Tests/FuzzTargets", resources: [.embedInCode("mirrored.lua")]),
    // Charts and documents drawn at random, and appendix D of the recommendation, transliterated.
    .target(
      name: "RandomCharts",
      dependencies: flows(and: "FlowTools", "LuaRuntime", "Platform", "StateCharts"),
      path: "Tests/RandomCharts"),
    // A checker of linearizability: it finds an order that fits what several nodes have answered.
    .target(
      name: "Histories", dependencies: flows(),
      path: "Tests/Histories"),
    // Bytes on a connection, for tests of servers.
    .target(name: "HTTPTesting", path: "Tests/HTTPTesting"),
    // A journal that blocks, for tests of what goes on meanwhile.
    .target(
      name: "JournalTesting",
      dependencies: flows(and: "Platform"),
      path: "Tests/JournalTesting"),

    .testTarget(name: "HistoriesTests", dependencies: ["Histories"]),
    .testTarget(name: "CLatchTests", dependencies: ["CLatch"], exclude: ["C"]),
    .testTarget(name: "StateBlocksTests", dependencies: ["StateBlocks"]),
    .testTarget(name: "StateChartsTests", dependencies: ["RandomCharts", "StateCharts"]),
    .testTarget(name: "SCXMLTests", dependencies: ["SCXML", "StateCharts"]),
    .testTarget(name: "LuaRuntimeTests", dependencies: ["LuaRuntime", "Platform"]),
    .testTarget(
      name: "MoonlatchTests",
      dependencies: flows(
        and: "Histories", "JournalTesting", "LuaRuntime", "Platform", "RandomCharts",
        "StateBlocks", "StateCharts"),
      exclude: ["Hostile"]),
    .testTarget(
      name: "HostFilesTests",
      dependencies: flows(and: "HostFiles", "LuaRuntime", "Platform")),
    .testTarget(
      name: "FlowJournalTests",
      dependencies: flows(
        and: "FlowJournal", "FlowPostgres", "JournalRows", "LuaRuntime", "Platform",
        "StateBlocks")),
    .testTarget(
      name: "JournalRowsTests",
      dependencies: flows(and: "CChecksum", "JournalRows")),
    .testTarget(
      name: "FlowPostgresTests",
      dependencies: flows(and: "FlowPostgres", "JournalRows", "Platform")),
    .testTarget(
      name: "FlowInspectorTests",
      dependencies: flows(and: "FlowInspector", "LuaRuntime", "Platform")),
    .testTarget(
      name: "MoonlatchInspectorTests",
      dependencies: flows(
        and: "FlowInspector", "FlowServer", "HTTPTesting", "LuaRuntime", "MoonlatchInspector",
        "Platform", serverLogging)),
    .testTarget(
      name: "FlowServerTests",
      dependencies: flows(
        and: "FlowJournal", "FlowServer", "FuzzTargets", "HTTPTesting", "HostFiles",
        "JournalTesting", "LuaRuntime", "Platform", hummingbird, lifecycle, serverLogging)),
    .testTarget(
      name: "HTTPTasksTests",
      dependencies: flows(
        and: "HTTPTasks", "HostFiles", "LuaRuntime", "Platform", nioCore, nioPosix, nioSSL)),
    .testTarget(
      name: "CommandTasksTests",
      dependencies: flows(and: "CommandTasks", "HTTPTasks", "HostFiles", "LuaRuntime", "Platform")),
    .testTarget(
      name: "ServeCLITests",
      dependencies: flows(
        and: "CommandTasks", "FlowPostgres", "FlowServer", "FlowTools", "HTTPTasks", "HTTPTesting",
        "HostFiles", "JournalRows", "Platform", "ServeCLI", argumentParser, serverLogging)),
    .testTarget(
      name: "MoonlatchLoggingTests",
      dependencies: flows(and: "MoonlatchLogging", "Platform")),
    .testTarget(
      name: "MoonlatchTestingTests",
      dependencies: flows(and: "LuaRuntime", "MoonlatchTesting")),
    .testTarget(
      name: "ScenariosTests",
      dependencies: flows(and: "HostFiles", "LuaRuntime", "Platform", "Scenarios"),
      exclude: ["Reports/junit.xsd"]),
    .testTarget(name: "XMLStreamTests", dependencies: ["XMLStream"]),
    .testTarget(
      name: "EventLogsTests",
      dependencies: flows(and: "CZlib", "EventLogs", "LuaRuntime", "Scenarios", "XMLStream")),
    .testTarget(
      name: "FlowExploreTests",
      dependencies: flows(and: "CExplore", "FlowExplore", "LuaRuntime", "Platform", "Scenarios")),
    .testTarget(
      name: "FlowToolsTests",
      dependencies: flows(
        and: "FlowTools", "HostFiles", "LuaRuntime", "RandomCharts", "Scenarios", "StateCharts"),
      exclude: ["Seeded"]),
    .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets"]),
    .testTarget(
      name: "MoonlatchCLITests",
      dependencies: flows(
        and: "FlowJournal", "FlowPostgres", "FlowTools", "HostFiles", "JournalRows", "LuaRuntime",
        "Moonlatch", "MoonlatchCLI", "MoonlatchLogging", "MoonlatchMain", "MoonlatchTesting",
        "Platform", "Scenarios", "SharedCommands", "StateBlocks", argumentParser, logging)),
  ],
  swiftLanguageModes: [.v6]
)
