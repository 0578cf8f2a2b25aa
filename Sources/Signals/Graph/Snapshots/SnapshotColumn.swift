// Type-erased operations on the values of one property in the memory of a snapshot.
//
// A column works on addresses, and its caller knows which of them are initialized
// (SnapshotNode.swift). Taking and copying values runs no user code; comparing, encoding and
// decoding them does.

/// The location of a row: the table of its class, and its slot there.
///
/// A link is stored as the location of its target, so that following it needs no search. The
/// location stays valid because an object keeps its slot while it is stored, and an object that
/// leaves the store is first removed from every link.
struct RowLocation: Hashable, Sendable {
  var table: Int32
  var slot: Int32

  static let none = RowLocation(table: -1, slot: -1)

  /// Creates the location of a stored object's row.
  @inline(__always)
  init(of object: Object) {
    table = object.table?.snapshotTable ?? -1
    slot = object.slot
  }

  init(table: Int, slot: Int) { self.init(table: Int32(table), slot: Int32(slot)) }

  init(table: Int32, slot: Int32) {
    self.table = table
    self.slot = slot
  }
}

/// The values of one property.
///
/// Unchecked, and safe on any thread: it and its subclasses consist of constants, set once before
/// the column is shared. The compiler can't verify that for a class with subclasses, which is the
/// only reason for `@unchecked`. `Property` is one of these constants: a name, an offset, and a
/// metatype, which is a constant of the program. The memory passed to a column is its caller's
/// concern; see ``SnapshotCore`` for why several threads may read rows.
class SnapshotColumn: @unchecked Sendable {  // Constants only, here and below.
  let property: Property
  /// The byte offset of the first value in a leaf.
  let start: Int
  let stride: Int
  let size: Int
  let alignment: Int
  /// Whether values can be copied bit by bit and needn't be deinitialized.
  let isTrivial: Bool

  init<Value>(_ property: Property, after end: Int, holding type: Value.Type) {
    self.property = property
    stride = MemoryLayout<Value>.stride
    size = MemoryLayout<Value>.size
    alignment = MemoryLayout<Value>.alignment
    start = (end + alignment - 1) / alignment * alignment
    isTrivial = _isPOD(type)
  }

  /// The offset of the byte after the last value.
  var end: Int { start + stride * SnapshotNode.rows }

  // Overridden by each kind of column that needs the operation.

  /// Copies the value of an object into uninitialized memory.
  @unsafe func take(from object: Object, to value: UnsafeMutableRawPointer) {
    misuse("each kind of column takes values its own way")
  }
  /// Copies consecutive values.
  @unsafe func copy(
    _ values: UnsafeRawPointer, to target: UnsafeMutableRawPointer, count: Int
  ) {
    misuse("values without a copy of their own are copied bit by bit, and not by the column")
  }
  /// Deinitializes values.
  @unsafe func destroy(_ values: UnsafeMutableRawPointer, count: Int) {
    misuse("values that are bits need no end")
  }
  /// Removes a value and defers its release, which may run user code, until the rows have been
  /// changed.
  @unsafe func leave(_ value: UnsafeMutableRawPointer) { unsafe destroy(value, count: 1) }

  // For columns of fields only. Readers of a row handle links and lists first, because locations
  // have no meaning without the other rows.

  /// Compares the values of two fields; NaN counts as equal to NaN.
  @unsafe func isSame(_ value: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool {
    misuse("places of two snapshots can't be compared")
  }
  /// Stores the value of a field in an unstored object.
  @unsafe func put(_ value: UnsafeRawPointer, into object: Object) {
    misuse("a place is no object")
  }
  /// The value of a field, as a change set represents it.
  @unsafe func carried(_ value: UnsafeRawPointer) -> any FieldValue {
    misuse("a place is no id")
  }
  /// The value of a primary key; nil for other columns.
  @unsafe func key(_ value: UnsafeRawPointer) -> AnyHashable? { nil }
  /// Encodes the value of a field.
  @unsafe func encode(
    _ value: UnsafeRawPointer, to container: inout any UnkeyedEncodingContainer
  ) throws {
    misuse("places are encoded as positions in the order of all objects")
  }
  /// Decodes the value of a field into uninitialized memory.
  @unsafe func decode(
    to value: UnsafeMutableRawPointer, from container: inout any UnkeyedDecodingContainer
  ) throws {
    misuse("places are known when all objects are decoded")
  }

  /// Reached only by a programming error in this folder.
  private func misuse(_ reason: String) -> Never {
    trap("the column of \(property.name) was asked for what it has not: \(reason)")
  }
}

/// The values of a field.
///
/// Unchecked, and safe: it adds no state, so the proof of ``SnapshotColumn`` holds.
class FieldColumn<P: StoredFieldProperty>: SnapshotColumn, @unchecked Sendable {  // No state.
  typealias Value = P.Value

  init(_ property: Property, after end: Int) {
    super.init(property, after: end, holding: Value.self)
  }

  // The value is at the start of the storage of every wrapper.
  override func take(from object: Object, to value: UnsafeMutableRawPointer) {
    let storage = unsafe object.storage(at: property.offset)
    unsafe value.initializeMemory(
      as: Value.self, from: storage.assumingMemoryBound(to: Value.self), count: 1)
  }

  override func copy(
    _ values: UnsafeRawPointer, to target: UnsafeMutableRawPointer, count: Int
  ) {
    unsafe target.initializeMemory(
      as: Value.self, from: values.assumingMemoryBound(to: Value.self), count: count)
  }

  override func destroy(_ values: UnsafeMutableRawPointer, count: Int) {
    unsafe values.assumingMemoryBound(to: Value.self).deinitialize(count: count)
  }

  override func leave(_ value: UnsafeMutableRawPointer) {
    let value = unsafe value.assumingMemoryBound(to: Value.self)
    if mayRunCode(Value.self) {
      unsafe Scheduler.deferRelease(value.move())
    } else {
      unsafe value.deinitialize(count: 1)
    }
  }

  override func isSame(_ value: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool {
    unsafe ValueEquality.areEqual(
      value.assumingMemoryBound(to: Value.self).pointee,
      other.assumingMemoryBound(to: Value.self).pointee)
  }

  override func put(_ value: UnsafeRawPointer, into object: Object) {
    let storage = unsafe object.storage(at: property.offset).assumingMemoryBound(to: P.self)
    unsafe storage.pointee.stored = value.assumingMemoryBound(to: Value.self).pointee
  }

  override func carried(_ value: UnsafeRawPointer) -> any FieldValue {
    unsafe value.assumingMemoryBound(to: Value.self).pointee
  }

  override func encode(
    _ value: UnsafeRawPointer, to container: inout any UnkeyedEncodingContainer
  ) throws {
    try unsafe container.encode(value.assumingMemoryBound(to: Value.self).pointee)
  }

  override func decode(
    to value: UnsafeMutableRawPointer, from container: inout any UnkeyedDecodingContainer
  ) throws {
    let decoded = try container.decode(Value.self)
    unsafe value.initializeMemory(as: Value.self, to: decoded)
  }
}

/// The values of a primary key.
///
/// Unchecked, and safe: it adds no state, so the proof of ``SnapshotColumn`` holds.
final class KeyColumn<P: IndexedProperty>: FieldColumn<P>, @unchecked Sendable {  // No state.
  override func key(_ value: UnsafeRawPointer) -> AnyHashable? {
    unsafe AnyHashable(value.assumingMemoryBound(to: P.Value.self).pointee)
  }
}

/// Links, as locations.
///
/// Unchecked, and safe: it adds no state, so the proof of ``SnapshotColumn`` holds.
final class LinkColumn: SnapshotColumn, @unchecked Sendable {  // It adds no state.
  init(_ property: Property, after end: Int) {
    super.init(property, after: end, holding: RowLocation.self)
  }

  override func take(from object: Object, to value: UnsafeMutableRawPointer) {
    var location = RowLocation.none
    property.references(in: object).forEach {
      location = RowLocation(of: $0)
    }
    unsafe value.initializeMemory(as: RowLocation.self, to: location)
  }
}

/// Lists of links, as trees of locations.
///
/// Unchecked, and safe: it adds no state, so the proof of ``SnapshotColumn`` holds.
final class ListColumn: SnapshotColumn, @unchecked Sendable {  // It adds no state.
  typealias Members = Tree<RowLocation>

  init(_ property: Property, after end: Int) {
    super.init(property, after: end, holding: Members.self)
  }

  override func take(from object: Object, to value: UnsafeMutableRawPointer) {
    unsafe value.initializeMemory(as: Members.self, to: members(of: object))
  }

  override func copy(
    _ values: UnsafeRawPointer, to target: UnsafeMutableRawPointer, count: Int
  ) {
    unsafe target.initializeMemory(
      as: Members.self, from: values.assumingMemoryBound(to: Members.self), count: count)
  }

  override func destroy(_ values: UnsafeMutableRawPointer, count: Int) {
    unsafe values.assumingMemoryBound(to: Members.self).deinitialize(count: count)
  }

  private func list(of object: Object) -> Tree<Object> {
    unsafe object.storage(at: property.offset).assumingMemoryBound(to: Tree<Object>.self).pointee
  }

  private func members(of object: Object) -> Members {
    let list = list(of: object)
    return list.isEmpty ? Members() : Members(list.lazy.map { RowLocation(of: $0) })
  }

  /// Updates a row's list to the object's list, which was `old` when the row was written.
  ///
  /// - Complexity: O(edits · log n).
  @unsafe func update(_ value: UnsafeMutableRawPointer, from object: Object, old: Tree<Object>) {
    let members = unsafe value.assumingMemoryBound(to: Members.self)
    let new = list(of: object)
    // From the end, so that earlier positions stay valid.
    for edit in Tree.difference(from: old, to: new, isSame: { $0 === $1 }).reversed() {
      var arriving: [RowLocation] = []
      new.forEach(in: edit.newRange) { arriving.append(RowLocation(of: $0)) }
      unsafe members.pointee.replaceSubrange(edit.oldRange, with: arriving)
    }
  }
}
