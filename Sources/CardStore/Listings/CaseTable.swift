package import CardModel

/// The table of cases for people: its columns make the list in CSV, as a workbook and as a page.
package enum CaseTable {
    /// A case, with the name of the file at fault if it may be shown.
    package typealias Row = (one: Case, photo: String?)

    package static func columns(withPhotos: Bool) -> [TableColumn<Row>] {
        let columns: [TableColumn<Row>?] = [
            TableColumn(.tableNumber) { .text($0.one.businessNo.rawValue) },
            TableColumn(.tableState) { .text(Message.stateName($0.one.state).text()) },
            TableColumn(.tableSince(localZoneName)) { .time($0.one.since) },
            TableColumn(.tableSide) { .sides($0.one.task.sides) },
            TableColumn(.tableTask) { $0.one.todo.map { .text($0.text()) } },
            withPhotos ? TableColumn(.tablePhoto) { $0.photo.map { .text($0) } } : nil,
            TableColumn(.tableCard) { $0.one.cardID.map { .code($0.rawValue) } },
            TableColumn(.tableCode) { $0.one.cause.map { .code($0) } },
        ]
        return columns.compactMap(\.self)
    }
}

extension Case {
    var task: SubmitterTask {
        SubmitterTask(self.state, side: self.side, code: self.cause, message: self.message, missing: self.missing)
    }
}
