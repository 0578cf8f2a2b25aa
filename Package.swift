// swift-tools-version: 6.3
import PackageDescription

/// Warnings are errors in this package's continuous integration only.
let strict: [SwiftSetting] =
  Context.environment["SIGNALS_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

/// Says to the code that it runs under the address sanitizer.
let isSanitized = SwiftSetting.define("SIGNALS_SANITIZED")

/// The settings of the library's targets for tests under the address sanitizer.
///
/// The library is optimized, and the tests, whose compilation would take five times as long, are not. The engine keeps no
/// memory for reuse there, so that the sanitizer sees each use after a release.
let sanitized: [SwiftSetting] =
  Context.environment["SIGNALS_SANITIZED"] == nil
  ? [] : [.unsafeFlags(["-O"]), isSanitized]

/// The language features of all targets.
let features: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
  ] + strict

/// The settings of the library's targets.
let settings = features + sanitized

/// A target of tests of the library, or of its test kit.
func tests(_ name: String, _ settings: [SwiftSetting] = features) -> Target {
  .testTarget(
    name: name, dependencies: ["Signals", "SignalsReplay", "SignalsTesting", "TestSupport"],
    swiftSettings: settings)
}

/// The targets of tests to build, by name; all of them if the environment names none.
let chosen = Context.environment["SIGNALS_TESTS"]?.split(separator: ",").map(String.init)

let package = Package(
  name: "Signals",
  products: [
    .library(name: "Signals", targets: ["Signals"]),
    .library(name: "SignalsReplay", targets: ["SignalsReplay"]),
    .library(name: "SignalsSync", targets: ["SignalsSync"]),
    .library(name: "SignalsTesting", targets: ["SignalsTesting"]),
    .library(name: "SignalsObservation", targets: ["SignalsObservation"]),
    .library(name: "SignalsTerminal", targets: ["SignalsTerminal"]),
    .library(name: "SignalsHTML", targets: ["SignalsHTML"]),
  ],
  targets: [
    // The state of a thread: what is evaluated on it, and its scheduler.
    .target(name: "CSignalsThread"),
    .target(name: "Signals", dependencies: ["CSignalsThread"], swiftSettings: settings),
    // Logs of intents, made with the public hooks of hosts and stores, and their replay.
    .target(name: "SignalsReplay", dependencies: ["Signals"], swiftSettings: settings),
    // The only library target that imports Testing.
    .target(
      name: "SignalsTesting", dependencies: ["Signals", "SignalsReplay", "SignalsSync"],
      swiftSettings: settings),
    // The only target that imports Observation.
    .target(name: "SignalsObservation", dependencies: ["Signals"], swiftSettings: settings),
    // Stores in files, and stores that share partitions.
    .target(name: "SignalsSync", dependencies: ["Signals"], swiftSettings: settings),
    // The process's terminal, and its signal handlers.
    .target(name: "CSignalsTTY"),
    // Full-screen apps on a terminal.
    .target(
      name: "SignalsTerminal", dependencies: ["Signals", "CSignalsTTY"], swiftSettings: settings),
    // Pages for browsers, which any server can serve.
    .target(name: "SignalsHTML", dependencies: ["Signals"], swiftSettings: settings),
    // What suites share: models, lengths of histories, checks of a process's output.
    .target(
      name: "TestSupport", dependencies: ["Signals", "SignalsTesting"], path: "Tests/Support",
      swiftSettings: features),
    tests("PromisesTests"),
    // One test shows that the sanitizer sees what the engine releases.
    tests("ReactiveTests", features + (sanitized.isEmpty ? [] : [isSanitized])),
    tests("GraphTests"),
    tests("ResultsTests"),
    tests("ViewsTests"),
    tests("SignalsTestingTests"),
    // Statements of the articles that no code in them shows; `.ci/documents` runs the code in them.
    tests("PagesTests"),
    // Long random histories, against models.
    tests("HistoryTests"),
    // The library's names beside those of Foundation, Testing and RegexBuilder: that it compiles is the test.
    .testTarget(
      name: "NamesTests",
      dependencies: [
        "Signals", "SignalsReplay", "SignalsSync", "SignalsTesting", "SignalsObservation",
        "SignalsTerminal", "SignalsHTML",
      ],
      swiftSettings: features),
    .testTarget(
      name: "SignalsHTMLTests",
      dependencies: ["Signals", "SignalsHTML", "SignalsTesting", "TestSupport"],
      swiftSettings: features),
    .testTarget(
      name: "SignalsObservationTests", dependencies: ["Signals", "SignalsObservation"],
      swiftSettings: features),
    .testTarget(
      name: "SyncTests", dependencies: ["SignalsSync", "SignalsTesting", "TestSupport"],
      swiftSettings: features),
    .testTarget(
      name: "SignalsTerminalTests",
      dependencies: ["Signals", "SignalsTerminal", "SignalsTesting", "TestSupport"],
      swiftSettings: features),
  ],
  swiftLanguageModes: [.v6]
)

if let chosen {
  package.targets.removeAll { $0.type == .test && !chosen.contains($0.name) }
}
