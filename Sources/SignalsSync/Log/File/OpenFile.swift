#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file that is open for as long as something refers to it.
///
/// Its calls throw errors that name its path.
package final class OpenFile: Sendable {
  /// The path that errors name.
  let path: String
  private let descriptor: Int32
  private let files: any FileSystem

  /// Opens a file.
  init(_ path: String, in files: any FileSystem) throws(ChangeLogError) {
    do {
      descriptor = try files.open(path, creating: false)
    } catch {
      throw ChangeLogError(error, at: path)
    }
    (self.path, self.files) = (path, files)
  }

  /// Makes an empty file, which is given its path later.
  init(
    creating newPath: String, for path: String, in files: any FileSystem
  ) throws(ChangeLogError) {
    do {
      descriptor = try files.open(newPath, creating: true)
    } catch {
      throw ChangeLogError(error, at: path)
    }
    (self.path, self.files) = (path, files)
  }

  deinit { files.close(descriptor) }

  /// Returns the number of bytes, and the file's mark.
  func status() throws(ChangeLogError) -> (size: Int, mark: FileMark) {
    do { return try files.status(of: descriptor) } catch { throw ChangeLogError(error, at: path) }
  }

  /// Reads at most a number of bytes, and fewer only at the file's end.
  func read(at offset: Int, count: Int) throws(ChangeLogError) -> [UInt8] {
    do {
      return try files.read(descriptor, at: offset, count: count)
    } catch {
      throw ChangeLogError(error, at: path)
    }
  }

  /// Writes all bytes.
  func write(_ bytes: [UInt8], at offset: Int) throws(ChangeLogError) {
    var done = 0
    do throws(FileFailure) {
      while done < bytes.count {
        let length = try files.write(bytes, from: done, to: descriptor, at: offset + done)
        // No call of POSIX writes nothing without an error; a loop without an end must not follow.
        if length == 0 { throw FileFailure("pwrite", code: ENOSPC) }
        done += length
      }
    } catch {
      throw ChangeLogError(error, at: path)
    }
  }

  /// Makes the file shorter.
  func cut(to size: Int) throws(ChangeLogError) {
    do { try files.cut(descriptor, to: size) } catch { throw ChangeLogError(error, at: path) }
  }

  /// Writes what the system holds of the file to the device.
  ///
  /// After an error the content of the device isn't known, not even if the device is full.
  func sync() throws(ChangeLogError) {
    do { try files.sync(descriptor) } catch { throw ChangeLogError(unknownAfter: error, at: path) }
  }
}

extension ChangeLogError {
  /// Creates the error for a call of the operating system that failed.
  init(_ failure: FileFailure, at path: String) {
    self =
      failure.code == ENOSPC || failure.code == EDQUOT
      ? .noSpace(path: path) : ChangeLogError(unknownAfter: failure, at: path)
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

  /// Creates the error for a failed call that leaves the content of the device unknown.
  init(unknownAfter failure: FileFailure, at path: String) {
    self = .system(path: path, call: failure.call, code: Int(failure.code))
  }
}
