import HTTPTypes

extension APIOperation {
    static let startRun = APIOperation(
        id: "startRun",
        method: .post,
        path: "/v1/runs",
        summary: "Start a batch over a source of the configuration.",
        access: .token(.submit),
        bodies: [.json("RunRequest")],
        answers: [
            Answer(
                status: .accepted,
                description: "The run, or the one of this source that goes on.",
                content: .json("Run"),
                headers: ["Location": "The path of the run."]
            )
        ],
        problems: [
            .sourceUnknown, .mediaTypeUnsupported, .jsonInvalid, .fieldUnknown, .fieldDuplicate, .fieldInvalid,
            .queueFull, .diskSpaceLow,
        ]
    )

    static let listRuns = APIOperation(
        id: "listRuns",
        method: .get,
        path: "/v1/runs",
        summary: "List the runs that are known, the newest first.",
        access: .token(.read),
        answers: [Answer(status: .ok, description: "The runs.", content: .json("RunList"))]
    )

    static let showRun = APIOperation(
        id: "showRun",
        method: .get,
        path: "/v1/runs/{run_id}",
        summary: "Show a run.",
        access: .token(.read),
        parameters: [
            Parameter(
                name: "run_id",
                place: "path",
                schema: ["type": "string", "minLength": 1, "maxLength": 64],
                isRequired: true,
                description: "The id of a run."
            )
        ],
        answers: [Answer(status: .ok, description: "The run.", content: .json("Run"))],
        problems: [.runNotFound]
    )

    static let live = APIOperation(
        id: "live",
        method: .get,
        path: "/healthz",
        summary: "Whether the process lives.",
        access: .open,
        answers: [Answer(status: .ok, description: "It does.", content: .json("Alive"))]
    )

    static let ready = APIOperation(
        id: "ready",
        method: .get,
        path: "/readyz",
        summary: "Whether work goes on, and if not, why.",
        access: .open,
        answers: [
            Answer(status: .ok, description: "It does.", content: .json("Readiness")),
            Answer(
                status: .serviceUnavailable,
                description: "Something has stopped, or nothing more is taken in.",
                content: .json("Readiness")
            ),
        ]
    )

    static let figures = APIOperation(
        id: "metrics",
        method: .get,
        path: "/metrics",
        summary: "The figures of the process, as Prometheus reads them.",
        access: .token(.read),
        answers: [
            Answer(
                status: .ok,
                description: "The figures.",
                content: Content(mediaType: "text/plain", schema: ["type": "string"])
            )
        ]
    )

    static let document = APIOperation(
        id: "openapi",
        method: .get,
        path: "/openapi.json",
        summary: "This document.",
        access: .open,
        answers: [
            Answer(
                status: .ok,
                description: "An OpenAPI 3.1 document.",
                content: Content(mediaType: "application/json", schema: ["type": "object"])
            )
        ]
    )

    /// All there are.
    static let all: [APIOperation] = [
        .submitCard, .listCards, .showCard, .retryCard, .resolveCard, .receiveWebhook, .startRun, .listRuns, .showRun,
        .live, .ready, .figures, .document,
    ]
}

extension APIOperation.Content {
    /// JSON of a schema of the document.
    static func json(_ schema: String) -> APIOperation.Content {
        APIOperation.Content(mediaType: "application/json", schema: .reference(schema))
    }
}

extension JSONNode {
    /// A reference to a schema of the document.
    static func reference(_ schema: String) -> JSONNode { ["$ref": .string("#/components/schemas/\(schema)")] }
}
