"""Serves one folder by a web server of other people's making, for the fetcher's tests.

    range_servers.py aiohttp|tornado|werkzeug FOLDER      prints its port on loopback, then serves until it is ended
"""

import socket
import sys


def listener():
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    connection.bind(("127.0.0.1", 0))
    connection.listen(64)
    return connection


def announce(connection):
    print(connection.getsockname()[1], flush=True)


def serve_aiohttp(folder):
    from aiohttp import web

    app = web.Application()
    app.router.add_static("/", folder)
    connection = listener()
    announce(connection)
    web.run_app(app, sock=connection, print=None)


def serve_tornado(folder):
    import asyncio

    import tornado.httpserver
    import tornado.web

    async def main():
        app = tornado.web.Application([(r"/(.*)", tornado.web.StaticFileHandler, {"path": folder})])
        connection = listener()
        connection.setblocking(False)
        tornado.httpserver.HTTPServer(app).add_socket(connection)
        announce(connection)
        await asyncio.Event().wait()

    asyncio.run(main())


def serve_werkzeug(folder):
    import logging

    from werkzeug.serving import make_server
    from werkzeug.utils import send_from_directory
    from werkzeug.wrappers import Request

    @Request.application
    def app(request):
        return send_from_directory(folder, request.path.lstrip("/"), request.environ, conditional=True)

    logging.getLogger("werkzeug").disabled = True
    server = make_server("127.0.0.1", 0, app, threaded=True)
    announce(server.socket)
    server.serve_forever()


if __name__ == "__main__":
    {"aiohttp": serve_aiohttp, "tornado": serve_tornado, "werkzeug": serve_werkzeug}[sys.argv[1]](sys.argv[2])
