// swift-tools-version: 6.3
import PackageDescription

/// Warnings are errors in our own continuous integration, and nobody else's business.
let strict: [SwiftSetting] =
  Context.environment["SIGNALS_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

/// The language features every target of ours is written in.
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

/// A target of tests of the library, or of its test kit.
func tests(_ name: String) -> Target {
  .testTarget(
    name: name, dependencies: ["Signals", "SignalsTesting", "TestSupport"], swiftSettings: settings)
}

let package = Package(
  name: "Signals",
  products: [
    .library(name: "Signals", targets: ["Signals"]),
    .library(name: "SignalsTesting", targets: ["SignalsTesting"]),
    .library(name: "SignalsObservation", targets: ["SignalsObservation"]),
    .library(name: "SignalsTerminal", targets: ["SignalsTerminal"]),
  ],
  targets: [
    // The state of a thread: what is reading, and the scheduler.
    .target(name: "CSignalsThread"),
    .target(name: "Signals", dependencies: ["CSignalsThread"], swiftSettings: settings),
    // The only library target that imports Testing.
    .target(name: "SignalsTesting", dependencies: ["Signals"], swiftSettings: settings),
    // The only target that imports Observation.
    .target(name: "SignalsObservation", dependencies: ["Signals"], swiftSettings: settings),
    // The process's terminal, and what runs in signal handlers.
    .target(name: "CSignalsTTY"),
    // Full-screen apps on a terminal.
    .target(
      name: "SignalsTerminal", dependencies: ["Signals", "CSignalsTTY"], swiftSettings: settings),
    // What suites share: models, run lengths, a look at what a process printed.
    .target(
      name: "TestSupport", dependencies: ["Signals", "SignalsTesting"], path: "Tests/Support",
      swiftSettings: settings),
    tests("PromisesTests"),
    tests("ReactiveTests"),
    tests("GraphTests"),
    tests("ResultsTests"),
    tests("ViewsTests"),
    tests("SignalsTestingTests"),
    // Long random histories, against models.
    tests("HistoryTests"),
    // Our names beside those of what users import, in a module that sees what users see.
    .testTarget(
      name: "NamesTests",
      dependencies: ["Signals", "SignalsTesting", "SignalsObservation", "SignalsTerminal"],
      swiftSettings: settings),
    .testTarget(
      name: "SignalsObservationTests", dependencies: ["Signals", "SignalsObservation"],
      swiftSettings: settings),
    .testTarget(
      name: "SignalsTerminalTests", dependencies: ["Signals", "SignalsTerminal"],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
