// How times are taken: thread CPU time, since a wall clock measures the machine's other guests too.

import Probes

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Nanoseconds that this thread has spent on a processor.
func threadTime() -> Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// Nanoseconds that all threads have spent on a processor, since a task may change threads when it waits.
func processTime() -> Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// Nanoseconds that `body` takes.
func timed(_ body: () throws -> Void) rethrows -> Double {
  let start = threadTime()
  try body()
  return threadTime() - start
}

/// Nanoseconds of the fastest of several runs.
func fastest(of runs: Int, _ body: () throws -> Void) rethrows -> Double {
  var best = Double.infinity
  for _ in 0..<runs { best = min(best, try timed(body)) }
  return best
}

/// The median of several runs of `body`, each after `prepare`, in nanoseconds per operation.
func median(
  of runs: Int, operations: Int = 1, prepare: () -> Void = {}, _ body: () throws -> Void
) rethrows -> Double {
  var times: [Double] = []
  for _ in 0..<runs {
    prepare()
    times.append(try timed(body) / Double(operations))
  }
  return times.sorted()[runs / 2]
}

extension Report {
  /// Nanoseconds of one operation, where `body` makes as many as it is told: the smallest of nine
  /// samples of about 60 ms.
  func perOperation(_ body: (Int) -> Void) -> Double {
    let target = isQuick ? 2e5 : 6e7
    var count = 1
    while true {
      let time = timed { body(count) }
      if time >= target / 4 {
        count = max(1, Int(Double(count) * target / time))
        break
      }
      count = time < target / 100 ? count * 10 : count * 3
    }
    return fastest(of: isQuick ? 1 : 9) { body(count) } / Double(count)
  }
}

/// Keeps the optimizer from leaving out what computes a value, and from computing it only once.
@inline(__always)
func use<Value>(_ value: Value) { unsafe withUnsafePointer(to: value) { unsafe probe_use($0) } }

/// Ends the program with a message on standard error.
func stop(_ status: Int32, _ message: String) -> Never {
  complain(message)
  exit(status)
}

/// Prints a line on standard error.
func complain(_ message: String) {
  var line = message + "\n"
  line.withUTF8 { bytes in _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
}

/// Lets the lines printed so far appear, if they go to a file.
func flush() { _ = fflush(nil) }
