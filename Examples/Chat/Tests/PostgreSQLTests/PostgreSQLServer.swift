import Foundation
import SignalsPostgreSQL
import Synchronization

/// A PostgreSQL server of its own on the loopback interface, with its data in a temporary directory.
final class PostgreSQLServer: Sendable {
  /// Why a server can't be started.
  struct Failure: Error, CustomStringConvertible { let description: String }

  let folder: URL
  /// The network that it is in, if not that of this process.
  private let network: Network?
  /// A free port, at which the server is started again, too.
  let port: Int
  /// The process, without a parent that waits for it.
  private let process = Mutex(pid_t(0))
  private let databases = Atomic(0)
  /// Its end is that of this process.
  private let input = Pipe()

  /// The server of the tests that don't stop it.
  static var shared: PostgreSQLServer { get async throws { try await sharedTask.value } }
  private static let sharedTask = Task { try await PostgreSQLServer(isDurable: false) }

  /// Another server of the tests that don't stop it.
  static var second: PostgreSQLServer { get async throws { try await secondTask.value } }
  private static let secondTask = Task { try await PostgreSQLServer(isDurable: false) }

  /// Makes a server and starts it.
  ///
  /// - Parameters:
  ///   - isDurable: Whether a commit waits for the device.
  ///   - folder: The folder of its data, or `nil` for a new one.
  ///   - network: The network that it is in, or `nil` for that of this process.
  init(isDurable: Bool = true, in folder: URL? = nil, network: Network? = nil) async throws {
    self.network = network
    self.folder = folder ?? FileManager.default.temporaryDirectory.appending(path: "pg-\(UUID())")
    // Another process may take the port before the server does. So it isn't one that the system gives to
    // connections.
    port = .random(in: 20_000..<32_000)
    // No other program may have the end that this process keeps.
    _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    if getuid() == 0 {
      try await Self.run("/bin/chown", ["postgres", self.folder.path], isOther: false)
    }
    try await Self.run(
      Self.program("initdb"),
      ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"])
    let settings = """

      port = \(port)
      listen_addresses = '127.0.0.1\(network.map { ", \($0.server)" } ?? "")'
      unix_socket_directories = ''
      fsync = \(isDurable ? "on" : "off")
      max_connections = 400
      max_prepared_transactions = 100
      logging_collector = off
      autovacuum_naptime = 5
      """
    let file = try FileHandle(forWritingTo: URL(filePath: "\(data)/postgresql.conf"))
    try file.seekToEnd()
    try file.write(contentsOf: Data(settings.utf8))
    try file.close()
    if let network {
      let hosts = try FileHandle(forWritingTo: URL(filePath: "\(data)/pg_hba.conf"))
      try hosts.seekToEnd()
      try hosts.write(contentsOf: Data("host all all \(network.client)/32 trust\n".utf8))
      try hosts.close()
    }
    try watchProcess()
    try await start()
  }

  /// Starts a program that removes the server when this process has ended, however it ends.
  private func watchProcess() throws {
    let stop = "\(try Self.program("pg_ctl")) -D \(data) -m immediate stop"
    // A test may have frozen it.
    let wake = "p=$(head -n 1 \(data)/postmaster.pid); kill -CONT $p $(pgrep -P $p)"
    let watcher = Process()
    watcher.executableURL = URL(filePath: "/bin/sh")
    watcher.arguments = [
      "-c",
      "read x; \(wake); \(getuid() == 0 ? "runuser -u postgres -- " : "")\(stop); rm -rf \(folder.path)"
        + (network.map { "; \($0.removal)" } ?? ""),
    ]
    watcher.standardInput = input
    (watcher.standardOutput, watcher.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    try watcher.run()
  }

  deinit { remove() }

  private var data: String { "\(folder.path)/data" }

  /// The directory of the server's programs.
  private static let programs: String? = {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return versions.compactMap(Int.init).max().map { "\(root)/\($0)/bin" }
  }()

  private static func program(_ name: String) throws -> String {
    guard let programs else { throw Failure(description: "PostgreSQL isn't installed") }
    return "\(programs)/\(name)"
  }

  /// Runs a program to its end, as the user of the server if this process has the rights of root.
  ///
  /// Not by `Process`, which waits for the programs that the program leaves behind, too. On a thread of its
  /// own, since there are as few of those of tasks as cores.
  @discardableResult
  static func run(
    _ path: String, _ arguments: [String], isOther: Bool = true
  ) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Result { try runBlocking(path, arguments, isOther: isOther) })
      }
    }
  }

  private static func runBlocking(
    _ path: String, _ arguments: [String], isOther: Bool
  ) throws -> String {
    let words =
      (isOther && getuid() == 0 ? ["/sbin/runuser", "-u", "postgres", "--"] : []) + [path]
      + arguments
    let output = FileManager.default.temporaryDirectory.appending(path: "pg-output-\(UUID())")
    defer { try? FileManager.default.removeItem(at: output) }
    var files = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&files)
    defer { unsafe posix_spawn_file_actions_destroy(&files) }
    unsafe posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_addopen(
      &files, 1, output.path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    unsafe posix_spawn_file_actions_adddup2(&files, 1, 2)
    var texts = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { for index in words.indices { unsafe free(texts[index]) } }
    var process = pid_t(0)
    guard unsafe posix_spawn(&process, words[0], &files, nil, &texts, environ) == 0 else {
      throw Failure(description: "\(words[0]) can't be run")
    }
    var status = Int32(0)
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    let text = try String(contentsOf: output, encoding: .utf8)
    if status != 0 { throw Failure(description: "\(words): \(status)\n\(text)") }
    return text
  }

  /// Starts the server, and returns when it takes connections.
  func start() async throws {
    var words = [
      try Self.program("pg_ctl"), "-D", data, "-w", "-t", "60", "-l", "\(folder.path)/log", "start",
    ]
    if let network {
      words = network.prefix + ["/sbin/runuser", "-u", "postgres", "--"] + words
    }
    do {
      try await Self.run(words[0], Array(words.dropFirst()), isOther: network == nil)
    } catch {
      let log = (try? String(contentsOfFile: "\(folder.path)/log", encoding: .utf8)) ?? ""
      throw Failure(description: "\(error)\n\(log.suffix(2_000))")
    }
    let lines = try String(contentsOf: URL(filePath: "\(data)/postmaster.pid"), encoding: .utf8)
    process.withLock { $0 = pid_t(lines.split(separator: "\n")[0]) ?? 0 }
  }

  /// Stops the server as for a restart, or for one that was cut off.
  func stop(_ mode: String = "fast") async throws {
    process.withLock { $0 = 0 }
    try await Self.run(Self.program("pg_ctl"), ["-D", data, "-w", "-m", mode, "stop"])
  }

  /// Kills the server with all its processes, as the system does when there is no memory left.
  func kill() async throws {
    // None of them may be left when the server starts: it refuses to while another one has its shared memory, which
    // a process that waits for the device keeps for a while.
    for process in killProcesses() {
      while isRunning(process) { try await Task.sleep(for: .milliseconds(5)) }
    }
    try? FileManager.default.removeItem(atPath: "\(data)/postmaster.pid")
  }

  /// Kills the server's processes, and returns them.
  @discardableResult
  private func killProcesses() -> [pid_t] {
    let parent = process.withLock { $0 }
    if parent == 0 { return [] }
    // A process that is stopped makes no others.
    Foundation.kill(parent, SIGSTOP)
    let all = [parent] + processes(below: parent)
    for next in all { Foundation.kill(next, SIGKILL) }
    return all
  }

  /// Sends a signal to the server and all its processes.
  func signal(_ signal: Int32) {
    let parent = process.withLock { $0 }
    for next in [parent] + processes(below: parent) { Foundation.kill(next, signal) }
  }

  private func isRunning(_ process: pid_t) -> Bool {
    let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    return status.map { !$0.contains(") Z ") } ?? false
  }

  private func processes(below parent: pid_t) -> [pid_t] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return all.compactMap(pid_t.init).filter { child in
      let text = (try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)) ?? ""
      // The number of the parent is the second field after the name in parentheses.
      let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
      return fields.count > 2 && fields[2] == "\(parent)" && fields[1] != "Z"
    }
  }

  /// Ends the server, and removes its data.
  func remove() {
    killProcesses()
    try? FileManager.default.removeItem(at: folder)
  }

  /// The address of a database.
  func address(_ database: String = "postgres") -> String {
    "postgres://postgres@\(network?.server ?? "127.0.0.1"):\(port)/\(database)"
  }

  /// Runs SQL, each text as a transaction, and returns the columns of its rows.
  @discardableResult
  func query(_ texts: String..., in database: String = "postgres") async throws -> String {
    try await Self.run(
      Self.program("psql"),
      ["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1"] + texts.flatMap { ["-c", $0] }
        + [address(database)])
  }

  /// Returns the notifications of a database that come during a call.
  func notifications(
    in database: String = "postgres", during body: () async throws -> Void
  ) async throws -> String {
    // It listens until there is a table, and then asks once more, as a client reads notifications with replies.
    let table = "done_\(Int.random(in: 0..<1 << 40))"
    let wait = """
      DO $$BEGIN WHILE NOT EXISTS (SELECT FROM pg_tables WHERE tablename = '\(table)') LOOP PERFORM pg_sleep(0.01); END LOOP; END$$
      """
    async let texts = query("LISTEN signals_log", wait, "SELECT 1", in: database)
    let count = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'DO%\(table)%'"
    while try await query(count) != "1\n" { try await Task.sleep(for: .milliseconds(5)) }
    try await body()
    try await query("CREATE TABLE \(table) ()", in: database)
    return try await texts
  }

  /// Returns a log with a schema that no other has.
  func newLog(patience: Duration = .seconds(60)) -> PostgreSQLLog {
    let number = databases.add(1, ordering: .relaxed).newValue
    return PostgreSQLLog(address(), schema: "test \"\(number)\"", patience: patience)
  }
}
