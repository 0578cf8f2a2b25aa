import Dispatch
import Foundation
import Shell

/// A Unix socket: a connection of two processes, or one that waits for connections.
///
/// Calls that block are made on a queue. What isn't read yet stays with the sender.
final class UnixSocket: Sendable {
  private let descriptor: Int32
  private let reading = DispatchQueue(label: "read")
  private let writing = DispatchQueue(label: "write")

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Connects to the process that listens at a path, or listens there, where no other process does.
  convenience init(at path: String, listening: Bool) throws {
    self.init(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw Failure(path, ENAMETOOLONG)
    }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    if listening { try Self.removeSocket(path) }
    let result = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        return unsafe listening
          ? bind(descriptor, address, size) : connect(descriptor, address, size)
      }
    }
    if result != 0 || listening && listen(descriptor, 16) != 0 { throw Failure(path) }
  }

  deinit { _ = Glibc.close(descriptor) }

  /// Removes what a process that was killed has left.
  private static func removeSocket(_ path: String) throws {
    var status = stat()
    if unsafe lstat(path, &status) != 0 { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw Failure(path, EEXIST) }
    unsafe unlink(path)
  }

  /// The bytes that arrive, in pieces, until either side closes.
  var chunks: AsyncStream<[UInt8]> {
    AsyncStream {
      await self.run(on: self.reading) {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe recv(self.descriptor, &bytes, bytes.count, 0)
        return count > 0 ? Array(bytes[..<count]) : nil
      }
    }
  }

  /// The connections of other processes, until this side closes.
  var connections: AsyncStream<UnixSocket> {
    AsyncStream {
      await self.run(on: self.reading) {
        let descriptor = accept(self.descriptor, nil, nil)
        return descriptor >= 0 ? UnixSocket(descriptor) : nil
      }
    } onCancel: {
      self.close()
    }
  }

  /// Sends bytes, and returns when the other side has room for what follows.
  func send(_ bytes: [UInt8]) async throws {
    let error = await run(on: writing) { () -> Failure? in
      var left = bytes[...]
      while !left.isEmpty {
        let count = unsafe left.withUnsafeBytes {
          unsafe Glibc.send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count < 0 { return Failure("the connection") }
        left = left.dropFirst(count)
      }
      return nil
    }
    if let error { throw error }
  }

  /// Ends all calls.
  func close() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  private func run<Value: Sendable>(
    on queue: DispatchQueue, _ body: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: body()) }
    }
  }
}

extension Failure {
  fileprivate init(_ path: String, _ number: Int32 = errno) {
    self.init(status: 66, "\(path): \(unsafe String(cString: strerror(number)))")
  }
}
