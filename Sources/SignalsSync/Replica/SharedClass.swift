public import Signals

/// A class whose objects are shared, with the partition that each of them is in.
///
/// ```swift
/// let classes = [
///   SharedClass(Board.self) { "board=\($0.name)" },
///   SharedClass(Card.self),                          // an embedded class: in its owner's partition
///   SharedClass(Member.self, in: "members"),
/// ]
/// ```
///
/// An object stays in the partition in which it was added, whatever its properties become. A subclass
/// is shared only if it is named, too.
public struct SharedClass {
  let type: Object.Type
  /// The partition of an object; nil for the class of parts.
  let partition: ((Object) -> Partition)?

  /// Shares a class whose objects are in several partitions.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - partition: Returns the partition of an object that is added. It must not write to the store.
  public init<Element: Object>(
    _ type: Element.Type, partition: @escaping (Element) -> Partition
  ) {
    self.type = type
    // The class of the capture is exactly `type`.
    self.partition = { object in partition(unsafe unsafeDowncast(object, to: Element.self)) }
  }

  /// Shares a class whose objects are all in one partition.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - partition: The partition.
  public init(_ type: Object.Type, in partition: Partition) {
    self.type = type
    self.partition = { _ in partition }
  }

  /// Shares a class of parts, each of which is in the partition of the object that owns it.
  public init(_ type: EmbeddedObject.Type) {
    self.type = type
    partition = nil
  }
}
