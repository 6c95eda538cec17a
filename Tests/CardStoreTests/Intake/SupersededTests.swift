import CardModel
import Testing

@testable import CardStore

/// When a photo that a newer one replaced comes back.
@Suite final class SupersededTests: StoreSuite {
    /// A photo that was replaced, and the delivery of the newer one.
    private func replaced(_ file: FileIdentity? = nil) async throws -> (CardID, DeliveryJob) {
        let older = try await harness.admit("older", number: "N", file: file).card
        try await harness.verify([:])
        _ = try await harness.verified("newer", number: "N", .front)
        let job = try #require(try await harness.begin().first)
        #expect(try await harness.state(older) == "superseded superseded")
        return (older, job)
    }

    @Test(arguments: ["delivered", "rejected", "prepared", "erased"])
    func `a superseded photo comes back only when no newer one of its side may go`(_ newer: String) async throws {
        let (older, job) = try await replaced()
        let next = job.members[0]
        switch newer {
        case "delivered": try await harness.conclude(job, .accepted)
        case "erased":
            try await harness.conclude(job, .accepted)
            try await harness.erase(next)
        case "prepared":
            try await harness.conclude(job, .failure(.rejected))
            try await harness.retry(next)
        default: try await harness.conclude(job, .failure(.rejected))
        }
        let comesBack = newer == "rejected"
        if !comesBack { await #expect(throws: CodedError.self) { try await harness.retry(older) } }
        try await harness.admit("older", number: "N")
        #expect(try await harness.state(older) == (comesBack ? "prepared" : "superseded superseded"))
    }

    @Test func `a person has a superseded photo judged again once the newer one came to nothing`() async throws {
        let (older, job) = try await replaced()
        await #expect(throws: CodedError.self) { try await harness.retry(older) }
        try await harness.conclude(job, .failure(.rejected))
        // The other side does not replace it.
        _ = try await harness.verified("back", number: "N", .back)
        try await harness.retry(older)
        #expect(try await harness.card(older).reason == nil)
        let jobs = try await harness.claim()
        #expect(jobs.map(\.card.id) == [older] && jobs.allSatisfy { $0.reading != nil && $0.attempt == nil })
    }

    @Test func `a photo of unknown side that is still to be verified may replace a superseded one`() async throws {
        let (older, job) = try await replaced()
        let newest = try await harness.admit("newest", number: "N").card
        try await harness.conclude(job, .failure(.rejected))
        #expect(try await harness.admit("older", number: "N").state == .superseded)
        await #expect(throws: CodedError.self) { try await harness.retry(older) }
        try await harness.verify([newest: (.back, nil)])
        #expect(try await harness.admit("older", number: "N").state == .prepared)
    }

    @Test func `a superseded photo comes back by its file, without a byte being read`() async throws {
        let file = try harness.file("older")
        let (older, job) = try await replaced(file)
        #expect(try await harness.known([file]).map { $0?.state } == [.superseded])
        try await harness.conclude(job, .failure(.rejected))
        #expect(try await harness.known([file]).map { $0?.state } == [.prepared])
        #expect(try await harness.claim().map(\.card.id) == [older])
    }
}
