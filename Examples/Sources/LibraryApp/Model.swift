package import Foundation
package import Signals

/// A book, in a library or with a member.
package final class Book: Object {
  @PrimaryKey package var isbn = ""
  @Field package var title = ""
  @Field package var author = ""
  /// How often it was borrowed.
  @Counter package var loans = 0

  /// Whether title or author contain what somebody searches.
  func matches(_ query: String) -> Bool { title.has(query) || author.has(query) }
}

/// Somebody who borrows books.
package final class Member: Object {
  @PrimaryKey package var id = UUID()
  @Field package var name = ""
  @Links package var borrowed: List<Book>
}

/// A library with its books and members.
///
/// The business logic lives here.
package final class Library: Object {
  @PrimaryKey package var id = UUID()
  @Links package var available: List<Book>
  @Links package var members: List<Member>

  /// Why a book can't be borrowed or returned.
  package enum BorrowError: Error, Equatable {
    case noSuchBook(String)
    case noSuchMember(UUID)
  }

  /// Hands a book to a member: in one commit, so that it is never in neither list.
  @discardableResult
  package func borrow(isbn: String, for memberID: UUID) throws -> Book {
    guard let book = available.first(where: { $0.isbn == isbn }) else {
      throw BorrowError.noSuchBook(isbn)
    }
    let member = try member(memberID)
    return try write {
      available.remove(book)
      member.borrowed.append(book)
      book.loans += 1
      return book
    }
  }

  /// Takes a book back from a member, in one commit.
  @discardableResult
  package func takeBack(isbn: String, from memberID: UUID) throws -> Book {
    let member = try member(memberID)
    guard let book = member.borrowed.first(where: { $0.isbn == isbn }) else {
      throw BorrowError.noSuchBook(isbn)
    }
    return try write {
      member.borrowed.remove(book)
      available.append(book)
      return book
    }
  }

  private func member(_ id: UUID) throws -> Member {
    guard let member = members.first(where: { $0.id == id }) else {
      throw BorrowError.noSuchMember(id)
    }
    return member
  }
}

extension String {
  /// Whether this contains what somebody types, in upper or lower case.
  func has(_ query: String) -> Bool {
    query.isEmpty || range(of: query, options: .caseInsensitive) != nil
  }
}
