import HTTPTypes
import IDCardPipeline

extension APIOperation {
    private static let cardID = Parameter(
        name: "card_id",
        place: "path",
        schema: ["type": "string", "minLength": 1, "maxLength": 64],
        isRequired: true,
        description: "The id of a card."
    )
    private static let why = Parameter(
        name: "Card-Why",
        place: "header",
        schema: .headerText(AccessOrigin.maximumLength),
        description: "Why, for the access log; UTF-8 with percent-encoding. Never the holder's name or number."
    )

    private static let intakeProblems: [ProblemCode] = [
        .queueFull, .diskSpaceLow, .intakeClosed, .imageEmpty, .imageTooLarge, .formatUnsupported, .formatHEIC,
        .imageMissing, .fieldUnknown, .fieldDuplicate, .fieldInvalid, .businessNumberMissing, .businessNumberInvalid,
        .userNumberMissing, .cardUnderway, .busy,
    ]
    private static let received = Answer(
        status: .accepted,
        description: "The image is durable; what becomes of it, the card tells.",
        content: .json("Reception"),
        headers: [
            "Location": "The path of the card.",
            "Idempotent-Replayed": "`true` if this very request was answered before.",
        ]
    )

    static let submitCard = APIOperation(
        id: "submitCard",
        method: .post,
        path: "/v1/cards",
        summary: "Send in the photo of a card.",
        access: .token(.submit),
        parameters: [
            Parameter(
                name: "Idempotency-Key",
                place: "header",
                schema: .idempotencyKey,
                description: "A Structured Field String; the same for every attempt of one submission."
            )
        ]
            + SubmissionField.allCases.map { field in
                Parameter(
                    name: field.headerName.rawName,
                    place: "header",
                    schema: .header(field),
                    description: "`\(field.rawValue)`, unless a form says it; UTF-8 with percent-encoding."
                )
            },
        bodies: [
            Content(
                mediaType: "multipart/form-data",
                schema: .reference("SubmissionForm"),
                encoding: ["image": ["contentType": "image/jpeg, image/png"]]
            ),
            Content(mediaType: "image/jpeg", schema: [:]),
            Content(mediaType: "image/png", schema: [:]),
            Content(mediaType: "application/octet-stream", schema: [:]),
        ],
        answers: [Self.received],
        problems: Self.intakeProblems + [
            .formMalformed, .formTooLarge, .mediaTypeUnsupported, .keyMalformed, .keyInProgress, .keyReused,
        ]
    )

    static let receiveWebhook = APIOperation(
        id: "receiveWebhook",
        method: .post,
        path: "/v1/webhooks/cards",
        summary: "Take in a signed message (Standard Webhooks 1.0.0) that names an image or carries it.",
        access: .signature,
        parameters: [
            Parameter(
                name: "webhook-id",
                place: "header",
                schema: ["type": "string", "minLength": 1, "maxLength": 256, "pattern": "^[!-,\\-/-~]+$"],
                isRequired: true,
                description: "The name of the message, without a dot."
            ),
            Parameter(
                name: "webhook-timestamp",
                place: "header",
                schema: ["type": "string", "pattern": "^[0-9]{1,12}$"],
                isRequired: true,
                description: "Seconds since 1970."
            ),
            Parameter(
                name: "webhook-signature",
                place: "header",
                schema: ["type": "string"],
                isRequired: true,
                description: "`v1,` and the Base64 of HMAC-SHA256 over id, timestamp and body, joined by dots."
            ),
        ],
        bodies: [.json("WebhookMessage")],
        answers: [Self.received],
        problems: Self.intakeProblems + [
            .jsonInvalid, .imageInvalid, .addressInvalid, .addressRefused, .webhookReused,
        ]
    )

    static let listCards = APIOperation(
        id: "listCards",
        method: .get,
        path: "/v1/cards",
        summary: "List cards in the order of their intake.",
        access: .token(.read),
        parameters: [
            Parameter(
                name: "state",
                place: "query",
                schema: ["type": "array", "items": .reference("CardState")],
                description: "Only cards in these states."
            ),
            Parameter(
                name: "business_no",
                place: "query",
                schema: .businessNumber,
                description: "Only cards of this business number."
            ),
            Parameter(
                name: "limit",
                place: "query",
                schema: [
                    "type": "integer", "minimum": 1, "maximum": .number(CardListQuery.maximumLimit),
                    "default": .number(CardListQuery.defaultLimit),
                ],
                description: "The most cards of a page."
            ),
            Parameter(
                name: "cursor",
                place: "query",
                schema: ["type": "string", "pattern": .string(CardCursor.pattern)],
                description: "`next_cursor` of the page before."
            ),
        ],
        answers: [Answer(status: .ok, description: "A page.", content: .json("CardPage"))],
        problems: [.parameterInvalid]
    )

    static let showCard = APIOperation(
        id: "showCard",
        method: .get,
        path: "/v1/cards/{card_id}",
        summary:
            "Show a card; `fields` and `message` only with reveal=true and the scope operate, which the access log tells.",
        access: .token(.read),
        parameters: [
            Self.cardID,
            Parameter(
                name: "reveal",
                place: "query",
                schema: ["type": "boolean", "default": false],
                description: "Whether to show what is personal: `fields`, and `message`, which may quote remote sides."
            ),
            Self.why,
        ],
        answers: [Answer(status: .ok, description: "The card.", content: .json("CardDetails"))],
        problems: [.cardNotFound, .parameterInvalid, .fieldInvalid, .fieldDuplicate]
    )

    static let retryCard = APIOperation(
        id: "retryCard",
        method: .post,
        path: "/v1/cards/{card_id}/retry",
        summary: "Have a rejected, failed or held card judged again.",
        access: .token(.operate),
        parameters: [Self.cardID],
        bodies: [.json("Why")],
        isBodyRequired: false,
        answers: [Answer(status: .ok, description: "What changed.", content: .json("ChangedCards"))],
        problems: [.cardNotFound, .changeRefused, .mediaTypeUnsupported, .jsonInvalid, .fieldUnknown, .fieldInvalid]
    )

    static let resolveCard = APIOperation(
        id: "resolveCard",
        method: .post,
        path: "/v1/cards/{card_id}/resolve",
        summary: "Decide what becomes of a held card.",
        access: .token(.operate),
        parameters: [Self.cardID],
        bodies: [.json("Decision")],
        answers: [Answer(status: .ok, description: "What changed.", content: .json("ChangedCards"))],
        problems: [.cardNotFound, .changeRefused, .mediaTypeUnsupported, .jsonInvalid, .fieldUnknown, .fieldInvalid]
    )

    static let eraseCard = APIOperation(
        id: "eraseCard",
        method: .delete,
        path: "/v1/cards/{card_id}",
        summary: "Erase a card for good.",
        access: .token(.operate),
        parameters: [
            Self.cardID, Self.why,
            Parameter(
                name: "Card-Reason",
                place: "header",
                schema: ["type": "string", "pattern": "^[A-Za-z0-9_]{1,40}$"],
                description: "Why, as a code."
            ),
        ],
        answers: [Answer(status: .ok, description: "The certificate.", content: .json("Certificate"))],
        problems: [.cardNotFound, .changeRefused, .fieldInvalid, .fieldDuplicate, .diskSpaceLow]
    )
}
