// swift-tools-version: 6.3
import PackageDescription

/// Warnings are errors in this repository's continuous integration only.
let strict: [SwiftSetting] =
  Context.environment["SIGNALS_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

let settings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
  ] + strict

let signals: Target.Dependency = .product(name: "Signals", package: "Signals")
let terminal: Target.Dependency = .product(name: "SignalsTerminal", package: "Signals")
let sync: Target.Dependency = .product(name: "SignalsSync", package: "Signals")
let replay: Target.Dependency = .product(name: "SignalsReplay", package: "Signals")
let testing: Target.Dependency = .product(name: "SignalsTesting", package: "Signals")

let package = Package(
  name: "Examples",
  // For the packages below this one, which show the same screens elsewhere.
  products: [
    .library(name: "ExampleApps", targets: ["ExampleApps"]),
    .library(name: "Shell", targets: ["Shell"]),
  ],
  dependencies: [.package(name: "Signals", path: "..")],
  targets: [
    // What the examples have in common: what is said of files that can't be read or written; and on a terminal: options,
    // lines, a status line, help, a store that is kept in a file.
    .target(name: "Files", swiftSettings: settings),
    .target(name: "Shell", dependencies: [signals, sync, terminal], swiftSettings: settings),
    .testTarget(
      name: "ShellTests",
      dependencies: [
        "Shell", "catalog", "kitchen", "library", "people", "scrums", "CatalogApp", "ControlFile",
        "KitchenApp", "LibraryApp",
        "PeopleApp", "ScrumsApp", "ScrumsModel", signals, terminal, testing,
      ],
      swiftSettings: settings),

    // catalog: this machine's package database as a live graph.
    .target(name: "ControlFile", swiftSettings: settings),
    .target(
      name: "CatalogApp", dependencies: [signals, terminal, "ControlFile", "Shell"],
      resources: [.embedInCode("Resources")], swiftSettings: settings),
    .executableTarget(
      name: "catalog", dependencies: ["CatalogApp", "Shell", terminal],
      exclude: ["README.md", "screen.svg"], swiftSettings: settings),
    .testTarget(
      name: "ControlFileTests", dependencies: ["ControlFile", testing], swiftSettings: settings),
    .testTarget(
      name: "CatalogTests",
      dependencies: ["CatalogApp", "ControlFile", signals, replay, terminal, testing],
      swiftSettings: settings),

    // kitchen: orders by station, undo with names, and sessions that can be recorded and repeated.
    .target(
      name: "KitchenApp", dependencies: ["Files", "Shell", signals, replay, terminal],
      swiftSettings: settings),
    .executableTarget(
      name: "kitchen", dependencies: ["KitchenApp", "Shell", signals, terminal],
      exclude: ["README.md"], swiftSettings: settings),
    .testTarget(
      name: "KitchenTests",
      dependencies: ["KitchenApp", "Shell", signals, replay, terminal, testing],
      swiftSettings: settings),

    // library: books, members, borrowing and returning.
    .target(
      name: "LibraryApp", dependencies: ["Shell", signals, sync, terminal], swiftSettings: settings),
    .executableTarget(
      name: "library", dependencies: ["LibraryApp", "Shell", signals, terminal],
      exclude: ["README.md"], swiftSettings: settings),
    .testTarget(
      name: "LibraryTests",
      dependencies: ["LibraryApp", "library", signals, sync, terminal, testing],
      swiftSettings: settings),

    // people: a course on screen, which another actor changes and deletes.
    .target(
      name: "PeopleApp", dependencies: ["Shell", signals, terminal], swiftSettings: settings),
    .executableTarget(
      name: "people", dependencies: ["PeopleApp", "Shell", signals, terminal],
      exclude: ["README.md"], swiftSettings: settings),
    .testTarget(
      name: "PeopleTests", dependencies: ["PeopleApp", signals, terminal, testing],
      swiftSettings: settings),

    // scrums: daily scrums, with a meeting timer; one model, and its screens in three styles.
    .target(name: "ScrumsModel", dependencies: ["Files", signals, sync], swiftSettings: settings),
    .target(name: "ScrumsMVI", dependencies: ["ScrumsModel", signals], swiftSettings: settings),
    .target(name: "ScrumsMVVM", dependencies: ["ScrumsModel", signals], swiftSettings: settings),
    .target(name: "ScrumsVIPER", dependencies: ["ScrumsModel", signals], swiftSettings: settings),
    .target(
      name: "ScrumsApp",
      dependencies: [
        "ScrumsModel", "ScrumsMVI", "ScrumsMVVM", "ScrumsVIPER", "Shell", signals, terminal,
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "scrums", dependencies: ["ScrumsApp", "ScrumsModel", "Shell", signals, sync, terminal],
      exclude: ["README.md", "COMPARISON.md", "compare"], swiftSettings: settings),
    .testTarget(
      name: "ScrumsTests",
      dependencies: [
        "ScrumsApp", "ScrumsModel", "ScrumsMVVM", "ScrumsVIPER", "scrums", signals, replay,
        terminal, testing,
      ],
      swiftSettings: settings),

    // All of them, for other renderers than a terminal's.
    .target(
      name: "ExampleApps",
      dependencies: [
        "CatalogApp", "KitchenApp", "LibraryApp", "PeopleApp", "ScrumsApp", "ScrumsModel", signals,
      ], swiftSettings: settings),

    // All of them, as they are started.
    .testTarget(
      name: "AppsTests", dependencies: ["catalog", "kitchen", "library", "people", "scrums"],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
