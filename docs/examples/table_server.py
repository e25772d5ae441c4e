"""Tables with a bot over HTTP, one person at each: python table_server.py [PORT]. It needs gammon-rl and nothing else.

POST /tables makes one; POST /tables/ID does what its body says, such as {"type": "roll"}; GET /tables/ID shows it.
"""

import json
import secrets
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import gammon_rl as gr
from gammon_rl.table.actions import action_from_data

PERSON = 0
SEATS = gr.Seat("You"), gr.Seat("Robot", bot="normal")
BOT = gr.Bot("normal")  # safe to ask from several threads
TABLES: dict[str, gr.Table] = {}
LOCK = threading.Lock()  # one action at a time; a busier server has a lock for each table


def act(table: gr.Table, body: bytes) -> None:
    table.apply(action_from_data(json.loads(body)), seat=PERSON)
    while table.to_act is not None and table.bot_at(table.to_act):
        table.apply(gr.bot_action(table, BOT, time_limit=0.5))


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.answer(self.path.removeprefix("/tables/"))

    def do_POST(self) -> None:
        name = self.path.removeprefix("/tables").strip("/")
        body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), 10_000))
        try:
            with LOCK:
                if not name:
                    name = secrets.token_urlsafe(9)
                    TABLES[name] = gr.Table(gr.TableOptions(match_length=3), SEATS)
                elif name in TABLES:
                    act(TABLES[name], body)
                self.answer(name)
        except (gr.GammonError, ValueError) as error:
            self.write(400, {"error": str(error)})

    def answer(self, name: str) -> None:
        if name in TABLES:
            self.write(200, {"id": name, **TABLES[name].view(PERSON)})
        else:
            self.write(404, {"error": "no such table"})

    def write(self, status: int, data: dict[str, object]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(data).encode())


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int((sys.argv[1:] or ["8080"])[0])), Handler).serve_forever()
