public import Foundation
public import Signals

/// A book, in a library or with a member.
public final class Book: Object {
  @PrimaryKey public var isbn = ""
  @Field public var title = ""
  @Field public var author = ""
}

/// Somebody who borrows books.
public final class Member: Object {
  @PrimaryKey public var id = UUID()
  @Field public var name = ""
  @Links public var borrowed: List<Book>
}

/// A library with its books and members. The business logic lives here.
public final class Library: Object {
  @PrimaryKey public var id = UUID()
  @Links public var available: List<Book>
  @Links public var members: List<Member>

  /// Why a book can't be borrowed or returned.
  public enum BorrowError: Error, Equatable {
    case noSuchBook(String)
    case noSuchMember(UUID)
  }

  /// Hands a book to a member: in one commit, so that it is never in neither list.
  @discardableResult
  public func borrow(isbn: String, for memberID: UUID) throws -> Book {
    guard let book = available.first(where: { $0.isbn == isbn }) else {
      throw BorrowError.noSuchBook(isbn)
    }
    let member = try member(memberID)
    return try write {
      available.remove(book)
      member.borrowed.append(book)
      return book
    }
  }

  /// Takes a book back from a member, in one commit.
  @discardableResult
  public func takeBack(isbn: String, from memberID: UUID) throws -> Book {
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
