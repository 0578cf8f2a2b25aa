import Signals

/// Edits of lists, each alone and many in one transaction, beside arrays.
enum GraphLists {
  /// Insertions and removals are in the middle.
  private enum Edit: String, CaseIterable {
    case append
    case insert
    case remove
  }

  static func run(_ report: Report) throws {
    for size in report.isQuick ? [100, 1000] : [100, 10_000, 100_000] {
      let edits = min(1000, size / 2)
      let tracks = try Tracks(size + edits, undoLimit: 0)
      let plain = (0..<size + edits).map { _ in PlainTrack() }
      let observable = (0..<size + edits).map { _ in ObservableTrack() }
      for edit in Edit.allCases {
        let plainTime = run(edit, on: plain, size, edits, report)
        let observableTime = run(edit, on: observable, size, edits, report)
        for isOne in [false, true] {
          report.add(
            Row(
              name: "\(edit.rawValue), list of \(size)\(isOne ? ", in a write" : "")",
              unit: .nanoseconds,
              signals: try run(edit, on: tracks, size, edits, inOneWrite: isOne, report),
              peers: isOne ? [:] : [.plain: plainTime, .observation: observableTime]))
        }
      }
    }
  }

  private static func runs(_ report: Report) -> Int { report.isQuick ? 1 : 15 }

  private static func run(
    _ edit: Edit, on tracks: Tracks, _ size: Int, _ edits: Int, inOneWrite: Bool, _ report: Report
  ) throws -> Double {
    let album = Album()
    try tracks.store.add(album)
    let base = List(tracks.all[..<size])
    func makeEdits() {
      switch edit {
      case .append: for track in tracks.all[size...] { album.tracks.append(track) }
      case .insert: for track in tracks.all[size...] { album.tracks.insert(track, at: size / 2) }
      case .remove: for _ in 0..<edits { album.tracks.remove(at: size / 4) }
      }
    }
    let time = try median(of: runs(report), operations: edits) {
      album.tracks = base
    } _: {
      if inOneWrite { try tracks.store.write { makeEdits() } } else { makeEdits() }
    }
    var expected = Array(tracks.all[..<size])
    switch edit {
    case .append: expected += tracks.all[size...]
    case .insert: expected.insert(contentsOf: tracks.all[size...].reversed(), at: size / 2)
    case .remove: expected.removeSubrange(size / 4..<size / 4 + edits)
    }
    report.expect(
      Array(album.tracks) == expected, "\(edit.rawValue): a list of \(size) is not as edited")
    try tracks.store.delete(album)
    return time
  }

  private static func run(
    _ edit: Edit, on tracks: [PlainTrack], _ size: Int, _ edits: Int, _ report: Report
  ) -> Double {
    let album = PlainAlbum()
    return median(of: runs(report), operations: edits) {
      album.tracks = Array(tracks[..<size])
    } _: {
      switch edit {
      case .append: for track in tracks[size...] { album.tracks.append(track) }
      case .insert: for track in tracks[size...] { album.tracks.insert(track, at: size / 2) }
      case .remove: for _ in 0..<edits { album.tracks.remove(at: size / 4) }
      }
    }
  }

  private static func run(
    _ edit: Edit, on tracks: [ObservableTrack], _ size: Int, _ edits: Int, _ report: Report
  ) -> Double {
    let album = ObservableAlbum()
    return median(of: runs(report), operations: edits) {
      album.tracks = Array(tracks[..<size])
    } _: {
      switch edit {
      case .append: for track in tracks[size...] { album.tracks.append(track) }
      case .insert: for track in tracks[size...] { album.tracks.insert(track, at: size / 2) }
      case .remove: for _ in 0..<edits { album.tracks.remove(at: size / 4) }
      }
    }
  }
}
