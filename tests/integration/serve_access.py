#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hotpath serve answers those who have the token, by the names that it has, and nobody else."""
import os
import subprocess

from serving import HOTPATH, Server, expect, expect_error, fail, main, serving


def tokens(_):
    with serving() as server:
        expect("without a token", server.ask("/api/programs", trusted=False).status, 401)
        expect_error("without a token", server.ask("/api/programs", trusted=False), 401, "a token is needed")
        expect("asks for one", server.ask("/", trusted=False).headers["WWW-Authenticate"], "Bearer")
        expect("a wrong one", server.ask("/api/programs", trusted=False, Authorization="Bearer " + "0" * 32).status, 401)
        expect("in a header", server.ask("/api/programs").status, 200)
        target = f"/api/programs?token={server.token}"
        expect("in the query", server.ask(target, trusted=False).status, 200)
        expect("part of it", server.ask(target[:-1], trusted=False).status, 401)
        # A path that is not there is told only to those who may know.
        expect("an unknown path", server.ask("/none", trusted=False).status, 401)
    other = Server()
    if other.token == server.token:
        fail("two servers have the same token")
    other.end()


def cookie(_):
    with serving() as server:
        answer = server.ask(f"/?token={server.token}", trusted=False)
        expect("the address with the token", (answer.status, answer.headers["Location"]), (303, "/"))
        name, *rest = answer.headers["Set-Cookie"].split("; ")
        expect("the cookie", name, f"hotpath_token_{server.url.port}={server.token}")
        expect("its attributes", sorted(rest), ["HttpOnly", "Path=/", "SameSite=Strict"])
        expect("with it", server.ask("/", trusted=False, Cookie="a=b; " + name).status, 200)
        expect("of another port", server.ask("/", trusted=False, Cookie=name.replace("token_", "token_1")).status, 401)
        wrong = server.ask("/?token=" + "0" * 32, trusted=False)
        expect("a wrong token", (wrong.status, wrong.headers["Set-Cookie"]), (401, None))


def hosts_and_origins(_):
    with serving() as server:
        port = server.url.port
        for host in f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}":
            expect(f"Host {host}", server.ask("/", Host=host).status, 200)
        for host in "evil.example", f"evil.example:{port}", "localhost", f"localhost:{port + 1}", "":
            expect_error(f"Host {host}", server.ask("/", Host=host), 421, "does not name this server")
        own, other = f"http://localhost:{port}", "http://evil.example"
        expect("own Origin", server.ask("/", Origin=own).status, 200)
        for origin in other, "null", f"https://localhost:{port}", f"http://localhost:{port + 1}":
            expect_error(f"Origin {origin}", server.ask("/", Origin=origin), 403, "other sites")
        with server.raw() as raw:
            raw.sendall(f"GET / HTTP/1.1\r\nHost: localhost:{port}\r\nHost: evil.example\r\n\r\n".encode())
            expect("two Hosts", raw.recv(12), b"HTTP/1.1 400")


def paths_and_methods(_):
    with serving() as server:
        for path in "/none", "/api", "/api/report/", "//", "/../../etc/passwd", "/%2e%2e/etc/passwd", "/.git/config":
            expect_error(path, server.ask(path), 404, "/api/programs")
        for method in "POST", "PUT", "DELETE", "OPTIONS", "PATCH":
            answer = server.ask("/api/programs", method=method)
            expect_error(method, answer, 405, "takes GET, HEAD")
            expect(f"{method}: Allow", answer.headers["Allow"], "GET, HEAD")
        expect("TRACE", server.ask("/", method="TRACE").status, 501)
        head, whole = server.ask("/", method="HEAD"), server.ask("/")
        expect("HEAD", (head.status, head.body, head.headers["Content-Length"]), (200, b"", str(len(whole.body))))
        expect_error("a query", server.ask("/api/report?program=%zz"), 400, "'%'")
        expect_error("a query with a name twice", server.ask("/api/report?program=1&program=2"), 400, "twice")
        for header, value in (("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store"),
                              ("Referrer-Policy", "no-referrer")):
            expect(header, whole.headers[header], value)
        for word in "default-src 'none'", "script-src 'self'", "frame-ancestors 'none'":
            if word not in whole.headers["Content-Security-Policy"]:
                fail(f"the content security policy lacks {word}")


def own_token(folder):
    path = os.path.join(folder, "token")
    with open(path, "w", encoding="utf-8") as file:
        file.write("my-own.token_of~me\nmore\n".replace("_", "-"))
    with serving("--token-file", path) as server:
        expect("the token of a file", server.token, "my-own.token-of~me")
        expect("with it", server.ask("/").status, 200)


def no_token(_):
    with serving("--no-token") as server:
        expect("no token", server.token, None)
        expect("without it", server.ask("/api/programs").status, 200)
        expect("Host is checked", server.ask("/", Host="evil.example").status, 421)
        expect("Origin is checked", server.ask("/", Origin="http://evil.example").status, 403)


def open_to_others(_):
    refused = subprocess.run([HOTPATH, "serve", "--port", "0", "--listen", "0.0.0.0", "--no-token"],
                             capture_output=True, text=True, check=False, timeout=30)
    expect("others without a token", (refused.returncode, refused.stdout), (2, ""))
    if "needs a token" not in refused.stderr or refused.stderr.count("\n") != 1:
        fail(f"others without a token: {refused.stderr!r}")


def unix_socket(folder):
    path = os.path.join(folder, "socket")
    with serving("--unix", path) as server:
        expect("the line", server.line, f"serving on unix:{path}?token={server.token}")
        expect("its mode", os.stat(path).st_mode & 0o777, 0o600)
        expect("without a token", server.ask("/", trusted=False).status, 401)
        expect("with it", server.ask("/api/programs").status, 200)
        busy = subprocess.run([HOTPATH, "serve", "--unix", path], capture_output=True, text=True, check=False, timeout=30)
        expect("a busy socket", (busy.returncode, busy.stderr.count("\n")), (2, 1))
        expect("the first one still answers", server.ask("/").status, 200)
    expect("it is removed", os.path.exists(path), False)
    killed = Server("--unix", path, "--no-token")
    killed.process.kill()
    killed.process.wait()
    killed.process.stdout.close()
    with serving("--unix", path, "--no-token") as server:
        expect("one that was left over is replaced", server.ask("/").status, 200)


main(tokens, cookie, hosts_and_origins, paths_and_methods, own_token, no_token, open_to_others, unix_socket)
