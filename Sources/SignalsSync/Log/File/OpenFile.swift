#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file that is open for as long as something refers to it.
package final class OpenFile: Sendable {
  private let descriptor: OpenDescriptor
  private let files: any FileSystem

  /// Opens a file, or makes an empty one that later replaces it.
  init(
    _ name: String, creating newName: String? = nil, in directory: OpenDescriptor,
    of files: any FileSystem
  ) throws(ChangeLogError) {
    descriptor = try files.open(name, creating: newName, in: directory)
    self.files = files
  }

  deinit { files.close(descriptor) }

  /// The path that errors name.
  var path: String { descriptor.path }

  /// Returns the number of bytes, and the file's mark.
  func status() throws(ChangeLogError) -> (size: Int, mark: FileMark) {
    try files.status(of: descriptor)
  }

  /// Reads at most a number of bytes, and fewer only at the file's end.
  func read(at offset: Int, count: Int) throws(ChangeLogError) -> [UInt8] {
    try files.read(descriptor, at: offset, count: count)
  }

  /// Writes all bytes.
  func write(_ bytes: [UInt8], at offset: Int) throws(ChangeLogError) {
    var done = 0
    while done < bytes.count {
      let length = try files.write(bytes, from: done, to: descriptor, at: offset + done)
      // No call of POSIX writes nothing without an error; a loop without an end must not follow.
      if length == 0 { throw .noSpace(path: path) }
      done += length
    }
  }

  /// Makes the file shorter.
  func cut(to size: Int) throws(ChangeLogError) { try files.cut(descriptor, to: size) }

  /// Writes what the system holds of the file to the device.
  func sync() throws(ChangeLogError) { try files.sync(descriptor) }
}

extension ChangeLogError {
  /// Creates the error for a call of the operating system that failed.
  package init(_ call: String, code: Int32, at path: String) {
    self =
      code == ENOSPC || code == EDQUOT
      ? .noSpace(path: path) : .system(path: path, call: call, code: Int(code))
  }

  /// Whether no file has the name.
  var isMissingFile: Bool {
    if case .system(_, "open", Int(ENOENT)) = self { return true }
    return false
  }

  /// Whether the content of the file is known after the error, and the call can be made again.
  var leavesFile: Bool {
    switch self {
    case .noSpace, .system(_, "open", _): true
    default: false
    }
  }
}
