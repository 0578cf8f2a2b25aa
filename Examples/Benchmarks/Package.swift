// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Benchmarks",
  dependencies: [.package(name: "Signals", path: "../..")],
  targets: [
    .executableTarget(
      name: "benchmarks", dependencies: [.product(name: "Signals", package: "Signals")])
  ],
  swiftLanguageModes: [.v6]
)
