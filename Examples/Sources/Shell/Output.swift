import Glibc

/// Standard output, without a buffer: what was shown has been shown, also to a pipe.
public enum Output {
  /// Writes text; a reason to stop if it can't be: nobody would see what comes.
  public static func write(_ text: String) throws(Failure) {
    guard let problem = Output.write(text, to: STDOUT_FILENO) else { return }
    throw Failure(status: 74, "can't write standard output: \(problem)")
  }

  /// Writes all of a text, and says what went wrong.
  static func write(_ text: String, to descriptor: Int32) -> String? {
    var left = Array(text.utf8)[...]
    while !left.isEmpty {
      let count = unsafe left.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count >= 0 {
        left = left.dropFirst(count)
      } else if errno != EINTR {
        return unsafe String(cString: strerror(errno))
      }
    }
    return nil
  }

  /// Keeps the places of standard input, output and error, where one was closed, from the next file that is opened: what is
  /// said there would be written into it.
  static func keepPlaces() {
    // The first free place is taken, in a way that it can't be used in.
    for place in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(place, F_GETFD) == -1 {
      _ = unsafe open("/dev/null", place == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
