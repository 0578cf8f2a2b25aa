// The values that lost, and whether the author of the winning one had seen them.

internal import Signals

extension MergingStore {
  /// Whether the author of the later of two stamps hadn't seen the earlier change.
  ///
  /// The last answer is kept, because operations of one set mostly replace values of one author.
  @inline(__always)
  func isUnseen(_ earlier: StampIndex, by later: StampIndex) -> Bool {
    let author = state.stamps.authors[Int(earlier)]
    if earlier == 0 || author == state.stamps.authors[Int(later)] { return false }
    if pass.lastSeen.later != later || pass.lastSeen.author != author {
      let history = Int(state.stamps.authors[Int(later)])
      let time = state.stamps.times[Int(later)]
      pass.lastSeen = (
        later, author, state.stamps.histories[history].seen(of: author, at: time)
      )
    }
    return state.stamps.times[Int(earlier)] > pass.lastSeen.time
  }

  /// Reports the loser of two concurrent writes, unless they wrote the same value.
  @inline(never)
  func reportConflict(
    _ key: FieldKey, _ old: StampIndex, _ new: StampIndex, isLater: Bool, _ reader: ByteReader
  ) {
    let present = registerBytes(key)
    let arriving = Array(reader.bytes[reader.offset..<reader.end])
    if present == arriving { return }
    report(
      key, isLater ? present : arriving, lost: isLater ? old : new, against: isLater ? new : old)
  }

  func report(
    _ key: FieldKey, _ value: [UInt8], lost: StampIndex, against winner: StampIndex,
    isDeletion: Bool = false
  ) {
    pass.report.losses.append(
      MergeReport.Loss(
        subject: subject(key), value: value, loser: state.stamps[lost],
        winner: state.stamps[winner], isDeletion: isDeletion))
  }

  /// The bytes of a register's value.
  func registerBytes(_ key: FieldKey) -> [UInt8] {
    guard let shared = state.classState(key.entity) else { return [] }
    let field = shared.fields[Int(key.field)]
    var writer = ByteWriter()
    if field.isLink {
      let target = state.target(key)
      let id: ObjectID? = target < 0 ? nil : state.entities.ids[Int(target)]
      try? ValueCoding.encode(id, to: &writer)
      return writer.bytes
    }
    if let shelved = state.shelved(key) { return shelved }
    guard groupOf[key.entity] == nil, let object = state.object(key.entity) else { return [] }
    return field.codec?.bytes(of: object) ?? []
  }
}
