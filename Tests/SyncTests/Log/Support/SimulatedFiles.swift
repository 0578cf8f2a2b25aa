// A file system in memory, that crashes, loses what wasn't synced, tears writes and fills up.
//
// State, behind one mutex: the files, each with its content, its durable content, and the changes
// between the two; the names, the durable names, and the changes between the two; open descriptors;
// the planned failures.

import Foundation
import SignalsSync
import Synchronization

/// A file system in memory that can fail at any call.
final class SimulatedFiles: FileSystem {
  /// A call that changes something.
  enum Change {
    case write(offset: Int, bytes: [UInt8])
    case cut(size: Int)

    func apply(to content: inout [UInt8]) {
      switch self {
      case .write(let offset, let bytes):
        if content.count < offset { content += repeatElement(0, count: offset - content.count) }
        content.replaceSubrange(offset..<min(content.count, offset + bytes.count), with: bytes)
      case .cut(let size):
        content.removeLast(max(0, content.count - size))
      }
    }
  }

  struct Node {
    var content: [UInt8] = []
    var synced: [UInt8] = []
    var changes: [Change] = []
  }

  /// The planned failures of later calls.
  struct Plan {
    /// The number of changing calls before the one that crashes.
    var crash: Int?
    /// The number of bytes that a write still writes when it crashes.
    var tear = 0
    /// The number of bytes in all files together above which writes fail.
    var capacity: Int?
    /// The largest number of bytes that one call writes.
    var largestWrite = Int.max
    /// The error of each `fsync`.
    var syncError: Int32?
    /// The error of each `fsync` of a directory.
    var directorySyncError: Int32?
  }

  struct State {
    var nodes: [Int: Node] = [:]
    var names: [String: Int] = [:]
    var syncedNames: [String: Int] = [:]
    var nameChanges: [[String: Int]] = []
    var open: [Int32: Int] = [:]
    /// The paths of the open directories.
    var directories: [Int32: String] = [:]
    /// The open directories that are locked.
    var locks: Set<Int32> = []
    var next = 100
    var plan = Plan()
    /// The names that were changed since the last `fsync`, whether or not it succeeded.
    var changedNames: Set<String> = []
    /// Whether the name of the directory itself is durable.
    var isNamed = false
    var calls = 0
    var syncs = 0
    var listings = 0
    /// The sizes of the writes, by the number of the call.
    var writes: [Int: Int] = [:]
    var isCrashed = false
  }

  let state: Mutex<State>
  /// Runs before each `fsync`, outside the mutex.
  let beforeSync: @Sendable () -> Void

  init(_ state: State = State(), beforeSync: @escaping @Sendable () -> Void = {}) {
    self.state = Mutex(state)
    self.beforeSync = beforeSync
  }

  /// The number of changing calls.
  var calls: Int { state.withLock { $0.calls } }
  /// The number of calls of `fsync`.
  var syncs: Int { state.withLock { $0.syncs } }
  /// The number of times that the names were listed.
  var listings: Int { state.withLock { $0.listings } }
  /// The number of open files.
  var openCount: Int { state.withLock { $0.open.count } }
  /// The sizes of the writes, by the number of the call.
  var writes: [Int: Int] { state.withLock { $0.writes } }

  func setPlan(_ plan: Plan) { state.withLock { $0.plan = plan } }

  /// Reads or changes the content of a file.
  func edit<Result: Sendable>(_ path: String, _ body: (inout [UInt8]) -> Result) -> Result {
    state.withLock { state in
      var node = state.nodes[state.names[path]!]!
      let result = body(&node.content)
      (node.synced, node.changes) = (node.content, [])
      state.nodes[state.names[path]!] = node
      return result
    }
  }

  /// The names of a directory's files.
  func names(at path: String) -> [String] {
    state.withLock { $0.names.keys }.filter { $0.hasPrefix("\(path)/") }
      .map { String($0.dropFirst(path.count + 1)) }
  }

  /// The size of a directory's files, in bytes.
  func size(at path: String) -> Int {
    names(at: path).reduce(0) { size, name in size + edit("\(path)/\(name)") { $0.count } }
  }

  /// Makes a file, which is on the device, as another program does.
  func put(_ bytes: [UInt8], at path: String) {
    state.withLock { state in
      state.next += 1
      state.nodes[state.next] = Node(content: bytes, synced: bytes)
      state.names[path] = state.next
      state.syncedNames[path] = state.next
    }
  }

  /// Removes a file, as another program does.
  func removeFile(_ path: String) {
    state.withLock { state in
      state.names[path] = nil
      state.syncedNames[path] = nil
    }
  }

  private func change<Result>(
    _ call: String, at path: String,
    _ body: (inout State, Bool) throws(ChangeLogError) -> sending Result
  ) throws(ChangeLogError) -> sending Result {
    try state.withLock { state throws(ChangeLogError) -> sending Result in
      if state.isCrashed { throw ChangeLogError(call, code: EIO, at: path) }
      state.calls += 1
      let crashes = state.plan.crash.map { state.calls > $0 } ?? false
      if crashes { state.isCrashed = true }
      let result = try body(&state, crashes)
      if crashes { throw ChangeLogError(call, code: EIO, at: path) }
      return result
    }
  }
}

extension SimulatedFiles {
  func openDirectory(
    _ path: String, isMade: Bool
  ) throws(ChangeLogError) -> OpenDescriptor {
    if !isMade, names(at: path).isEmpty { throw ChangeLogError("open", code: ENOENT, at: path) }
    return state.withLock { state in
      state.next += 1
      state.directories[Int32(state.next)] = path
      return OpenDescriptor(Int32(state.next), path: path)
    }
  }

  func lock(_ directory: OpenDescriptor) throws(ChangeLogError) -> Bool {
    state.withLock { state in
      if state.locks.contains(where: { state.directories[$0] == directory.path }) { return false }
      state.locks.insert(directory.number)
      return true
    }
  }

  func names(in directory: OpenDescriptor) throws(ChangeLogError) -> [String] {
    state.withLock { $0.listings += 1 }
    return names(at: directory.path)
  }

  func syncParent(of directory: OpenDescriptor) throws(ChangeLogError) {
    try change("fsync", at: directory.path) { state, crashes throws(ChangeLogError) in
      if !crashes { state.isNamed = true }
    }
  }

  func open(
    _ name: String, creating newName: String?, in directory: OpenDescriptor
  ) throws(ChangeLogError) -> OpenDescriptor {
    let path = directory.path(of: name)
    guard let newName else {
      return try state.withLock { state throws(ChangeLogError) in
        guard let node = state.names[path] else {
          throw ChangeLogError("open", code: ENOENT, at: path)
        }
        return OpenDescriptor(state.descriptor(of: node), path: path)
      }
    }
    return try change("open", at: path) { state, crashes throws(ChangeLogError) in
      guard !crashes else { return OpenDescriptor(0, path: path) }
      state.next += 1
      state.nodes[state.next] = Node()
      state.names[directory.path(of: newName)] = state.next
      state.changedNames.insert(directory.path(of: newName))
      state.nameChanges.append(state.names)
      return OpenDescriptor(state.descriptor(of: state.next), path: path)
    }
  }

  func size(of file: OpenDescriptor) throws(ChangeLogError) -> Int {
    state.withLock { state in state.nodes[state.open[file.number]!]!.content.count }
  }

  func read(_ file: OpenDescriptor, at offset: Int, count: Int) throws(ChangeLogError) -> [UInt8] {
    state.withLock { state in
      let content = state.nodes[state.open[file.number]!]!.content
      return Array(content.dropFirst(offset).prefix(count))
    }
  }

  func write(
    _ bytes: [UInt8], from index: Int, to file: OpenDescriptor, at offset: Int
  ) throws(ChangeLogError) -> Int {
    try change("pwrite", at: file.path) { state, crashes throws(ChangeLogError) in
      var count = min(bytes.count - index, state.plan.largestWrite)
      state.writes[state.calls - 1] = count
      if crashes { count = min(count, state.plan.tear) }
      let number = state.open[file.number]!
      if let capacity = state.plan.capacity {
        let others = state.nodes.filter { $0.key != number }.map(\.value.content.count)
        count = min(count, capacity - others.reduce(0, +) - offset)
        if count <= 0 { throw ChangeLogError("pwrite", code: ENOSPC, at: file.path) }
      }
      state.change(number, .write(offset: offset, bytes: Array(bytes[index..<index + count])))
      return count
    }
  }

  func cut(_ file: OpenDescriptor, to size: Int) throws(ChangeLogError) {
    try change("ftruncate", at: file.path) { state, crashes throws(ChangeLogError) in
      if !crashes { state.change(state.open[file.number]!, .cut(size: size)) }
    }
  }

  func sync(_ file: OpenDescriptor) throws(ChangeLogError) {
    beforeSync()
    try change("fsync", at: file.path) { state, crashes throws(ChangeLogError) in
      if crashes { return }
      let isDirectory = state.directories[file.number] != nil
      let code = state.plan.syncError ?? (isDirectory ? state.plan.directorySyncError : nil)
      if code == nil { state.syncs += 1 }
      if isDirectory { state.syncNames(code) } else { state.sync(state.open[file.number]!, code) }
      if let code { throw .system(path: file.path, call: "fsync", code: Int(code)) }
    }
  }

  func rename(
    _ name: String, to newName: String, in directory: OpenDescriptor
  ) throws(ChangeLogError) {
    let (path, newPath) = (directory.path(of: name), directory.path(of: newName))
    try change("rename", at: newPath) { state, crashes throws(ChangeLogError) in
      if crashes { return }
      state.names[newPath] = state.names.removeValue(forKey: path)
      state.changedNames.formUnion([path, newPath])
      state.nameChanges.append(state.names)
      state.removeUnused()
    }
  }

  func remove(_ name: String, in directory: OpenDescriptor) throws(ChangeLogError) {
    let path = directory.path(of: name)
    try change("unlink", at: path) { state, crashes throws(ChangeLogError) in
      if crashes { return }
      guard state.names.removeValue(forKey: path) != nil else {
        throw ChangeLogError("unlink", code: ENOENT, at: path)
      }
      state.changedNames.insert(path)
      state.nameChanges.append(state.names)
      state.removeUnused()
    }
  }

  func unlock(_ directory: OpenDescriptor) {
    state.withLock { _ = $0.locks.remove(directory.number) }
  }

  func close(_ file: OpenDescriptor) {
    state.withLock { state in
      state.open[file.number] = nil
      state.directories[file.number] = nil
      state.locks.remove(file.number)
    }
  }
}

extension SimulatedFiles.State {
  mutating func descriptor(of node: Int) -> Int32 {
    next += 1
    open[Int32(next)] = node
    return Int32(next)
  }

  mutating func change(_ number: Int, _ change: SimulatedFiles.Change) {
    change.apply(to: &nodes[number]!.content)
    nodes[number]!.changes.append(change)
  }

  /// Makes the changes of a file durable, or drops them: the system doesn't repeat a failed write.
  mutating func sync(_ number: Int, _ error: Int32?) {
    if error == nil {
      var synced = nodes[number]!.synced
      for change in nodes[number]!.changes { change.apply(to: &synced) }
      nodes[number]!.synced = synced
    }
    nodes[number]!.changes = []
  }

  /// Makes the changed names durable, or drops them: the system doesn't repeat a failed write.
  mutating func syncNames(_ error: Int32?) {
    if error == nil { for name in changedNames { syncedNames[name] = names[name] } }
    (changedNames, nameChanges) = ([], [])
  }

  /// Drops the files that no name and no descriptor refers to, unless a crash can bring them back.
  mutating func removeUnused() {
    let used = Set(names.values).union(syncedNames.values).union(open.values)
      .union(nameChanges.flatMap(\.values))
    nodes = nodes.filter { used.contains($0.key) }
  }
}
