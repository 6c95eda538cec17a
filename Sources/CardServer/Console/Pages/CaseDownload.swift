import CardModel
import CardStore
import Hummingbird
import NIOCore

extension Console {
    /// `GET /console/cases.csv` and `/console/cases.xlsx`: the cases of the page as a table for people, with its filters.
    func downloadCases(_ visit: ConsoleRequest) async throws -> Reply {
        let filter = try visit.query(Self.caseFilters).caseFilter(for: visit.caller)
        let format: TableFormat = visit.request.uri.path.hasSuffix(".xlsx") ? .xlsx : .csv
        let (listings, caller, catalogue) = (self.ports.store.listings, visit.caller, visit.catalogue)
        let body = ResponseBody { writer in
            // The body is written after the handler has returned, and with it the language of the session.
            try await MessageCatalogue.$requested.withValue(catalogue) {
                var table = TableWriter(CaseTable.columns(withPhotos: false), as: format)
                var last: CaseCursor?
                repeat {
                    let page = try await listings.cases(filter, after: last, limit: .max, for: caller)
                    for one in page.cases { try table.add((one, nil)) }
                    try await writer.write(ByteBuffer(bytes: table.drain()))
                    last = page.next
                } while last != nil
                table.finish()
                try await writer.write(ByteBuffer(bytes: table.drain()))
            }
            try await writer.finish(nil)
        }
        let types: [TableFormat: String] = [
            .csv: "text/csv; charset=utf-8",
            .xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        ]
        let name = "attachment; filename=\"cases.\(format.rawValue)\""
        return .response(
            Response(status: .ok, headers: [.contentType: types[format] ?? "", .contentDisposition: name], body: body)
        )
    }
}
