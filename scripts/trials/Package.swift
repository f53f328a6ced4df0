// swift-tools-version: 6.1
import PackageDescription

// The programs of scripts/fuzz, scripts/faults and scripts/bench growth, in a package of their own: nobody who uses
// Moonlatch builds them. It is built with MOONLATCH_TRAITS set, in the folder of the Swift tests or of the benchmarks,
// and compiles nothing again that they have compiled.
//
// The programs see what the modules of the package see of each other, for which they are compiled under its name:
// that of its folder.
let folder = Context.packageDirectory.split(separator: "/").dropLast(2).last ?? "moonlatch"
let packageName = String(
  folder.lowercased().map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })

func program(
  _ name: String, uses products: String..., with own: [Target.Dependency] = []
) -> Target {
  .executableTarget(
    name: name, dependencies: products.map { .product(name: $0, package: "Moonlatch") } + own,
    packageAccess: false, swiftSettings: [.unsafeFlags(["-package-name", packageName])])
}

let package = Package(
  name: "MoonlatchTrials",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Moonlatch", path: "../..")],
  targets: [
    program("random-charts", uses: "TestSupport", "Moonlatch"),
    program("random-flows", uses: "TestSupport"),
    program("journal-faults", uses: "FlowJournal", "Moonlatch"),
    program("postgres-faults", uses: "FlowPostgres", "Moonlatch"),
    program("node-faults", uses: "FlowPostgres", "TestSupport", "Moonlatch"),
    program("growth", uses: "TestSupport", "Moonlatch", with: ["Forking"]),
    .target(name: "Forking"),
  ],
  swiftLanguageModes: [.v6]
)
