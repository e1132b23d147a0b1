# SPDX-License-Identifier: MIT
"""A forge in a box: the part of the APIs of GitHub and GitLab that has to do with comments, on this machine.

A test sets what is there, and what goes wrong next; and looks afterwards at what was asked.
"""

import collections
import http.server
import json
import re
import socketserver
import threading
import time
import urllib.parse

TOKEN = "secret-token-of-a-test"
BOT = "github-actions[bot]"
GITLAB_BOT = "project_7_bot"

Request = collections.namedtuple("Request", "method path query body")


class Forge(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """It listens at once, and until it is left."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock = threading.Lock()
        self.comments, self.pulls, self.requests = [], [], []
        # Functions that get the handler and answer in its place, or return False; each is used once.
        self.mishaps = []
        self.page_size = 100
        self.closed_until, self.too_early = 0, 0
        # Lets go of answers that are held back.
        self.release = threading.Event()

    def __enter__(self):
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.release.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, *_):
        """Who hangs up is meant to."""

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def add(self, body, author=BOT):
        """A comment that somebody wrote."""
        self.comments.append({"id": 1000 + len(self.comments), "body": body, "user": {"login": author},
                              "author": {"username": author}})
        return self.comments[-1]

    def asked(self, method):
        return [request for request in self.requests if request.method == method]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        """Nothing."""

    def answer(self, status, body, **headers):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(data)

    def hang_up(self):
        self.close_connection = True
        self.connection.close()

    def take(self):
        """The request, as it is remembered."""
        parts = urllib.parse.urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        request = Request(self.command, parts.path, dict(urllib.parse.parse_qsl(parts.query)),
                          json.loads(body) if body else None)
        self.server.requests.append(request)
        return request

    def handle_any(self):
        forge = self.server
        with forge.lock:
            request = self.take()
            if time.time() < forge.closed_until:
                forge.too_early += 1
            mishap = forge.mishaps.pop(0) if forge.mishaps else None
        if mishap and mishap(self, request) is not False:
            return
        token = self.headers.get("PRIVATE-TOKEN") or self.headers.get("Authorization", "").removeprefix("Bearer ")
        if token != TOKEN:
            self.answer(401, {"message": "Bad credentials"})
            return
        with forge.lock:
            self.route(request)

    do_GET = do_POST = do_PATCH = do_PUT = handle_any

    def route(self, request):
        for pattern, name in ROUTES:
            match = re.fullmatch(pattern, f"{request.method} {request.path}")
            if match:
                getattr(self, name)(request, *match.groups())
                return
        self.answer(404, {"message": "Not Found"})

    def give_page(self, request, items):
        size = min(int(request.query.get("per_page", 30)), self.server.page_size)
        page = int(request.query.get("page", 1))
        headers = {}
        if page * size < len(items):
            query = urllib.parse.urlencode({**request.query, "page": page + 1})
            headers["Link"] = (f'<{self.server.url}{request.path}?page=1>; rel="first", '
                               f'<{self.server.url}{request.path}?{query}>; rel="next"')
        self.answer(200, items[(page - 1) * size:page * size], **headers)

    def list_comments(self, request):
        self.give_page(request, self.server.comments)

    def list_pulls(self, request):
        owner, _, branch = request.query.get("head", "").partition(":")
        self.give_page(request, [pull for pull in self.server.pulls if request.query.get("state") == "open" and
                                 pull["head"]["ref"] == branch and pull["head"]["user"]["login"] == owner])

    def give_pull(self, _):
        pull = next(pull for pull in self.server.pulls if pull["number"] == 7)
        self.answer(200, {**pull, "sha": pull["head"]["sha"]})

    def create(self, request):
        if len(request.body["body"]) > 65536:
            self.answer(422, {"message": "Validation Failed", "errors": [
                {"resource": "IssueComment", "code": "unprocessable", "field": "data",
                 "message": "Body is too long (maximum is 65536 characters)"}]})
            return
        author = BOT if request.path.startswith("/repos/") else GITLAB_BOT
        comment = self.server.add(request.body["body"], author)
        self.answer(201, {**comment, "html_url": f"{self.server.url}/comment/{comment['id']}"})

    def update(self, request, number):
        for comment in self.server.comments:
            if comment["id"] != int(number):
                continue
            if comment["user"]["login"] not in (BOT, GITLAB_BOT):
                self.answer(403, {"message": "Resource not accessible by integration"})
                return
            comment["body"] = request.body["body"]
            self.answer(200, comment)
            return
        self.answer(404, {"message": "Not Found"})

    def who(self, _):
        self.answer(200, {"username": GITLAB_BOT})


ROUTES = (
    (r"GET /repos/octo/hot/issues/7/comments", "list_comments"),
    (r"POST /repos/octo/hot/issues/7/comments", "create"),
    (r"PATCH /repos/octo/hot/issues/comments/(\d+)", "update"),
    (r"GET /repos/octo/hot/pulls", "list_pulls"),
    (r"GET /repos/octo/hot/pulls/7", "give_pull"),
    (r"GET /projects/group%2Fhot/merge_requests/7/notes", "list_comments"),
    (r"POST /projects/group%2Fhot/merge_requests/7/notes", "create"),
    (r"PUT /projects/group%2Fhot/merge_requests/7/notes/(\d+)", "update"),
    (r"GET /projects/group%2Fhot/merge_requests/7", "give_pull"),
    (r"GET /user", "who"),
)
