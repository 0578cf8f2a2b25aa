// A chat with a server in this process: a directory has its log, its accounts, and the device.

package import ChatApp
import ChatModel
package import Foundation
import Signals
import SignalsSync

/// A server, its accounts and a device in one directory.
package final class EmbeddedChat {
  package let hub: ChatHub
  package let device: ChatDevice
  private let files: [StoreFile]
  private let now: () -> Date

  /// Opens a directory, which is created if it is missing.
  ///
  /// - Parameters:
  ///   - path: The path of the directory.
  ///   - rounds: The cost of a password.
  ///   - now: The present time.
  package init(at path: String, rounds: Int = 1 << 15, now: @escaping () -> Date = { Date() })
    throws
  {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let server = try SyncServer(
      at: path + "/server.log", sharing: Partitions.classes, rules: Partitions.rules)
    files = try ["/accounts.store", "/device.store"].map { try StoreFile(at: path + $0) }
    hub = ChatHub(server, Accounts(files[0].store, rounds: rounds))
    device = try ChatDevice(files[1].store, service: hub, now: now) { user in
      try Replica(at: "\(path)/\(user).store", sharing: Partitions.classes)
    }
    self.now = now
  }

  /// Runs an app on the device, while the server runs and the sample people answer.
  ///
  /// A new directory gets the sample people, of whom the first one is signed in.
  package func run(
    pause: Duration = .seconds(1), isolation: isolated (any Actor)? = #isolation,
    _ app: nonisolated(nonsending) (ChatDevice) async throws -> Void
  ) async throws {
    let running = Task {
      _ = isolation
      await hub.server.run()
    }
    defer { running.cancel() }
    if hub.accounts.isEmpty {
      try await SamplePeople.fill(hub, now: now())
      try await device.signIn(
        Credentials(name: SamplePeople.names[0], password: SamplePeople.password))
    }
    let answering = SamplePeople.names.dropFirst().map { name in
      let session = ChatSession(name, Replica(sharing: Partitions.classes), now: now)
      session.replica.connect(hub.server.connection(for: name))
      return Task {
        _ = isolation
        try await Answering(
          as: session, ignoring: Array(SamplePeople.names.dropFirst()), pause: pause
        ).run()
      }
    }
    defer { for task in answering { task.cancel() } }
    try await app(device)
    try await device.close()
    try await hub.server.close()
    for file in files { try await file.close() }
  }
}
