// load: connected visitors of one site, and how long a change takes until it has reached all of them.
//
// Order of events: the site starts in this process. Visitors load the page, and open its socket; some of
// them never read from it. Then the graph is changed, again and again, and each time all visitors who
// read get a patch. What is printed is the time from the commit to the last of them.

import Foundation
import Logging
import NIOCore
import NIOPosix
import Signals
import Site

@main
struct Load {
  static func main() async throws {
    var numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    if numbers.isEmpty { numbers = [1000] }
    for number in numbers { try await measure(visitors: number) }
  }

  /// Measures a site with a number of visitors, of whom one in ten never reads.
  @MainActor private static func measure(visitors count: Int) async throws {
    let store = Store()
    let board = try Board.sample(in: store)
    var logger = Logger(label: "site")
    logger.logLevel = .warning
    let site = Site(
      [SiteApp("board", title: "Board", store: store) { BoardScreen(board: board) }],
      visitorLimit: count + 1, logger: logger)
    let before = residentBytes()
    try await site.serving { port in
      let arrivals = Arrivals()
      var visitors: [Visitor] = []
      for number in 0..<count {
        visitors.append(
          try await Visitor.connect(port: port, isReading: number % 10 > 0, arrivals))
      }
      let reading = count - count / 10
      try await arrivals.wait(for: reading, of: 0)
      let each = (residentBytes() - before) / count / 1024
      var times: [Duration] = []
      var commits: [Duration] = []
      let clock = ContinuousClock()
      for round in 1...100 {
        let start = clock.now
        board.count = round
        commits.append(clock.now - start)
        let last = try await arrivals.wait(for: reading, of: round)
        times.append(last - start)
        try await Task.sleep(for: .milliseconds(50))
      }
      times.sort()
      commits.sort()
      print(
        "\(count) visitors, \(count - reading) of them don't read, \(each) KiB each: "
          + "commit \(commits[50].text), to the last socket p50 \(times[50].text), "
          + "p99 \(times[98].text)")
      for visitor in visitors { visitor.close() }
    }
  }

  private static func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
  }
}

extension Duration {
  fileprivate var text: String {
    formatted(.units(allowed: [.milliseconds], fractionalPart: .show(length: 1)))
  }
}

/// A board that all visitors see.
final class Board: Object {
  @Field var count = 0
  @Links var tasks: List<BoardTask>

  static func sample(in store: Store) throws -> Board {
    let board = Board()
    for number in 1...50 {
      let task = BoardTask()
      task.title = "Task \(number)"
      board.tasks.append(task)
    }
    try store.add(board)
    return board
  }
}

final class BoardTask: Object {
  @Field var title = ""
}

/// About 60 elements, of which one changes.
struct BoardScreen: View {
  @ObservedObject var board: Board
  @State private var search = ""

  var body: Element {
    Text("Board").style(.title)
    BoardCount(board: board)
    TextField("Search", text: $search)
    ForEach(board.tasks) { Text($0.title) }
  }
}

struct BoardCount: View {
  @ObservedObject var board: Board

  var body: Element { Text("round \(board.count)") }
}
