import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

/// Seeded mutations of real snapshots: each is read as a whole, or refused with one typed error.
@Suite struct `Snapshots, mutations` {
  @Test(arguments: seeds(5))
  func `bad input gives one typed error, and nothing changes`(seed: UInt64) throws {
    let fuzz = SnapshotFuzz(seed: seed)
    let present = fuzz.store.snapshot()
    for step in 0..<mutations {
      if let wrong = fuzz.mutate() {
        Issue.record("seed \(seed), step \(step): \(wrong)")
        return
      }
    }
    #expect(fuzz.store.snapshot() == present && fuzz.store.brokenInvariants() == [])
    if mutations >= 400 { #expect(fuzz.refused > 0 && fuzz.accepted > 0) }
  }
}

private let mutations = runLength("SIGNALS_MUTATIONS", usually: 400)

private final class SnapshotFuzz {
  let store = Store()
  var random: SeededRandom
  let texts: [[UInt8]]
  let trees: [Any]
  var accepted = 0
  var refused = 0

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    let stores = (0..<4).map { _ in Store() }
    var texts: [[UInt8]] = []
    for (size, other) in stores.enumerated() {
      do {
        try Self.fill(other, 1 + size * 2)
        texts.append([UInt8](try other.snapshot().encoded()))
      } catch { Issue.record(error) }
    }
    self.texts = texts
    trees = texts.compactMap { try? JSONSerialization.jsonObject(with: Data($0)) }
    do { try Self.fill(store, 3) } catch { Issue.record(error) }
  }

  static func fill(_ store: Store, _ size: Int) throws {
    for number in 0..<size {
      let (track, album, sizes) = (Track(), number % 2 == 0 ? Album() : Single(), Sizes())
      track.id = number
      track.title = "Track \(number)"
      track.album = album
      album.sleeve = Sleeve()
      album.sleeve?.inner = Sleeve()
      album.notes = [Sleeve(), Sleeve()]
      album.best = track
      sizes.maybe = number
      sizes.lookup = ["a": number]
      sizes.pair = [Pair(a: "x", b: true)]
      try store.add([track, sizes] as [Object])
      track.similar = List(store.results(Track.self))
    }
  }

  func number(_ limit: Int) -> Int { limit < 2 ? 0 : Int.random(in: 0..<limit, using: &random) }

  /// Decodes one mutation; the answer is what should not have happened.
  func mutate() -> String? {
    let which = number(texts.count)
    let isText = number(3) == 0
    var bytes = texts[which]
    if isText {
      for _ in 0...number(3) { mutate(&bytes) }
    } else {
      var tree = trees[which]
      for _ in 0...number(3) { tree = mutated(tree, number(7) + 1) }
      guard
        let data = try? JSONSerialization.data(withJSONObject: tree, options: [.fragmentsAllowed])
      else { return nil }
      bytes = [UInt8](data)
    }
    let input = String(decoding: bytes, as: UTF8.self)
    do {
      let snapshot = try JSONDecoder().decode(Snapshot.self, from: Data(bytes))
      accepted += 1
      let restored = Store(snapshot)
      let broken = restored.brokenInvariants()
      if !broken.isEmpty { return "\(broken): \(input)" }
      if restored.snapshot() != snapshot { return "not equal: \(input)" }
      if number(10) == 0, try snapshot.coded() != snapshot { return "not coded alike: \(input)" }
      let read = snapshot.withObjects { $0.objects(Object.self).count }
      if read != snapshot.count { return "not all read: \(input)" }
    } catch is GraphDecodingError {
      refused += 1
    } catch let error as DecodingError {
      refused += 1
      // The decoder itself could not read the text.
      if (try? JSONSerialization.jsonObject(with: Data(bytes), options: [.fragmentsAllowed]))
        != nil,
        !isText
      {
        return "\(error): \(input)"
      }
    } catch {
      return "\(error): \(input)"
    }
    return nil
  }

  private func mutate(_ bytes: inout [UInt8]) {
    guard bytes.count > 2 else { return }
    let place = number(bytes.count)
    switch number(6) {
    case 0: bytes[place] ^= UInt8(1 << number(8))
    case 1: bytes[place] = UInt8(number(256))
    case 2: bytes.removeSubrange(place...)
    case 3: bytes.remove(at: place)
    case 4: bytes.insert(contentsOf: bytes[place...].prefix(number(30)), at: place)
    default:
      let other = number(bytes.count)
      bytes.swapAt(place, other)
    }
  }

  /// A tree with something below changed.
  private func mutated(_ tree: Any, _ depth: Int) -> Any {
    if depth > 0 {
      if var array = tree as? [Any], !array.isEmpty {
        let place = number(array.count)
        array[place] = mutated(array[place], depth - 1)
        return array
      }
      if var object = tree as? [String: Any], !object.isEmpty {
        let key = object.keys.sorted()[number(object.count)]
        object[key] = mutated(object[key] ?? 0, depth - 1)
        return object
      }
    }
    switch number(9) {
    case 0: return NSNull()
    case 1: return number(12) - 2
    case 2: return ["x", "", "calm", "5TrackC", "-1"][number(5)]
    case 3: return [Any]()
    case 4: return [Double(number(5)) / 2, 1e300, -1e18, 9.3e18][number(4)]
    case 5: return ["a": number(3)]
    default: break
    }
    if var array = tree as? [Any], !array.isEmpty {
      let (place, other) = (number(array.count), number(array.count))
      switch number(4) {
      case 0: array.remove(at: place)
      case 1: array.append(array[place])
      case 2: array.insert(array[place], at: other)
      default: array.swapAt(place, other)
      }
      return array
    }
    if var object = tree as? [String: Any], !object.isEmpty {
      let key = object.keys.sorted()[number(object.count)]
      let value = object.removeValue(forKey: key)
      if number(2) == 0 { object[key + "x"] = value }
      return object
    }
    return (tree as? Int).map { $0 + number(3) - 1 } ?? tree
  }
}
