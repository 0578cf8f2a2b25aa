/// What a catalogue keeps of one stanza of a Debian control file.
public struct ControlPackage: Equatable, Sendable {
  /// The value of `Package`, never empty.
  public let name: ScalarText

  /// The value of `Version`, or `-`.
  public let version: ScalarText

  /// The value of `Section`, or `-`.
  public let section: ScalarText

  /// The value of `Maintainer`, or `-`.
  public let maintainer: ScalarText

  /// The value of `Installed-Size` in KiB, or 0 where that is not ASCII digits fitting an `Int`.
  public let installedSize: Int

  /// Whether `Status` begins with `hold` and a space.
  public let isHeld: Bool

  /// The groups of `Pre-Depends` and then of `Depends`: each one's alternatives, in their order.
  ///
  /// Names alone, without versions and architectures. No group is empty and neither is a name.
  public let dependencies: [[ScalarText]]
}

extension ControlPackage {
  /// Makes the package of a stanza that has a name.
  init(_ values: FieldValues) {
    func text(_ field: Field) -> ScalarText {
      let bytes = values[field]
      return bytes.isEmpty ? "-" : ScalarText(String(decoding: bytes, as: UTF8.self))
    }
    name = text(.package)
    version = text(.version)
    section = text(.section)
    maintainer = text(.maintainer)
    installedSize = Self.size(values[.installedSize])
    isHeld = values[.status].starts(with: "hold ".utf8)
    var groups: [[ScalarText]] = []
    appendDependencies(of: values[.preDepends], to: &groups)
    appendDependencies(of: values[.depends], to: &groups)
    dependencies = groups
  }

  /// Reads digits alone: `Int.init` would take a sign too.
  private static func size(_ digits: ArraySlice<UInt8>) -> Int {
    var size = 0
    for byte in digits {
      let digit = byte &- UInt8(ascii: "0")
      let (tens, overflow) = size.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(Int(digit))
      guard digit < 10, !overflow, !carry else { return 0 }
      size = sum
    }
    return size
  }
}
