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
let sync: Target.Dependency = .product(name: "SignalsSync", package: "Signals")
let terminal: Target.Dependency = .product(name: "SignalsTerminal", package: "Signals")
let testing: Target.Dependency = .product(name: "SignalsTesting", package: "Signals")

let package = Package(
  name: "Chat",
  dependencies: [
    .package(name: "Signals", path: "../.."),
    .package(name: "Examples", path: ".."),
    // Passwords.
    .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
  ],
  targets: [
    // The shared objects with their business logic, and the server's rules and triggers.
    .target(name: "ChatModel", dependencies: [signals, sync], swiftSettings: settings),
    // The screens, and a device that signs in.
    .target(name: "ChatApp", dependencies: ["ChatModel", signals, sync], swiftSettings: settings),
    // Accounts, sample people, and a server in this process.
    .target(
      name: "ChatServer",
      dependencies: [
        "ChatApp", "ChatModel", signals, sync,
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
      ], swiftSettings: settings),
    .executableTarget(
      name: "chat",
      dependencies: [
        "ChatApp", "ChatModel", "ChatServer", .product(name: "Shell", package: "Examples"),
        signals, sync, terminal,
      ], swiftSettings: settings),
    .testTarget(
      name: "ChatTests",
      dependencies: ["ChatApp", "ChatModel", "ChatServer", "chat", signals, sync, testing],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
