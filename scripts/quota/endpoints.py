"""A verification key with so many places, and a backend that takes everything, in a process of their own.

Prints the two addresses; on the end of its standard input it prints every call as JSON: [begin, end, accepted], in seconds.
"""

import argparse
import asyncio
import json
import random
import sys
import time

NUMBER = "11010519491231002X"  # the textbook number
READING = {
    "request_id": "1700000000,stub",
    "time_used": 1,
    "side": "front",
    "name": "样本",
    "gender": "女",
    "race": "汉",
    "birthday": {"year": "1949", "month": "12", "day": "31"},
    "address": "样本路1号",
    "id_card_number": NUMBER,
    "legality": {"ID Photo": 0.97, "Photocopy": 0.03},
}


class Key:
    """A call for which there is no place is refused at once; the others take as long as the service needs, give or take a tenth."""

    def __init__(self, slots, seconds, seed):
        self.slots, self.seconds, self.random = slots, seconds, random.Random(seed)
        self.busy, self.calls = 0, []

    async def answer(self):
        begin = time.monotonic()
        if self.busy >= self.slots:
            self.calls.append((begin, begin, False))
            return 403, {"error_message": "CONCURRENCY_LIMIT_EXCEEDED"}
        self.busy += 1
        try:
            await asyncio.sleep(self.seconds * self.random.uniform(0.9, 1.1))
        finally:
            self.busy -= 1
        self.calls.append((begin, time.monotonic(), True))
        return 200, READING


async def accept():
    return 200, {"RETCODE": "000000", "RETMSG": "ok"}


def server(answer):
    async def connected(reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                await reader.readexactly(length(head))
                status, reply = await answer()
                body = json.dumps(reply).encode()
                writer.write(
                    b"HTTP/1.1 %d Said\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (status, len(body), body)
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    return asyncio.start_server(connected, "127.0.0.1", 0)


def length(head):
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    raise ConnectionError("no length")


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--slots", type=int, required=True)
    parser.add_argument("--milliseconds", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    options = parser.parse_args()
    key = Key(options.slots, options.milliseconds / 1000, options.seed)
    servers = [await server(key.answer), await server(accept)]
    print(*(f"http://127.0.0.1:{each.sockets[0].getsockname()[1]}" for each in servers), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print(json.dumps(key.calls), flush=True)


asyncio.run(main())
