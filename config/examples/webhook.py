#!/usr/bin/env python3
"""Sends the photo of a card as a signed webhook (Standard Webhooks 1.0.0), again until it is answered.

    WEBHOOK_SECRET=whsec_… webhook.py URL BUSINESS_NO PHOTO [front|back]

URL is that of serve, with /v1/webhooks/cards. Prints the answer. Exit status: 0 the card is durable, 1 it was refused.
"""

import base64
import datetime
import hashlib
import hmac
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid


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
        with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError as error:
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
        # No answer, too many requests, or a server in trouble: the same message later.
        if status != 0 and status != 429 and status < 500:
            break
        time.sleep(wait)
    print(text)
    sys.exit(0 if status in (200, 202) else 1)


if __name__ == "__main__":
    main()
