import Foundation
import Testing

/// Terminals that share scrums, as processes that are stopped and killed for real.
@Suite struct `Scrums shared by terminals` {
  @Test func `what one changes is on the screen of the others, and of one that comes later`()
    async throws
  {
    let desk = try Desk()
    let (one, two) = (try await desk.terminal(), try await desk.terminal())
    #expect(await two.does("wait Design").contains("[Design]  4 attendees, 10 min"))
    try await one.rename("Design", to: "Redesign")
    #expect(await two.does("wait Redesign").contains("[Redesign]  4 attendees, 10 min"))
    try await two.rename("Web Dev", to: "Sites")
    let three = try await desk.terminal()
    #expect(await three.does("wait Sites").contains("[Redesign]"))
    #expect(await one.does("wait Sites").contains("[Sites]"))
  }

  @Test func `when the terminal that serves is killed, another one serves, and nothing is lost`()
    async throws
  {
    let desk = try Desk()
    let one = try await desk.terminal()
    let (two, three) = (try await desk.terminal(), try await desk.terminal())
    try await one.rename("Design", to: "First")
    _ = await two.does("wait First")
    one.kill()
    try await two.rename("First", to: "Second")
    #expect(await three.does("wait Second").contains("[Second]"))
    two.kill()
    try await three.rename("Second", to: "Third")
    let four = try await desk.terminal()
    #expect(await four.does("wait Third").contains("[Third]"))
  }

  @Test func `what is changed offline is sent after the terminal was killed, once`() async throws {
    let desk = try Desk()
    let one = try await desk.terminal()
    let two = try await desk.terminal(copy: "two")
    _ = await two.does("wait Design")
    #expect(await two.does("offline").contains("\noffline"))
    try await two.rename("Design", to: "Offline")
    try await one.rename("Web Dev", to: "Sites")
    #expect(await two.does("tap Add").contains("offline, 1 not sent"))
    two.kill()
    #expect(await one.does("wait Sites").contains("[Design]"))
    let again = try await desk.terminal(copy: "two")
    #expect(await one.does("wait Offline").contains("[Sites]"))
    // It has the form that it showed when it was killed.
    #expect(await again.does("tap Cancel").contains("[Offline]"))
    #expect(await again.does("wait Sites").contains("Daily scrums: 3"))
  }

  @Test func `a terminal that is stopped for a while holds no other, and catches up`() async throws
  {
    let desk = try Desk()
    let one = try await desk.terminal()
    let (two, three) = (try await desk.terminal(), try await desk.terminal())
    _ = await three.does("wait Design")
    three.signal(SIGSTOP)
    try await Task.sleep(for: .seconds(pause))
    for number in 0..<20 {
      try await one.rename(number == 0 ? "Design" : "Title \(number - 1)", to: "Title \(number)")
    }
    #expect(await two.does("wait Title 19").contains("[Title 19]"))
    three.signal(SIGCONT)
    #expect(await three.does("wait Title 19").contains("[Title 19]"))
    // The one that serves.
    one.signal(SIGSTOP)
    try await two.rename("Title 19", to: "While it stood")
    try await Task.sleep(for: .seconds(pause))
    one.signal(SIGCONT)
    #expect(await three.does("wait While it stood").contains("[While it stood]"))
  }

  @Test func `an older file that was put back is named, and nothing is merged`() async throws {
    let desk = try Desk()
    let one = try await desk.terminal(copy: "one")
    try await one.rename("Design", to: "Old")
    await one.quit()
    try FileManager.default.copyItem(at: desk.file, to: desk.folder.appending(path: "backup"))
    let again = try await desk.terminal(copy: "one")
    try await again.rename("Old", to: "New")
    await again.quit()
    try FileManager.default.removeItem(at: desk.file)
    try FileManager.default.moveItem(at: desk.folder.appending(path: "backup"), to: desk.file)
    let last = try await desk.terminal(copy: "one")
    let frame = await last.does("wait fewer than the replica")
    #expect(frame.contains("not shared: the log of scrums has "))
    #expect(frame.contains("[New]"))
    let other = try await desk.terminal()
    #expect(await other.does("wait Old").contains("[Old]"))
  }

  @Test func `a file that can't be shared is an error at once`() async throws {
    let desk = try Desk()
    try Data("mine".utf8).write(to: desk.folder.appending(path: "text"))
    for (path, reason) in [("none/team", "mkdir"), ("text", "text")] {
      let terminal = try Terminal(
        ["--plain", "--share", desk.folder.appending(path: path).path()], fileBlocks: nil)
      #expect(await terminal.frame().isEmpty)
      #expect(terminal.status() == 66 && terminal.errors().contains(reason))
    }
    // What another program has at the place of the socket stays.
    try Data("mine".utf8).write(to: desk.folder.appending(path: "team.socket"))
    let terminal = try Terminal(["--plain", "--share", desk.file.path()], fileBlocks: nil)
    #expect(terminal.status() == 66 && terminal.errors().contains("team.socket: File exists"))
  }

  @Test func `a script that ends at once has changed the file, also by another name of it`()
    async throws
  {
    let desk = try Desk()
    let one = try await desk.terminal()
    await one.quit()
    let link = desk.folder.appending(path: "link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: desk.file)
    let (two, three) = (
      try Terminal(["--plain", "--share", desk.file.path() + "/"], fileBlocks: nil),
      try Terminal(["--plain", "--share", link.path()], fileBlocks: nil)
    )
    for terminal in [two, three] { _ = await terminal.frame() }
    #expect(await two.does("wait Design").contains("Daily scrums: 3"))
    try await two.rename("Design", to: "Redesign")
    #expect(await three.does("wait Redesign").contains("Daily scrums: 3"))
  }

  @Test func `what a later change has replaced is told`() async throws {
    let desk = try Desk()
    let (one, two) = (try await desk.terminal(), try await desk.terminal())
    _ = await two.does("wait Design")
    for terminal in [one, two] { _ = await terminal.does("offline") }
    try await one.rename("Design", to: "Mine")
    try await two.rename("Design", to: "Later")
    for terminal in [one, two] { _ = await terminal.does("online") }
    let frame = await one.does("wait is later")
    #expect(frame.hasSuffix("another terminal's change of title is later"))
    #expect(await one.does("wait Later").contains("[Later]"))
    try await one.rename("Web Dev", to: "Sites")
    #expect(await one.does("wait Sites").hasSuffix("[Refresh]"))
  }

  @Test(arguments: ["mvi", "mvvm", "viper"])
  func `a row says that it isn't sent, and a form is saved over what others have changed`(
    style: String
  ) async throws {
    let desk = try Desk()
    let (one, two) = (try await desk.terminal(), try await desk.terminal(style: style))
    _ = await two.does("wait Design")
    _ = await two.does("offline")
    try await two.rename("Web Dev", to: "Sites")
    let frame = await two.does("wait Sites")
    #expect(frame.contains("[Sites]  10 attendees, 1 min, not sent"))
    #expect(frame.contains("[Design]  4 attendees, 10 min\n"))
    _ = await two.does("online")
    _ = await one.does("wait Sites")
    while await two.does("wait Sites").contains("not sent") {}
    for line in ["tap Design", "tap Edit", "type title Mine"] { _ = await two.does(line) }
    try await one.rename("Design", to: "Theirs")
    _ = await two.does("wait Edit Theirs")
    #expect(await two.does("tap Save").contains("error: "))
    #expect(await two.does("tap Save mine").contains("Mine"))
    #expect(await one.does("wait [Mine]").contains("[Sites]"))
  }

  @Test func `a file that may not grow is named, and what isn't sent is kept`() async throws {
    let desk = try Desk()
    let one = try await desk.terminal(fileBlocks: 40)
    _ = await one.does("wait Design")
    let name = String(repeating: "x", count: 60_000)
    try await one.rename("Design", to: name)
    let frame = await one.does("wait the server has ended")
    #expect(
      frame.contains("the server has ended the connection: ") && frame.hasSuffix(", 1 not sent"))
    #expect(await one.does("tap Add").contains("New scrum"))
  }

  @Test(.enabled(if: smallDisk != nil))
  func `on a full disk nothing is lost, and it is sent when there is space`() async throws {
    let desk = try Desk(in: smallDisk)
    let one = try await desk.terminal()
    let two = try await desk.terminal()
    _ = await two.does("wait Design")
    let filler = desk.folder.appending(path: "filler")
    try fill(filler)
    try await one.rename("Design", to: String(repeating: "x", count: 20_000))
    let frame = await one.does("wait the server has ended")
    #expect(frame.contains("there is no space for "))
    #expect(frame.hasSuffix(", 1 not sent"))
    try FileManager.default.removeItem(at: filler)
    #expect(await two.does("wait xxxx").contains("xxxx"))
    try await two.rename("Web Dev", to: "Sites")
    #expect(await one.does("wait Sites").contains("xxxx"))
  }

  /// Fills the disk to its last byte.
  private func fill(_ file: URL) throws {
    try Data().write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    for size in [4_096, 1] {
      while (try? handle.write(contentsOf: Data(count: size))) != nil {}
    }
  }
}

/// How long terminals are stopped, in seconds.
private let pause = ProcessInfo.processInfo.environment["SIGNALS_PAUSE"].flatMap(Double.init) ?? 0.3

/// A folder on a disk of 256 kB.
private let smallDisk = ProcessInfo.processInfo.environment["SIGNALS_SMALL_DISK"]

/// A folder with a file that terminals share.
private final class Desk {
  let folder: URL
  var file: URL { folder.appending(path: "team") }

  init(in parent: String? = nil) throws {
    folder = (parent.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory)
      .appending(path: "s\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func terminal(
    copy: String? = nil, style: String = "mvi", fileBlocks: Int? = nil
  ) async throws -> Terminal {
    let store = copy.map { ["--store", folder.appending(path: $0).path()] } ?? []
    let terminal = try Terminal(
      ["--plain", "--style", style, "--share", file.path()] + store, fileBlocks: fileBlocks)
    _ = await terminal.frame()
    return terminal
  }
}

/// The program, which shows a frame for each line.
private final class Terminal {
  private let process = Process()
  private let (input, output, problems) = (Pipe(), Pipe(), Pipe())
  private var text = ""

  init(_ arguments: [String], fileBlocks: Int?) throws {
    let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "scrums")
    if let fileBlocks {
      process.executableURL = URL(filePath: "/bin/bash")
      let script = "trap '' XFSZ; ulimit -f \(fileBlocks); exec \"$0\" \"$@\""
      process.arguments = ["-c", script, program.path()] + arguments
    } else {
      (process.executableURL, process.arguments) = (program, arguments)
    }
    (process.standardInput, process.standardOutput) = (input, output)
    process.standardError = problems
    try process.run()
  }

  deinit { kill() }

  /// Does a line, and returns the frame after it.
  func does(_ line: String) async -> String {
    try? input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    return await frame()
  }

  /// Returns the next frame, which ends with an empty line.
  func frame() async -> String {
    while true {
      if let end = text.range(of: "\n\n") {
        defer { text = String(text[end.upperBound...]) }
        return String(text[..<end.lowerBound])
      }
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { return text }
      text += String(decoding: data, as: UTF8.self)
    }
  }

  func rename(_ scrum: String, to title: String) async throws {
    for line in ["wait \(scrum)", "tap \(scrum)", "tap Edit", "type title \(title)", "tap Save"] {
      _ = await does(line)
    }
    let frame = await does("tap Back")
    try #require(frame.contains("[\(title)]"))
  }

  func quit() async {
    try? input.fileHandleForWriting.write(contentsOf: Data("quit\n".utf8))
    process.waitUntilExit()
  }

  /// The status with which the process ends.
  func status() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// What it has said on standard error.
  func errors() -> String {
    String(decoding: problems.fileHandleForReading.availableData, as: UTF8.self)
  }

  func signal(_ number: Int32) { Foundation.kill(process.processIdentifier, number) }

  func kill() {
    signal(SIGCONT)
    signal(SIGKILL)
    process.waitUntilExit()
  }
}
