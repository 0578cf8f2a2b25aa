// A device in a directory: `device.store` has who is signed in and where on the screens, and a file for
// each user who has signed in has the user's replica.

import ChatModel
import Foundation
package import Signals
import SignalsSync

/// A device whose data is kept in a directory.
package final class DeviceDirectory {
  package let device: ChatDevice
  /// What the screens keep.
  package var store: Store { file.store }
  private let file: StoreFile

  /// Opens a directory, which is created if it is missing.
  package init(at path: String, service: any ChatService) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    file = try StoreFile(at: path + "/device.store")
    device = ChatDevice(service: service) { user in
      try Replica(at: "\(path)/\(user).replica", sharing: Partitions.classes)
    }
  }

  /// Closes the files.
  package func close() async throws {
    try await device.close()
    try await file.close()
  }
}
