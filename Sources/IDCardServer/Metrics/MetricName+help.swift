extension MetricName {
    /// What each of our metrics says, for the `HELP` line.
    static let help = [
        "idcard_cards": "Cards in each state.",
        "idcard_cards_entered_total": "Cards that entered each state since the start.",
        "idcard_http_body_bytes_total": "Bytes of request bodies that were read.",
        "idcard_http_connections": "Connections that are open.",
        "idcard_http_duration_seconds": "Time from the head of a request to its answer.",
        "idcard_http_failed_authentications_total": "Requests without a valid token.",
        "idcard_http_refusals_total": "Connections and requests that were refused before they reached a route.",
        "idcard_http_refused_connections": "Connections that were one too many, since the start.",
        "idcard_http_refused_webhooks_total": "Webhooks that were not accepted.",
        "idcard_http_requests_total": "Requests that were answered.",
        "idcard_inputs_total": "Inputs of runs and watched folders, by what became of them.",
        "idcard_stage_calls_total": "Pieces of work of each stage, by how they ended.",
        "idcard_stage_duration_seconds": "Time that one piece of work of a stage took.",
        "idcard_stage_failing": "1 if the last calls to the endpoint of the stage have failed.",
        "idcard_stage_oldest_seconds":
            "Time since the oldest card that waits for the stage was taken in; 0 if none waits.",
        "idcard_stage_paused": "1 if the stage has stopped.",
    ]
}
