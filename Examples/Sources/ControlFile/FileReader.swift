import Glibc

/// Why a control file could not be read.
public struct ControlFileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The path as it was given.
  public let path: String

  /// The number of the system's error.
  public let code: Int32

  /// The path and the system's words for the error.
  public var description: String {
    "\(path): \(unsafe String(cString: strerror(code)))"
  }
}

/// Reads a file in chunks, keeping what has not been used of those before.
struct FileReader: ~Copyable {
  private let path: String
  private let descriptor: Int32
  private var buffer = [UInt8](repeating: 0, count: 1 << 18)
  private var used = 0

  /// Opens the file for reading.
  init(path: String) throws(ControlFileError) {
    self.path = path
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ControlFileError(path: path, code: errno) }
  }

  deinit {
    _ = close(descriptor)
  }

  /// Calls `body` with the bytes read and not dropped.
  func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(buffer.span.extracting(..<used))
  }

  /// Reads what there is, up to the size of the buffer, and returns false at the end of the file.
  mutating func readMore() throws(ControlFileError) -> Bool {
    // A line longer than the buffer: make room for twice as much.
    if used == buffer.count {
      buffer.append(contentsOf: repeatElement(0, count: buffer.count))
    }
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { [used, descriptor] bytes in
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[used...])
        return unsafe read(descriptor, room.baseAddress, room.count)
      }
      if count > 0 {
        used += count
        return true
      }
      if count == 0 { return false }
      guard errno == EINTR else { throw ControlFileError(path: path, code: errno) }
    }
  }

  /// Forgets the first `count` bytes.
  mutating func drop(_ count: Int) {
    guard count > 0 else { return }
    unsafe buffer.withUnsafeMutableBytes { [used] bytes in
      unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[count..<used]))
    }
    used -= count
  }
}
