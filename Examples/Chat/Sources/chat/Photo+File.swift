import ChatModel
import Foundation

extension Photo {
  /// Reads a photo from a file.
  ///
  /// - Throws: The error of the file, and ``ChatError`` if it is too large.
  convenience init(contentsOf path: String, at date: Date) throws {
    let url = URL(filePath: path)
    let size = try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    if size > Photo.sizeLimit { throw ChatError.photoTooLarge }
    self.init()
    (title, bytes, self.date) = (url.lastPathComponent, Array(try Data(contentsOf: url)), date)
  }
}
