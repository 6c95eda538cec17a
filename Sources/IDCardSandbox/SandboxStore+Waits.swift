import GRDB
package import IDCardCore
package import IDCardPipeline

extension SandboxStore {
    package func setPause(_ pause: StagePause?, of stage: Stage) async throws {
        let owner = try self.owner
        try await self.writer.write { db in
            // Also those of processes that are gone: what stops the stage now is what a person is to be told.
            try db.execute(cached: WaitSQL.endPause, arguments: ["stage": stage.rawValue, "owner": owner])
            guard let pause else { return }
            try db.execute(
                cached: WaitSQL.setPause,
                arguments: [
                    stage.rawValue, owner, pause.code, pause.message, pause.since.millisecondsSinceEpoch,
                ]
            )
        }
    }

    package func pauses() async throws -> [Stage: StagePause] {
        try await self.read { db in
            var pauses: [Stage: StagePause] = [:]
            for row in try Row.fetchAll(db, cached: WaitSQL.pauses) {
                pauses[try Self.word(row["stage"], in: "stage_pause.stage")] = StagePause(
                    code: row["code"],
                    message: row["message"],
                    since: Timestamp(millisecondsSinceEpoch: row["since"])
                )
            }
            return pauses
        }
    }

    package func standings() async throws -> [Stage: StageStanding] {
        try await self.read { db in
            var searches: [Stage: EndpointFailure.Search] = [.verify: .init(), .deliver: .init()]
            let calls = try Row.fetchCursor(db, sql: CallSQL.lastCalls, arguments: [EndpointFailure.mostCalls])
            while let row = try calls.next(), !searches.values.allSatisfy(\.isOver) {
                let stage: Stage = row["is_verification"] ? .verify : .deliver
                searches[stage]?.look(
                    at: AttemptRecord(
                        failureClass: try Self.word(row["class"], in: "attempt.class"),
                        code: row["code"],
                        httpStatus: row["http_status"],
                        startedAt: Timestamp(millisecondsSinceEpoch: row["started_at"])
                    )
                )
            }
            var oldest: [Stage: Timestamp] = [:]
            for state in CardState.allCases {
                guard let stage = state.stage,
                    let time = try Int64.fetchOne(db, cached: QuerySQL.oldest, arguments: [state.rawValue])
                        .map(Timestamp.init(millisecondsSinceEpoch:))
                else { continue }
                oldest[stage] = min(oldest[stage] ?? time, time)
            }
            return Dictionary(
                uniqueKeysWithValues: Stage.allCases.map { stage in
                    (stage, StageStanding(oldestSince: oldest[stage], failure: searches[stage]?.failure))
                }
            )
        }
    }

    package func pausesLeftBehind() async throws -> Set<Stage> {
        let owner = try self.owner
        return try await self.read { db in
            Set(
                try String.fetchAll(db, cached: WaitSQL.leftBehind, arguments: [owner])
                    .map { try Self.word($0, in: "stage_pause.stage") }
            )
        }
    }

    package func setWait(until time: Timestamp, of host: String, now: Timestamp) async throws {
        try await self.writer.write { db in
            try db.execute(cached: WaitSQL.forgetWaits, arguments: [now.millisecondsSinceEpoch])
            try db.execute(cached: WaitSQL.setWait, arguments: [host, time.millisecondsSinceEpoch])
        }
    }

    package func waits(longest: Duration, now: Timestamp) async throws -> [String: Timestamp] {
        let latest = now.advanced(by: longest)
        let waits = try await self.read { db in
            try Row.fetchAll(db, cached: WaitSQL.waits, arguments: [now.millisecondsSinceEpoch]).map { row in
                (row["host"] as String, Timestamp(millisecondsSinceEpoch: row["until"]))
            }
        }
        if waits.contains(where: { $0.1 > latest }) {
            try await self.writer.write { db in
                try db.execute(
                    cached: WaitSQL.shortenWaits,
                    arguments: ["latest": latest.millisecondsSinceEpoch]
                )
            }
        }
        return Dictionary(uniqueKeysWithValues: waits.map { ($0.0, min($0.1, latest)) })
    }
}
