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
  products: [.library(name: "SignalsPostgreSQL", targets: ["SignalsPostgreSQL"])],
  dependencies: [
    .package(name: "Signals", path: "../.."),
    .package(name: "Examples", path: ".."),
    .package(name: "Web", path: "../Web"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.36.0"),
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
    // A server on a port, for browsers and devices.
    .target(
      name: "ChatWeb",
      dependencies: [
        "ChatApp", "ChatModel", "ChatServer", .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Site", package: "Web"), signals, sync,
      ], swiftSettings: settings),
    // A server elsewhere, as a device reaches it.
    .target(
      name: "ChatClient",
      dependencies: [
        "ChatApp", "ChatModel", sync,
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
      ], swiftSettings: settings),
    // A log in PostgreSQL; what doesn't use it builds without libpq.
    .systemLibrary(
      name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .target(
      name: "SignalsPostgreSQL", dependencies: ["CPostgreSQL", sync], swiftSettings: settings),
    .executableTarget(
      name: "log-load",
      dependencies: [
        "SignalsPostgreSQL", .product(name: "Shell", package: "Examples"), signals, sync,
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "log-move",
      dependencies: ["SignalsPostgreSQL", .product(name: "Shell", package: "Examples"), sync],
      swiftSettings: settings),
    // A server as one of several nodes.
    .executableTarget(
      name: "chat-node",
      dependencies: [
        "ChatServer", "ChatWeb", "SignalsPostgreSQL", .product(name: "Site", package: "Web"),
        .product(name: "Shell", package: "Examples"), signals,
      ], swiftSettings: settings),
    // Many people at once.
    .target(
      name: "ChatLoad", dependencies: ["ChatClient", "ChatModel", signals, sync],
      swiftSettings: settings),
    .executableTarget(
      name: "chat",
      dependencies: [
        "ChatApp", "ChatClient", "ChatLoad", "ChatModel", "ChatServer", "ChatWeb",
        .product(name: "Site", package: "Web"), .product(name: "Shell", package: "Examples"),
        signals, sync, terminal,
      ], swiftSettings: settings),
    .testTarget(
      name: "PostgreSQLTests",
      dependencies: [
        "ChatApp", "ChatClient", "ChatModel", "SignalsPostgreSQL", "chat-node",
        .product(name: "BrowserTesting", package: "Web"), signals, sync, testing,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ChatTests",
      dependencies: [
        "ChatApp", "ChatClient", "ChatModel", "ChatServer", "ChatWeb", "chat",
        .product(name: "BrowserTesting", package: "Web"),
        .product(name: "Site", package: "Web"), signals, sync, testing,
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
