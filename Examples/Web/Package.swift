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

let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let signals: Target.Dependency = .product(name: "Signals", package: "Signals")
let html: Target.Dependency = .product(name: "SignalsHTML", package: "Signals")

let package = Package(
  name: "Web",
  products: [
    .library(name: "Site", targets: ["Site"]),
    .library(name: "BrowserTesting", targets: ["BrowserTesting"]),
  ],
  dependencies: [
    .package(name: "Signals", path: "../.."),
    .package(name: "Examples", path: ".."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    // Hummingbird's own packages have no WebSockets that this version builds on.
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.31.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.36.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    // Pages carry the state of visitors, encrypted.
    .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
    // The tests drive browsers with it.
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
  ],
  targets: [
    // The pages of apps, served to browsers.
    .target(
      name: "Site",
      dependencies: [
        hummingbird, .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HummingbirdTLS", package: "hummingbird"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"), signals, html,
      ], swiftSettings: settings),
    // The examples' apps on a site.
    .executableTarget(
      name: "web",
      dependencies: [
        "Site", .product(name: "ExampleApps", package: "Examples"),
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: settings),
    // A site of one app, as an article has it.
    .executableTarget(
      name: "guests",
      dependencies: ["Site", signals, .product(name: "SignalsSync", package: "Signals")],
      swiftSettings: settings),
    // How long a change takes to reach a thousand visitors.
    .executableTarget(
      name: "load",
      dependencies: [
        "Site", signals, .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
      ], swiftSettings: settings),
    // Chromium, and other programs, driven by tests.
    .target(
      name: "BrowserTesting",
      dependencies: [
        "Site", .product(name: "AsyncHTTPClient", package: "async-http-client"), hummingbird,
        .product(name: "HummingbirdTesting", package: "hummingbird"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ], swiftSettings: settings),
    .testTarget(
      name: "SiteTests",
      dependencies: [
        "BrowserTesting", "Site", "guests", "web",
        .product(name: "HummingbirdTesting", package: "hummingbird"),
        signals,
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "ExampleApps", package: "Examples"),
        .product(name: "SignalsTesting", package: "Signals"), html,
      ], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
