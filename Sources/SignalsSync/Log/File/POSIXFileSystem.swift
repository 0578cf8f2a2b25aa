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

  package func openDirectory(_ path: String) throws(FileFailure) -> Int32 {
    if unsafe mkdir(path, 0o700) != 0, errno != EEXIST {
      throw FileFailure("mkdir", code: errno)
    }
    return try openedDirectory(path)
  }

  package func syncParent(of path: String) throws(FileFailure) {
    let parent = try openedDirectory("\(path)/..")
    defer { close(parent) }
    try sync(parent)
  }

  private func openedDirectory(_ path: String) throws(FileFailure) -> Int32 {
    try retrying("open") { Self.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
  }

  package func lock(_ directory: Int32) throws(FileFailure) -> Bool {
    while flock(directory, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      if errno != EINTR { throw FileFailure("flock", code: errno) }
    }
    return true
  }

  package func unlock(_ directory: Int32) { _ = flock(directory, LOCK_UN) }

  package func names(in path: String) throws(FileFailure) -> [String] {
    guard let directory = unsafe opendir(path) else { throw FileFailure("opendir", code: errno) }
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
    if errno != 0 { throw FileFailure("readdir", code: errno) }
    return names
  }

  package func open(_ path: String, creating: Bool) throws(FileFailure) -> Int32 {
    let flags = O_RDWR | O_CLOEXEC | (creating ? O_CREAT | O_TRUNC : 0)
    return try retrying("open") { Self.open(path, flags, 0o600) }
  }

  package func status(of file: Int32) throws(FileFailure) -> (size: Int, mark: FileMark) {
    var status = stat()
    if unsafe fstat(file, &status) != 0 { throw FileFailure("fstat", code: errno) }
    let mark = FileMark(number: UInt64(status.st_ino), birth: birth(of: file, status))
    return (Int(status.st_size), mark)
  }

  package func read(
    _ file: Int32, at offset: Int, count: Int
  ) throws(FileFailure) -> [UInt8] {
    var failure: FileFailure?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
      while done < count {
        let rest = unsafe UnsafeMutableBufferPointer(rebasing: buffer[done...])
        let length = unsafe pread(file, rest.baseAddress, rest.count, off_t(offset + done))
        if length == 0 { break }
        if length > 0 {
          done += length
        } else if errno != EINTR {
          failure = FileFailure("pread", code: errno)
          break
        }
      }
    }
    if let failure { throw failure }
    return bytes
  }

  package func write(
    _ bytes: [UInt8], from index: Int, to file: Int32, at offset: Int
  ) throws(FileFailure) -> Int {
    while true {
      let length = unsafe bytes.withUnsafeBytes { buffer in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[index...])
        return unsafe pwrite(file, rest.baseAddress, rest.count, off_t(offset))
      }
      if length >= 0 { return length }
      if errno != EINTR { throw FileFailure("pwrite", code: errno) }
    }
  }

  package func cut(_ file: Int32, to size: Int) throws(FileFailure) {
    _ = try retrying("ftruncate") { ftruncate(file, off_t(size)) }
  }

  package func sync(_ file: Int32) throws(FileFailure) {
    #if canImport(Darwin)
      // Darwin's `fsync` leaves the bytes in the device's cache.
      if fcntl(file, F_FULLFSYNC) == 0 { return }
    #endif
    _ = try retrying("fsync") { fsync(file) }
  }

  package func rename(_ path: String, to newPath: String) throws(FileFailure) {
    #if canImport(Darwin)
      let result = unsafe Darwin.rename(path, newPath)
    #elseif canImport(Musl)
      let result = unsafe Musl.rename(path, newPath)
    #else
      let result = unsafe Glibc.rename(path, newPath)
    #endif
    if result != 0 { throw FileFailure("rename", code: errno) }
  }

  package func remove(_ path: String) throws(FileFailure) {
    if unsafe unlink(path) != 0 { throw FileFailure("unlink", code: errno) }
  }

  package func close(_ file: Int32) {
    #if canImport(Darwin)
      _ = Darwin.close(file)
    #elseif canImport(Musl)
      _ = Musl.close(file)
    #else
      _ = Glibc.close(file)
    #endif
  }

  private static func open(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
    #if canImport(Darwin)
      unsafe Darwin.open(path, flags, mode)
    #elseif canImport(Musl)
      unsafe Musl.open(path, flags, mode)
    #else
      unsafe Glibc.open(path, flags, mode)
    #endif
  }

  /// Makes a call again for as long as signals interrupt it.
  private func retrying(
    _ call: String, _ body: () -> Int32
  ) throws(FileFailure) -> Int32 {
    while true {
      let result = body()
      if result >= 0 { return result }
      if errno != EINTR { throw FileFailure(call, code: errno) }
    }
  }
}

extension POSIXFileSystem {
  /// Returns the time when a file was created, in nanoseconds, or 0 where it isn't known.
  private func birth(of file: Int32, _ status: stat) -> UInt64 {
    #if canImport(Darwin)
      let time = status.st_birthtimespec
      return nanoseconds(seconds: UInt64(time.tv_sec), rest: UInt64(time.tv_nsec))
    #else
      // The headers declare `statx` for C with GNU extensions only. Its layout is fixed.
      typealias Statx =
        @convention(c) (
          Int32, UnsafePointer<CChar>, Int32, UInt32, UnsafeMutableRawPointer
        ) -> Int32
      guard let symbol = unsafe dlsym(nil, "statx") else { return 0 }
      let statx = unsafe unsafeBitCast(symbol, to: Statx.self)
      let (emptyPath, birthMask, maskOffset, birthOffset) = (Int32(0x1000), UInt32(0x800), 0, 80)
      var result = [UInt8](repeating: 0, count: 256)
      let code = unsafe result.withUnsafeMutableBytes {
        unsafe statx(file, "", emptyPath, birthMask, $0.baseAddress!)
      }
      guard code == 0, result.span.halfWord(at: maskOffset) & birthMask != 0 else { return 0 }
      let (seconds, rest) = (
        result.span.word(at: birthOffset), result.span.halfWord(at: birthOffset + 8)
      )
      return nanoseconds(seconds: seconds, rest: UInt64(rest))
    #endif
  }

  private func nanoseconds(seconds: UInt64, rest: UInt64) -> UInt64 {
    seconds &* 1_000_000_000 &+ rest
  }
}
