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

let package = Package(
  name: "Benchmarks",
  dependencies: [
    .package(name: "Signals", path: "../.."),
    // What the library is measured against; the library itself depends on nothing.
    .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
  ],
  targets: [
    // What Swift can't say: how many bytes are allocated, and that a value is used.
    .target(name: "Probes"),
    .executableTarget(
      name: "benchmarks",
      dependencies: [
        .product(name: "Signals", package: "Signals"),
        .product(name: "SignalsTerminal", package: "Signals"),
        .product(name: "SignalsHTML", package: "Signals"),
        .product(name: "SignalsSync", package: "Signals"),
        .product(name: "OpenCombine", package: "OpenCombine"),
        "Probes",
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
