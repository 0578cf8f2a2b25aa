import Foundation
import Synchronization

/// A proxy before a server, which can cut connections, or hold back what the server says.
final class Proxy: Sendable {
  /// What happens to the bytes that the server sends.
  enum Mode: Sendable { case passes, drops }

  private struct State {
    var mode = Mode.passes
    var sockets: [Int32] = []
    var isClosed = false
    /// The number of bytes that the server has sent and that were dropped.
    var dropped = 0
  }

  let port: Int
  private let target: Int
  private let listener: Int32
  private let state = Mutex(State())

  init(to target: Int) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = Self.address(0)
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, size) == 0
      }
    }
    guard isBound, listen(listener, 10) == 0 else { throw CocoaError(.featureUnsupported) }
    var length = size
    unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = unsafe getsockname(listener, $0, &length)
      }
    }
    (self.target, self.listener) = (target, listener)
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(listener, nil, nil)
        if client < 0 { return }
        connect(client)
      }
    }
  }

  private static func address(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  /// The bytes that were dropped.
  var dropped: Int { state.withLock { $0.dropped } }

  func set(_ mode: Mode) { state.withLock { $0.mode = mode } }

  /// Cuts all connections.
  func cut() {
    let sockets = state.withLock { state in
      defer { state.sockets = [] }
      return state.sockets
    }
    for next in sockets { shutdown(next, Int32(SHUT_RDWR)) }
  }

  func close() {
    state.withLock { $0.isClosed = true }
    shutdown(listener, Int32(SHUT_RDWR))
    Foundation.close(listener)
    cut()
  }

  private func connect(_ client: Int32) {
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = Self.address(target)
    let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Foundation.connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected, !state.withLock({ $0.isClosed }) else {
      Foundation.close(client)
      Foundation.close(server)
      return
    }
    state.withLock { $0.sockets += [client, server] }
    // Each socket is closed when both directions have ended.
    let ended = Ended()
    for (source, target, isReply) in [(client, server, false), (server, client, true)] {
      Thread.detachNewThread { [self] in
        pass(from: source, to: target, isReply: isReply)
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(server, Int32(SHUT_RDWR))
        if ended.count.add(1, ordering: .relaxed).newValue == 2 {
          state.withLock { $0.sockets.removeAll { $0 == client || $0 == server } }
          Foundation.close(client)
          Foundation.close(server)
        }
      }
    }
  }

  private final class Ended: Sendable { let count = Atomic(0) }

  private func pass(from source: Int32, to target: Int32, isReply: Bool) {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe recv(source, &bytes, bytes.count, 0)
      if count <= 0 { return }
      let isDropped = state.withLock { state in
        if !isReply || state.mode == .passes { return false }
        state.dropped += count
        return true
      }
      if isDropped { continue }
      var sent = 0
      while sent < count {
        let written = unsafe bytes.withUnsafeBytes {
          unsafe send(target, $0.baseAddress! + sent, count - sent, Int32(MSG_NOSIGNAL))
        }
        if written <= 0 { return }
        sent += written
      }
    }
  }
}
