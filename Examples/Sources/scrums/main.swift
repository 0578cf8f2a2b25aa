// scrums: daily scrums, a command a line ("tap Design", "type title Retro", "tick 60", "undo"); after each the frame.
//
// With --plain time passes when a line says so, else as it does, which shows at the next line. With --snapshot the
// graph is kept in a file after each line, and with it the state of the screens: the next run goes on where this one
// was killed.

import Foundation
import ScrumsApp
import ScrumsModel
import Signals

func openStore(_ file: URL?) throws -> Store {
  if let file, FileManager.default.fileExists(atPath: file.path()) {
    do {
      let snapshot = try JSONDecoder().decode(Snapshot.self, from: Data(contentsOf: file))
      return Store(snapshot)
    } catch { throw Failure("\(file.path()): \(error)") }
  }
  let store = Store()
  try Scrums.seed(store)
  return store
}

func run() async throws {
  let options = try Options(CommandLine.arguments.dropFirst())
  let store = try openStore(options.snapshot)
  let service: any ScrumService = options.service.map(FileService.init) ?? SampleService()
  let seconds = Subject<Int, Never>()
  let world = World(
    store, feed: ScrumFeed(Connection(service, cache: options.cache), into: store),
    ticker: Ticker(seconds), now: { options.today ?? Date() })
  let session = Session(world, options.style, seconds: seconds)

  func show(_ line: String, _ answer: String) {
    // What was shown is kept: whoever sees it may pull the plug.
    if let file = options.snapshot {
      do { try JSONEncoder().encode(store.snapshot()).write(to: file, options: .atomic) } catch {
        print("error: \(file.path()): \(error)")
      }
    }
    if options.isPlain { print("> \(line)") }
    print(answer)
    if options.showsStatistics { print("bodies: \(session.bodies)") }
    print()
    fflush(nil)
  }

  let clock = ContinuousClock()
  var last = clock.now
  show("start", session.text)
  while let line = readLine() {
    if !options.isPlain {
      let passed = Int(last.duration(to: clock.now) / .seconds(1))
      last = last.advanced(by: .seconds(passed))
      seconds.send(passed)
      if line.isBlank { show(line, session.text) }
    }
    if line.isBlank { continue }
    do {
      try await session.perform(line)
      show(line, session.text)
    } catch let invalid as InvalidDraftError {
      // What is wrong stands on the screen, beside the fields.
      show(line, "error: \(invalid.errors.count) to be mended\n\(session.text)")
    } catch { show(line, "error: \(error)") }
  }
}

do { try await run() } catch {
  let message = (error as? Failure)?.message ?? "\(error)"
  FileHandle.standardError.write(Data("scrums: \(message)\n".utf8))
  exit(1)
}
