// The objects of the graph suite, and the same without the library.

import Observation
import Signals

/// Five fields, an integer names it.
final class Track: Object {
  @PrimaryKey var id = 0
  @Field var title = ""
  @Field var plays = 0
  @Field var rating = 0.0
  @Field var isLiked = false
}

/// Five fields, a string names it.
final class NamedTrack: Object {
  @PrimaryKey var id = ""
  @Field var title = ""
  @Field var plays = 0
  @Field var rating = 0.0
  @Field var isLiked = false
}

final class PlainTrack {
  var id = 0
  var title = ""
  var plays = 0
  var rating = 0.0
  var isLiked = false
}

final class PlainNamedTrack {
  var id = ""
  var title = ""
  var plays = 0
  var rating = 0.0
  var isLiked = false
}

@Observable
final class ObservableTrack {
  var id = 0
  var title = ""
  var plays = 0
  var rating = 0.0
  var isLiked = false
}

@Observable
final class ObservableNamedTrack {
  var id = ""
  var title = ""
  var plays = 0
  var rating = 0.0
  var isLiked = false
}

final class Album: Object {
  @Links var tracks: List<Track>
}

final class PlainAlbum {
  var tracks: [PlainTrack] = []
}

@Observable
final class ObservableAlbum {
  var tracks: [ObservableTrack] = []
}

/// Links to one track, and is found by its genre.
final class Tag: Object {
  @Indexed var genre = 0
  @Link var track: Track?
}

/// Keeps no track of who links to what.
final class PlainTag {
  var track: PlainTrack?
}

@Observable
final class ObservableTag {
  var track: ObservableTrack?
}

/// A store, and tracks in it by their number.
struct Tracks {
  let store: Store
  let all: [Track]

  init(_ count: Int, undoLimit: Int) throws {
    store = Store(undoLimit: undoLimit)
    all = (0..<count).map { number in
      let track = Track()
      track.id = number
      return track
    }
    try store.write(undoable: false) { try store.add(all) }
  }

  /// Different ones, far from each other.
  func scattered(_ count: Int) -> [Track] {
    let step = max(1, all.count / count)
    return (0..<count).map { all[$0 * step] }
  }
}

/// The title of the track with a number: too long to be stored inline, as most titles are.
func title(_ number: Int) -> String { "the title of the track \(number)" }
