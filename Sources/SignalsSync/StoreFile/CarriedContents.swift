// What a file has of other versions of the app: values of properties and objects of classes that this
// process lacks. They aren't in the store, and are written back whenever the file is written again.

internal import Signals

/// A value as a file has it, which no class of this process reads.
enum CarriedValue {
  case value([UInt8])
  case link(ObjectID?)
  case list([ObjectID])

  /// Creates the value of an object that this process has made.
  init(initial kind: StoredClass.Kind) {
    self =
      switch kind {
      case .value: .value([StoredContents.initialValue])
      case .link: .link(nil)
      case .list: .list([])
      }
  }

  var targets: [ObjectID] {
    switch self {
    case .value: []
    case .link(let target): target.map { [$0] } ?? []
    case .list(let members): members
    }
  }
}

/// An object that isn't in the store.
struct CarriedObject {
  let description: StoredClass
  let id: ObjectID
  let sequence: UInt64
  /// The values, in the order of the description.
  let values: [CarriedValue]
}

/// The values and objects of other versions of the app.
struct CarriedContents {
  var objects: [CarriedObject] = []
  /// The values of unknown properties of stored objects, in the order of the description.
  ///
  /// Those of a deleted object stay, for an undo.
  var values: [ObjectID: [CarriedValue]] = [:]
  /// The unknown properties of classes of this process.
  var properties: [ObjectIdentifier: [StoredClass.StoredProperty]] = [:]
}
