#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The calls of POSIX.
package struct POSIXFileSystem: FileSystem {
  package init() {}

  package func openDirectory(
    _ path: String, isMade: Bool
  ) throws(ChangeLogError) -> OpenDescriptor {
    // The calls of the system would use the part before it.
    if path.utf8.contains(0) { throw ChangeLogError("open", code: EINVAL, at: path) }
    if isMade, unsafe mkdir(path, 0o700) != 0, errno != EEXIST {
      throw ChangeLogError("mkdir", code: errno, at: path)
    }
    let number = try retrying("open", at: path) {
      Self.open(path, Self.directoryFlags)
    }
    return OpenDescriptor(number, path: path)
  }

  package func syncParent(of directory: OpenDescriptor) throws(ChangeLogError) {
    let parent = try openedDirectory("..", in: directory)
    defer { close(parent) }
    try sync(parent)
  }

  /// Opens a directory by its name in another directory.
  private func openedDirectory(
    _ name: String, in directory: OpenDescriptor
  ) throws(ChangeLogError) -> OpenDescriptor {
    let number = try retrying("open", at: directory.path) {
      unsafe openat(directory.number, name, Self.directoryFlags)
    }
    return OpenDescriptor(number, path: directory.path)
  }

  private static let directoryFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC

  package func lock(_ directory: OpenDescriptor) throws(ChangeLogError) -> Bool {
    while flock(directory.number, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      if errno != EINTR { throw ChangeLogError("flock", code: errno, at: directory.path) }
    }
    return true
  }

  package func unlock(_ directory: OpenDescriptor) { _ = flock(directory.number, LOCK_UN) }

  package func names(in opened: OpenDescriptor) throws(ChangeLogError) -> [String] {
    // The list needs its own descriptor, which it closes.
    let copy = try openedDirectory(".", in: opened)
    guard let directory = unsafe fdopendir(copy.number) else {
      defer { close(copy) }
      throw ChangeLogError("fdopendir", code: errno, at: opened.path)
    }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(directory) else { break }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    if errno != 0 { throw ChangeLogError("readdir", code: errno, at: opened.path) }
    return names
  }

  package func open(
    _ name: String, creating newName: String?, in directory: OpenDescriptor
  ) throws(ChangeLogError) -> OpenDescriptor {
    let flags = O_RDWR | O_CLOEXEC | (newName == nil ? 0 : O_CREAT | O_TRUNC)
    let path = directory.path(of: name)
    let number = try retrying("open", at: path) {
      unsafe openat(directory.number, newName ?? name, flags, 0o600)
    }
    return OpenDescriptor(number, path: path)
  }

  package func size(of file: OpenDescriptor) throws(ChangeLogError) -> Int {
    var status = stat()
    if unsafe fstat(file.number, &status) != 0 {
      throw ChangeLogError("fstat", code: errno, at: file.path)
    }
    return Int(status.st_size)
  }

  package func read(
    _ file: OpenDescriptor, at offset: Int, count: Int
  ) throws(ChangeLogError) -> [UInt8] {
    var failure: ChangeLogError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
      while done < count {
        let rest = unsafe UnsafeMutableBufferPointer(rebasing: buffer[done...])
        let length = unsafe pread(file.number, rest.baseAddress, rest.count, off_t(offset + done))
        if length == 0 { break }
        if length > 0 {
          done += length
        } else if errno != EINTR {
          failure = ChangeLogError("pread", code: errno, at: file.path)
          break
        }
      }
    }
    if let failure { throw failure }
    return bytes
  }

  package func write(
    _ bytes: [UInt8], from index: Int, to file: OpenDescriptor, at offset: Int
  ) throws(ChangeLogError) -> Int {
    while true {
      let length = unsafe bytes.withUnsafeBytes { buffer in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[index...])
        return unsafe pwrite(file.number, rest.baseAddress, rest.count, off_t(offset))
      }
      if length >= 0 { return length }
      if errno != EINTR { throw ChangeLogError("pwrite", code: errno, at: file.path) }
    }
  }

  package func cut(_ file: OpenDescriptor, to size: Int) throws(ChangeLogError) {
    _ = try retrying("ftruncate", at: file.path) { ftruncate(file.number, off_t(size)) }
  }

  package func sync(_ file: OpenDescriptor) throws(ChangeLogError) {
    #if canImport(Darwin)
      // Darwin's `fsync` leaves the bytes in the device's cache.
      if fcntl(file.number, F_FULLFSYNC) == 0 { return }
    #endif
    while fsync(file.number) != 0 {
      if errno != EINTR { throw .system(path: file.path, call: "fsync", code: Int(errno)) }
    }
  }

  package func rename(
    _ name: String, to newName: String, in directory: OpenDescriptor
  ) throws(ChangeLogError) {
    if unsafe renameat(directory.number, name, directory.number, newName) != 0 {
      throw ChangeLogError("rename", code: errno, at: directory.path(of: newName))
    }
  }

  package func remove(_ name: String, in directory: OpenDescriptor) throws(ChangeLogError) {
    if unsafe unlinkat(directory.number, name, 0) != 0 {
      throw ChangeLogError("unlink", code: errno, at: directory.path(of: name))
    }
  }

  package func close(_ file: OpenDescriptor) {
    #if canImport(Darwin)
      _ = Darwin.close(file.number)
    #elseif canImport(Musl)
      _ = Musl.close(file.number)
    #else
      _ = Glibc.close(file.number)
    #endif
  }

  private static func open(_ path: String, _ flags: Int32) -> Int32 {
    #if canImport(Darwin)
      unsafe Darwin.open(path, flags)
    #elseif canImport(Musl)
      unsafe Musl.open(path, flags)
    #else
      unsafe Glibc.open(path, flags)
    #endif
  }

  /// Repeats a call as long as signals interrupt it.
  private func retrying(
    _ call: String, at path: String, _ body: () -> Int32
  ) throws(ChangeLogError) -> Int32 {
    while true {
      let result = body()
      if result >= 0 { return result }
      if errno != EINTR { throw ChangeLogError(call, code: errno, at: path) }
    }
  }
}
