import Foundation
import GRDB

/// The columns of `card` that make a `Card`, in the order in which every statement names them.
///
/// They are read by their place: looking names up, letter by letter and whatever their case, took longer than SQLite
/// itself.
enum CardColumn: Int, CaseIterable {
    case id, state, reason, message
    case businessNumber, priority, userNumber, expectedIDNumber, expectedName, expectedSide
    case side, intakeOrder, attempts, dueAt, isShrunk, delivery, createdAt, changedAt

    /// What a statement selects, or returns.
    static let list = Self.allCases.map { "card.\($0.name)" }.joined(separator: ", ")

    /// What a statement selects behind the list that joins `data_key`: opening a value needs no other statement then.
    static let dataKey = "data_key.key_id, data_key.bytes"

    /// Its name in the schema.
    var name: String {
        switch self {
        case .id: "id"
        case .state: "state"
        case .reason: "reason"
        case .message: "message"
        case .businessNumber: "business_no"
        case .priority: "priority"
        case .userNumber: "user_number"
        case .expectedIDNumber: "expected_id_number"
        case .expectedName: "expected_name"
        case .expectedSide: "expected_side"
        case .side: "side"
        case .intakeOrder: "intake_order"
        case .attempts: "attempts"
        case .dueAt: "due_at"
        case .isShrunk: "is_shrunk"
        case .delivery: "delivery"
        case .createdAt: "created_at"
        case .changedAt: "changed_at"
        }
    }
}

extension Row {
    /// The value in a column of a row whose columns are those of `CardColumn.list`.
    subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(card column: CardColumn) -> Value {
        self[column.rawValue]
    }

    /// The card's data key, if the statement selects `CardColumn.dataKey` behind the columns of the list and there is one.
    var dataKey: (wrappingKey: String, bytes: Data)? {
        let index = CardColumn.allCases.count
        guard self.count > index, let wrappingKey = self[index] as String? else { return nil }
        return (wrappingKey, self[index + 1])
    }
}
