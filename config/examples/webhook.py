#!/usr/bin/env python3
"""Sends the photo of a card as a signed webhook (Standard Webhooks 1.0.0), up to four times until it is answered.

    WEBHOOK_SECRET=whsec_… webhook.py URL BUSINESS_NO PHOTO [front|back]

URL is that of serve, with /v1/webhooks/cards. Prints the answer. Exit status: 0 the card is durable, 1 it was refused, 75 there
was no answer that says so: run it again; the same photo under the same business number is the same card.
"""

import base64
import datetime
import hashlib
import hmac
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirected POST would lose its body, so a redirection is an answer like any other."""

    def redirect_request(self, *_):
        return None


def send(url, secret, message_id, body):
    """Posts the body once; a repeated message has the same id and body, and a new time and signature."""
    now = str(int(time.time()))
    key = base64.b64decode(secret.removeprefix("whsec_"))
    mac = hmac.new(key, f"{message_id}.{now}.".encode() + body, hashlib.sha256).digest()
    headers = {
        "content-type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": now,
        "webhook-signature": "v1," + base64.b64encode(mac).decode(),
    }
    try:
        opener = urllib.request.build_opener(NoRedirect)
        with opener.open(urllib.request.Request(url, body, headers), timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except (OSError, http.client.HTTPException) as error:
        return 0, str(error)


def main():
    if len(sys.argv) not in (4, 5) or "WEBHOOK_SECRET" not in os.environ:
        sys.exit(__doc__)
    url, business_no, photo = sys.argv[1:4]
    data = {"business_no": business_no}
    with open(photo, "rb") as file:
        data["image_base64"] = base64.b64encode(file.read()).decode()
    if len(sys.argv) == 5:
        data["side"] = sys.argv[4]
    timestamp = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    body = json.dumps({"type": "card.created", "timestamp": timestamp, "data": data}).encode()
    message_id = f"msg_{uuid.uuid4()}"
    for wait in (1, 5, 30, 0):
        status, text = send(url, os.environ["WEBHOOK_SECRET"], message_id, body)
        # No answer, a slow line, too many requests, or a server in trouble: the same message later.
        is_open = status in (0, 408, 429) or status >= 500
        if not is_open:
            break
        time.sleep(wait)
    print(text)
    sys.exit(0 if status == 202 else 75 if is_open else 1)


if __name__ == "__main__":
    main()
