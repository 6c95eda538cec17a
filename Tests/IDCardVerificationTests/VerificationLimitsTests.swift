import Testing

@testable import IDCardVerification

struct VerificationLimitsTests {
    @Test(
        "Limits are the documented ones, and none where none is confirmed",
        arguments: [
            (VerificationDialect.faceIDv1, VerificationLimits()),
            (.faceppv1, VerificationLimits(minimumEdge: 48, maximumEdge: 4096, maximumFileBytes: 2_000_000)),
            (.faceIDv3, VerificationLimits(minimumEdge: 200, maximumEdge: 8000, maximumFileBytes: 9_999_999)),
        ]
    )
    func limits(dialect: VerificationDialect, expected: VerificationLimits) {
        #expect(dialect.limits == expected)
    }

    @Test(
        "Either edge below the minimum is too small",
        arguments: [
            (48, 48, false), (47, 48, true), (4000, 47, true), (4000, 48, false), (1, 1, true),
        ]
    )
    func tooSmall(width: Int, height: Int, expected: Bool) {
        #expect(VerificationDialect.faceppv1.limits.isTooSmall(width: width, height: height) == expected)
        #expect(!VerificationDialect.faceIDv1.limits.isTooSmall(width: width, height: height))
    }

    @Test("The paths and parameters of the dialects are the documented ones")
    func forms() {
        #expect(VerificationDialect.allCases.map(\.rawValue) == ["faceid-v1", "facepp-v1", "faceid-v3"])
        #expect(
            VerificationDialect.allCases.map(\.defaultPath)
                == ["/faceid/v1/ocridcard", "/cardpp/v1/ocridcard", "/faceid/v3/ocridcard"]
        )
        #expect(VerificationDialect.allCases.map(\.form.parameters) == ["legality=1", "legality=1", ""])
    }
}
