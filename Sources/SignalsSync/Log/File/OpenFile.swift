#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file that is open as long as it is referenced.
package final class OpenFile: Sendable {
  private let descriptor: OpenDescriptor
  private let files: any FileSystem

  /// Opens a file, or creates an empty file that later replaces it.
  ///
  /// - Parameters:
  ///   - name: The name of the file.
  ///   - newName: The name of the empty file, or `nil` to open the file.
  ///   - directory: The directory.
  ///   - files: The calls of the operating system.
  init(
    _ name: String, creating newName: String? = nil, in directory: OpenDescriptor,
    of files: any FileSystem
  ) throws(ChangeLogError) {
    descriptor = try files.open(name, creating: newName, in: directory)
    self.files = files
  }

  deinit { files.close(descriptor) }

  /// The path that errors state.
  var path: String { descriptor.path }

  /// Returns the size of the file in bytes.
  func size() throws(ChangeLogError) -> Int { try files.size(of: descriptor) }

  /// Reads bytes, fewer than the number only at the end of the file.
  func read(at offset: Int, count: Int) throws(ChangeLogError) -> [UInt8] {
    try files.read(descriptor, at: offset, count: count)
  }

  /// Writes all bytes.
  func write(_ bytes: [UInt8], at offset: Int) throws(ChangeLogError) {
    var done = 0
    while done < bytes.count {
      let length = try files.write(bytes, from: done, to: descriptor, at: offset + done)
      // POSIX never writes 0 bytes without an error. The check excludes an endless loop.
      if length == 0 { throw .noSpace(path: path) }
      done += length
    }
  }

  /// Shortens the file to a size in bytes.
  func cut(to size: Int) throws(ChangeLogError) { try files.cut(descriptor, to: size) }

  /// Makes the contents of the file durable.
  func sync() throws(ChangeLogError) { try files.sync(descriptor) }
}

extension ChangeLogError {
  /// Creates the error of a failed call of the operating system.
  package init(_ call: String, code: Int32, at path: String) {
    self =
      code == ENOSPC || code == EDQUOT
      ? .noSpace(path: path) : .system(path: path, call: call, code: Int(code))
  }

  /// Whether the error is that no file has the name.
  var isMissingFile: Bool {
    if case .system(_, "open", Int(ENOENT)) = self { return true }
    return false
  }

  /// Whether the contents of the file are known after the error, so that the call can be repeated.
  var leavesFile: Bool {
    switch self {
    case .noSpace, .system(_, "open", _): true
    default: false
    }
  }
}
