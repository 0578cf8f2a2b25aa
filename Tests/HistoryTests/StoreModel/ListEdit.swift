import Signals
import TestSupport

/// An edit of a list, for a `List` of objects and for the model's array of numbers.
enum ListEdit {
  case append(Int)
  case insert(Int, at: Int)
  case set(at: Int, Int)
  case remove(at: Int)
  case removeFirst(Int)
  case removeOdd
  case removeOffsets([Int])
  case move([Int], to: Int)
  case swap(Int, Int)
  case sort
  case reverse
  case reverseSlice(Range<Int>)
  case replace(Range<Int>, [Int])
  case duplicate(Range<Int>)
  case assign([Int])

  /// The objects that come.
  var arriving: [Int] {
    switch self {
    case .append(let number), .insert(let number, _), .set(_, let number): [number]
    case .replace(_, let numbers), .assign(let numbers): numbers
    default: []
    }
  }

  /// Makes the edit in a list, as a user does.
  func make<Member: Object>(in list: inout List<Member>, _ object: (Int) -> Member?) {
    func all(_ numbers: [Int]) -> [Member] { numbers.compactMap(object) }
    switch self {
    case .append(let number): list.append(contentsOf: all([number]))
    case .insert(let number, let place): list.insert(contentsOf: all([number]), at: place)
    case .set(let place, let number): if let member = object(number) { list[place] = member }
    case .remove(let place): list.remove(at: place)
    case .removeFirst(let number): if let member = object(number) { list.remove(member) }
    case .removeOdd: list.removeAll { $0.modelNumber % 2 == 1 }
    case .removeOffsets(let offsets): list.remove(atOffsets: offsets)
    case .move(let offsets, let place): list.move(fromOffsets: offsets, toOffset: place)
    case .swap(let one, let other): list.swapAt(one, other)
    case .sort: list.sort { $0.modelNumber < $1.modelNumber }
    case .reverse: list.reverse()
    case .reverseSlice(let range): list[range].reverse()
    case .replace(let range, let numbers): list.replaceSubrange(range, with: all(numbers))
    case .duplicate(let range): list += list[range]
    case .assign(let numbers): list = List(all(numbers))
    }
  }

  /// Makes the edit in the model, by means of arrays alone.
  func make(in list: inout [Int]) {
    switch self {
    case .append(let number): list = list + [number]
    case .insert(let number, let place): list = list[..<place] + [number] + list[place...]
    case .set(let place, let number): list[place] = number
    case .remove(let place): list = Array(list[..<place]) + list[(place + 1)...]
    case .removeFirst(let number):
      if let place = list.firstIndex(of: number) { list.remove(at: place) }
    case .removeOdd: list = list.filter { $0 % 2 == 0 }
    case .removeOffsets(let offsets):
      list = list.indices.filter { !offsets.contains($0) }.map { list[$0] }
    case .move(let offsets, let place):
      let (moved, stay) = (list.indices.filter(offsets.contains), list.indices)
      list =
        stay.filter { $0 < place && !offsets.contains($0) }.map { list[$0] }
        + moved.map { list[$0] }
        + stay.filter { $0 >= place && !offsets.contains($0) }.map { list[$0] }
    case .swap(let one, let other): (list[one], list[other]) = (list[other], list[one])
    case .sort: list = list.sorted()
    case .reverse: list = list.reversed()
    case .reverseSlice(let range):
      list = list[..<range.lowerBound] + list[range].reversed() + list[range.upperBound...]
    case .replace(let range, let numbers):
      list = list[..<range.lowerBound] + numbers + list[range.upperBound...]
    case .duplicate(let range): list = list + list[range]
    case .assign(let numbers): list = numbers
    }
  }
}
