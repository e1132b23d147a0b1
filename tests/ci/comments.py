#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The script that comments keeps one comment for each benchmark, whatever a forge and its visitors do."""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
# pylint: disable-next=wrong-import-position
from forge import BOT, TOKEN, Forge  # noqa: E402

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "ci" / "comment.py"
MARKER = "<!-- hotpath-compare: parse -->"
TEXT = f"{MARKER}\n**parse**: 1 slower\n\n| Function | Self |\n|---|---|\n| `walk` | 1 ms → 2 ms (+100 %) |\n"
SHA = "0123456789abcdef0123456789abcdef01234567"
failed = 0


def fail(what):
    global failed
    print("FAILED:", what)
    failed = 1


def check(condition, what):
    if not condition:
        fail(what)


def comment(forge, *arguments, text=TEXT, where=("--repository", "octo/hot", "--pull", "7"), **environment):
    """Run the script. It leaves a line on one of both streams, never a traceback or the token."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "compare.md")
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        # No proxy of this machine, nor anything else of it.
        plain = {"PATH": os.environ["PATH"], "GITHUB_API_URL": forge.url, "CI_API_V4_URL": forge.url,
                 "GITHUB_TOKEN": TOKEN, "GITLAB_TOKEN": TOKEN, "no_proxy": "*"}
        plain.update(environment)
        done = subprocess.run([sys.executable, SCRIPT, "--pause", "0.01", *where, *arguments, path], check=False,
                              env=plain, capture_output=True, encoding="utf-8", timeout=60)
    said = done.stdout + done.stderr
    check(said.count("\n") == 1 and "Traceback" not in said, f"not one line: {said!r}")
    check(bool(done.stderr) == (done.returncode == 2), f"exit {done.returncode}: {said!r}")
    check(TOKEN not in said, f"the token is printed: {said!r}")
    return done


def succeeds(done, word):
    check(done.returncode == 0 and word in done.stdout, f"exit {done.returncode}: {done.stderr}{done.stdout}")


def refuses(done, *words):
    check(done.returncode == 2 and all(word in done.stderr for word in words),
          f"not refused with {words}: {done.returncode}, {done.stderr}{done.stdout}")


def body_is(forge, at, text):
    found = forge.comments[at]["body"] if at < len(forge.comments) else None
    check(found == text, f"the comment is {found!r}, not {text!r}")


def the_first_time_it_is_created():
    with Forge() as forge:
        forge.add("LGTM", "visitor")
        succeeds(comment(forge), "created: ")
        check(len(forge.comments) == 2, f"{len(forge.comments)} comments")
        body_is(forge, 1, TEXT.strip())


def then_it_is_updated():
    with Forge() as forge:
        forge.add("LGTM", "visitor")
        forge.add(f"{MARKER}\nold")
        forge.add("thanks", "visitor")
        succeeds(comment(forge), "updated: ")
        check(len(forge.comments) == 3, f"{len(forge.comments)} comments")
        body_is(forge, 1, TEXT.strip())


def what_is_the_same_is_not_touched():
    with Forge() as forge:
        forge.add(TEXT.replace("\n", "\r\n") + "\r\n")
        succeeds(comment(forge), "is as it was: ")
        check(not forge.asked("PATCH") and not forge.asked("POST"), "it was written again")


def ids_are_compared_whole():
    with Forge() as forge:
        for other in ("parse-2", "pars", "Parse", "parse --> <!-- hotpath-compare: parse"):
            forge.add(f"<!-- hotpath-compare: {other} -->\nanother")
        forge.add(f"See:\n{MARKER}\nquoted")
        forge.add(f"{MARKER} and more")
        succeeds(comment(forge), "created: ")
        check(len(forge.comments) == 7 and not forge.asked("PATCH"), "another's comment was taken for ours")


def comments_of_others_are_not_ours():
    with Forge() as forge:
        forge.add(f"{MARKER}\nI was here first", "visitor")
        forge.comments.append({"id": 1, "body": f"{MARKER}\nby nobody", "user": None})
        forge.comments.append({"id": "x", "body": None, "user": {"login": BOT}})
        succeeds(comment(forge), "created: ")
        check(not forge.asked("PATCH"), "it wrote to the comment of another")


def an_author_can_be_named():
    with Forge() as forge:
        forge.add(f"{MARKER}\nold", "Robot")
        refuses(comment(forge, "--author", "robot"), "GitHub: ", "pull-requests: write", "Resource not accessible")
        check(len(forge.asked("PATCH")) == 1, "it was not tried, or more than once")


def it_is_found_on_a_later_page():
    with Forge() as forge:
        forge.page_size = 10
        for number in range(47):
            forge.add(f"{MARKER}\nold" if number == 45 else f"comment {number}", BOT if number == 45 else "visitor")
        succeeds(comment(forge), "updated: ")
        body_is(forge, 45, TEXT.strip())
        check(forge.requests[0].query.get("per_page") == "100", "pages are not as large as they may be")
        check(len(forge.asked("GET")) == 5, f"{len(forge.asked('GET'))} pages were asked for")


def of_several_the_oldest_is_kept():
    with Forge() as forge:
        forge.add(f"{MARKER}\nfirst")
        forge.add(f"{MARKER}\nsecond")
        succeeds(comment(forge), "updated: ")
        body_is(forge, 0, TEXT.strip())
        body_is(forge, 1, f"{MARKER}\nsecond")


def one_that_was_deleted_meanwhile_is_created_again():
    with Forge() as forge:
        forge.add(f"{MARKER}\nold")

        def delete(handler, _):
            handler.server.comments.clear()
            return False

        forge.mishaps = [lambda *_: False, delete]
        succeeds(comment(forge), "created: ")
        check(len(forge.comments) == 1 and len(forge.asked("PATCH")) == 1, f"{forge.requests}")
        body_is(forge, 0, TEXT.strip())


def who_comes_late_writes_nothing():
    for where, state in ((("--repository", "octo/hot"), "open"), (("--gitlab", "group/hot"), "opened")):
        with Forge() as forge:
            def late(commit, forge=forge, where=where):
                return comment(forge, "--commit", commit, where=(*where, "--pull", "7"))

            forge.pulls = [{**pull(7), "state": state}]
            succeeds(late(SHA), "created: ")
            body_is(forge, 0, f"{TEXT.strip()}\n\nOf commit {SHA}.")
            forge.requests.clear()
            succeeds(late("f" * 40), "#7 is not at ffffffffffff")
            forge.pulls[0]["state"] = "closed"
            succeeds(late(SHA), "#7 is not at")
            check(len(forge.requests) == 2, f"it asked for more: {forge.requests}")
            refuses(late("main"), "--commit")
            refuses(late("f" * 12), "--commit")


def limited(forge, body, status=403, **headers):
    """Too many requests, until a second from now."""

    def answer(handler, _):
        forge.closed_until = time.time() + 1
        late = {name: value() if callable(value) else value for name, value in headers.items()}
        handler.answer(status, {"message": body}, **late)

    return answer


def it_waits_as_long_as_it_is_told():
    kinds = (({"Retry_After": "1"}, 403), ({"Retry_After": "1"}, 429),
             ({"X_RateLimit_Remaining": "0", "X_RateLimit_Reset": lambda: int(time.time()) + 1}, 403))
    for headers, status in kinds:
        with Forge() as forge:
            forge.mishaps = [limited(forge, "You have exceeded a rate limit", status, **headers)]
            succeeds(comment(forge), "created: ")
            check(forge.too_early == 0, f"it did not wait: {headers}")
            check(len(forge.comments) == 1, f"{len(forge.comments)} comments")


def it_waits_before_it_writes_again():
    with Forge() as forge:
        forge.mishaps = [lambda *_: False, limited(forge, "secondary rate limit", Retry_After="1")]
        succeeds(comment(forge), "created: ")
        check(forge.too_early == 0 and len(forge.comments) == 1, "it did not wait, or wrote twice")


def it_does_not_wait_forever():
    kinds = ({"Retry_After": "3600"}, {"Retry_After": "Fri, 31 Dec 2399 23:59:59 GMT"}, {"Retry_After": "soon"},
             {"X_RateLimit_Remaining": "0", "X_RateLimit_Reset": "9999999999"}, {"X_RateLimit_Remaining": "0"}, {})
    for headers in kinds:
        with Forge() as forge:
            forge.mishaps = [limited(forge, "You have exceeded a secondary rate limit", **headers)]
            refuses(comment(forge, "--patience", "30"), "rate limit of GitHub", "later")
            check(len(forge.requests) == 1, "it asked again all the same")
    # The words of older servers, and of one that thinks that nobody writes so fast.
    for status, answer in ((403, {"message": "You have triggered an abuse detection mechanism."}),
                           (422, {"message": "Validation Failed", "errors": [{"message": "was submitted too quickly"}]})):
        with Forge() as forge:
            forge.mishaps = [lambda *_: False, lambda handler, _, s=status, a=answer: handler.answer(s, a)]
            refuses(comment(forge, "--patience", "30"), "rate limit of GitHub", "later")
    with Forge() as forge:
        forge.mishaps = [limited(forge, "no", 429, Retry_After="0")] * 1000
        refuses(comment(forge, "--patience", "0.1"), "rate limit of GitHub")
        check(2 < len(forge.requests) < 20, f"{len(forge.requests)} attempts")


def it_tries_again_when_the_forge_is_ill():
    with Forge() as forge:
        forge.mishaps = [lambda handler, _: handler.answer(502, b"<html>Bad Gateway</html>"),
                         lambda handler, _: handler.answer(500, {"message": "Server Error"}),
                         lambda handler, _: handler.hang_up()]
        succeeds(comment(forge), "created: ")
        check(len(forge.comments) == 1 and len(forge.asked("GET")) == 4, f"{forge.requests}")


def it_gives_up_when_the_forge_stays_ill():
    with Forge() as forge:
        forge.mishaps = [lambda handler, _: handler.answer(503, {"message": "no"})] * 50
        refuses(comment(forge), "503", "later")
        check(len(forge.requests) == 5, f"{len(forge.requests)} attempts")
    with Forge() as forge:
        url = forge.url
    refuses(comment(forge, GITHUB_API_URL=url), "cannot be reached", "later")


def nothing_is_created_twice():
    def create_and_hang_up(handler, request):
        handler.server.add(request.body["body"])
        handler.hang_up()

    def create_and_fail(handler, request):
        handler.server.add(request.body["body"])
        handler.answer(502, b"Bad Gateway")

    for mishap in (create_and_hang_up, create_and_fail):
        with Forge() as forge:
            forge.mishaps = [lambda *_: False, mishap]
            succeeds(comment(forge), "is as it was: ")
            check(len(forge.comments) == 1, f"{len(forge.comments)} comments")
    with Forge() as forge:
        forge.mishaps = [lambda *_: False, lambda handler, _: handler.hang_up()]
        succeeds(comment(forge), "created: ")
        check(len(forge.comments) == 1, f"{len(forge.comments)} comments")


def slow_answers_are_waited_for_and_endless_ones_not():
    def in_pieces(handler, _):
        handler.send_response(200)
        handler.send_header("Content-Length", "2")
        handler.end_headers()
        for letter in (b"[", b"]"):
            handler.wfile.flush()
            time.sleep(0.1)
            handler.wfile.write(letter)

    def never(handler, _):
        handler.server.release.wait()
        handler.hang_up()

    def drip(handler, _):
        handler.send_response(200)
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        while not handler.server.release.wait(0.02):
            handler.wfile.write(b" ")
            handler.wfile.flush()

    def cut(handler, _):
        handler.send_response(200)
        handler.send_header("Content-Length", "100")
        handler.end_headers()
        handler.wfile.write(b"[]")
        handler.hang_up()

    with Forge() as forge:
        forge.mishaps = [in_pieces]
        succeeds(comment(forge), "created: ")
    for mishap in (never, drip):
        with Forge() as forge:
            forge.mishaps = [mishap]
            succeeds(comment(forge, "--timeout", "0.4"), "created: ")
            check(len(forge.asked("GET")) >= 2, "it was not asked again")
    with Forge() as forge:
        forge.mishaps = [cut]
        succeeds(comment(forge), "created: ")
        check(len(forge.asked("GET")) == 2, "half an answer was taken for a whole one")


def refusals_say_what_to_do():
    with Forge() as forge:
        refuses(comment(forge, GITHUB_TOKEN="other"), "not valid", "GITHUB_TOKEN", "Bad credentials")
        check(len(forge.requests) == 1, "it asked again with a bad token")
        refuses(comment(forge, GITHUB_TOKEN=""), "GITHUB_TOKEN is not set", "pull-requests: write")
        refuses(comment(forge, GITHUB_TOKEN="two words"), "is no token")
        refuses(comment(forge, where=("--repository", "octo/hot", "--pull", "8")), "no /repos/octo/hot/issues/8")
    with Forge() as forge:
        forge.mishaps = [lambda *_: False,
                         lambda handler, _: handler.answer(403, {"message": "Resource not accessible\n::error::x"})]
        refuses(comment(forge), "may not do this", "pull-requests: write")
        check(len(forge.asked("POST")) == 1, "it asked again without the permission")
    with Forge() as forge:
        forge.mishaps = [lambda *_: False, lambda handler, _: handler.answer(422, {"message": ["spam"]})]
        refuses(comment(forge), "not accepted", "spam")
    errors = [{"resource": "IssueComment", "message": "Body is too long"}, "why", 3]
    with Forge() as forge:
        forge.mishaps = [lambda *_: False,
                         lambda handler, _: handler.answer(422, {"message": "Validation Failed", "errors": errors})]
        refuses(comment(forge), "not accepted", "Body is too long", "why")
    with Forge() as forge:
        forge.mishaps = [lambda *_: False, lambda handler, _: handler.answer(
            403, {"message": "Unable to create comment because issue is locked."})]
        refuses(comment(forge), "the conversation is locked")
    with Forge() as forge:
        forge.mishaps = [lambda handler, _: handler.answer(451, b"")]
        refuses(comment(forge), "451")


def nonsense_is_one_line():
    for body in (b"<html>", b"{}", b"null", b"[" * 100000, b"\xff\xfe", b""):
        with Forge() as forge:
            forge.mishaps = [lambda handler, _, body=body: handler.answer(200, body)]
            refuses(comment(forge), "the answer is not")
    with Forge() as forge:
        forge.mishaps = [lambda handler, _: handler.answer(200, [1, None, {"user": 3}, {"user": {"login": BOT}}])]
        succeeds(comment(forge), "created: ")
    with Forge() as forge:
        forge.mishaps = [lambda handler, _: handler.answer(200, [], Link='<?page=1&per_page=100>; rel="next"')] * 2
        succeeds(comment(forge), "created: ")


def the_token_goes_nowhere_else():
    with Forge() as forge, Forge() as thief:
        for mishap in (lambda handler, _: handler.answer(302, b"", Location=thief.url + handler.path),
                       lambda handler, _: handler.answer(200, [], Link=f'<{thief.url}/2>; rel="next"'),
                       lambda handler, _: handler.answer(307, b"", Location="//127.0.0.1:1/")):
            forge.mishaps = [mishap]
            refuses(comment(forge), "another host")
        forge.mishaps = [lambda *_: False, lambda handler, _: handler.answer(307, b"", Location=thief.url)]
        refuses(comment(forge), "another host")
        check(not thief.requests, f"the token was sent: {thief.requests}")
    with Forge() as forge:
        refuses(comment(forge, GITHUB_API_URL="http://api.example.com"), "https")
    with Forge() as forge, Forge() as proxy:
        succeeds(comment(forge, http_proxy=proxy.url, no_proxy=""), "created: ")
        check(not proxy.requests, "the token was sent to a proxy")


def a_renamed_repository_is_followed():
    with Forge() as forge:
        forge.mishaps = [lambda handler, _: handler.answer(301, b"", Location="/repos/octo/hot/issues/7/comments"),
                         lambda *_: False,
                         lambda handler, _: handler.answer(307, b"", Location="/repos/octo/hot/issues/7/comments")]
        succeeds(comment(forge, where=("--repository", "octo/old", "--pull", "7")), "created: ")
        body_is(forge, 0, TEXT.strip())
    with Forge() as forge:
        forge.mishaps = [lambda handler, _: handler.answer(301, b"", Location=handler.path)] * 9
        refuses(comment(forge), "circles")


def long_texts_are_cut_between_lines():
    rows = "".join(f"| `function_{number}_🐌` | 1 ms → 2 ms |\n" for number in range(2000))
    table = f"| Function | Self |\n|---|---|\n{rows}"
    with Forge() as forge:
        succeeds(comment(forge, text=f"{MARKER}\nslower\n\n<details><summary>rest</summary>\n\n{table}\n</details>\n"),
                 "created: ")
        body = forge.comments[0]["body"]
        check(60000 < len(body.encode("utf-16-le")) / 2 <= 65536, f"{len(body)} letters")
        check(body.count("<details>") == body.count("</details>") == 1, "the fold is not closed")
        lines = body.split("\n")
        check(lines[0] == MARKER and lines[-4:-2] == ["", "</details>"] and "Cut here" in lines[-1], f"{lines[-5:]}")
        check(all(line.endswith(" |") for line in lines if line.startswith("|") and "--" not in line), "half a row")
        forge.requests.clear()
        succeeds(comment(forge, text=f"{MARKER}\nslower\n\n<details><summary>rest</summary>\n\n{table}\n</details>\n"),
                 "is as it was: ")
        forge.pulls = [{**pull(7), "state": "open"}]
        succeeds(comment(forge, "--commit", SHA, text=f"{MARKER}\nslower\n\n{table}"), "updated: ")
        body = forge.comments[0]["body"]
        check(60000 < len(body.encode("utf-16-le")) / 2 <= 65536 and body.endswith(f"*\n\nOf commit {SHA}."), body[-200:])
    with Forge() as forge:
        succeeds(comment(forge, text=f"{MARKER}\n```\n<details>\n" + "x\n" * 60000 + "```\n"), "created: ")
        check("\n```\n\n*Cut here" in forge.comments[0]["body"], "the code is not closed")
    with Forge() as forge:
        succeeds(comment(forge, text=f"{MARKER}\n" + "x" * 70000), "created: ")
        check("xxx" not in forge.comments[0]["body"], "half a line")


def what_is_no_comparison_is_refused():
    with Forge() as forge:
        for text in ("", "# Report\n", "<!-- hotpath-compare: -->\n", f"text {MARKER}\n", b"\xff\xff"):
            refuses(comment(forge, text=text), "compare.md is not ")
        refuses(comment(forge, where=("--repository", "octo/hot/../..", "--pull", "7")), "OWNER/NAME")
        refuses(comment(forge, where=("--repository", "octo/hot")), "--pull")
        refuses(comment(forge, where=("--repository", "octo/hot", "--pull", "-7")), "--pull")
        refuses(comment(forge, where=("--repository", "octo/hot", "--pull", "seven")), "--pull")
        refuses(comment(forge, where=("--pull", "7")), "--repository")
        check(not forge.requests, "something was asked")


def pull(number, owner="visitor", branch="faster", sha=SHA):
    return {"number": number, "head": {"ref": branch, "sha": sha, "user": {"login": owner},
                                       "repo": {"full_name": f"{owner}/hot"}}}


def event(**changes):
    run = {"event": "pull_request", "head_sha": SHA, "head_branch": "faster", "pull_requests": [],
           "head_repository": {"full_name": "visitor/hot", "owner": {"login": "visitor"}}, **changes}
    return {"action": "completed", "workflow_run": run, "repository": {"full_name": "octo/hot"}}


def run_of(forge, told):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(told if isinstance(told, str) else json.dumps(told))
        file.flush()
        return comment(forge, where=("--workflow-run", file.name))


def the_pull_request_is_looked_up():
    with Forge() as forge:
        forge.pulls = [pull(3, "octo"), pull(4, branch="other"), pull(5, sha="f" * 40), pull(7)]
        succeeds(run_of(forge, event()), "created: ")
        check(forge.requests[0].query["head"] == "visitor:faster", f"{forge.requests[0]}")
        body_is(forge, 0, f"{TEXT.strip()}\n\nOf commit {SHA}.")
        # The next commit has the same figures: that it does is news.
        forge.pulls[-1] = pull(7, sha="a" * 40)
        succeeds(run_of(forge, event(head_sha="a" * 40)), "updated: ")
        body_is(forge, 0, f"{TEXT.strip()}\n\nOf commit {'a' * 40}.")
    with Forge() as forge:
        forge.pulls = [pull(7, branch="a&state=all#b c")]
        succeeds(run_of(forge, event(head_branch="a&state=all#b c")), "created: ")


def no_pull_request_is_no_error():
    with Forge() as forge:
        forge.pulls = [pull(7, sha="f" * 40), pull(8, "octo")]
        succeeds(run_of(forge, event()), "no open pull request is at 0123456789ab")
        succeeds(run_of(forge, event(event="push")), "not of a pull request")
        succeeds(run_of(forge, event(head_repository=None)), "no open pull request")
        check(not forge.asked("POST"), "it commented")
        # A forge that does not know the filter gives all.
        forge.mishaps = [lambda handler, _: handler.answer(200, forge.pulls + [{"head": 1}, {}])]
        succeeds(run_of(forge, event()), "no open pull request")
        check(not forge.asked("POST"), "it commented")


def of_two_pull_requests_the_event_tells():
    with Forge() as forge:
        forge.pulls = [pull(6), pull(7)]
        refuses(run_of(forge, event()), "#6, #7", "--pull")
        succeeds(run_of(forge, event(pull_requests=[{"number": 7}])), "created: ")
        # Numbers alone are not believed.
        forge.pulls = [pull(7)]
        succeeds(run_of(forge, event(pull_requests=[{"number": 1}])), "is as it was")


def what_is_no_event_is_refused():
    with Forge() as forge:
        for told in ("", "[]", "{", '{"workflow_run": 1}', "[" * 100000, {"workflow_run": {}, "repository": None}):
            refuses(run_of(forge, told), " is not ")
        refuses(run_of(forge, {**event(), "repository": {"full_name": "../x"}}), "OWNER/NAME")
        refuses(comment(forge, where=("--workflow-run", "/nonexistent")), "No such file")
        check(not forge.requests, "something was asked")


def gitlab_has_notes():
    where = ("--gitlab", "group/hot", "--pull", "7")
    with Forge() as forge:
        forge.add(f"{MARKER}\nmine", "visitor")
        succeeds(comment(forge, where=where), "created: ")
        succeeds(comment(forge, where=where), "is as it was: note 1001")
        succeeds(comment(forge, where=where, text=TEXT + "more"), "updated: ")
        check(len(forge.comments) == 2 and forge.comments[1]["body"].endswith("more"), f"{forge.comments}")
        refuses(comment(forge, where=where, GITLAB_TOKEN="no"), "GitLab: the token is not valid", "GITLAB_TOKEN")
        refuses(comment(forge, where=where, GITLAB_TOKEN=""), "not CI_JOB_TOKEN")


def is_test(value):
    return (getattr(value, "__module__", None) == "__main__" and hasattr(value, "__code__") and
            value.__code__.co_argcount == 0 and value not in (main, event))


def timed(test):
    begin = time.monotonic()
    test()
    return f"{test.__name__.replace('_', ' ')}: {time.monotonic() - begin:.2f} s"


def main():
    # Some wait most of the time.
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        for line in threads.map(timed, filter(is_test, list(globals().values()))):
            print(line)
    return failed


if __name__ == "__main__":
    sys.exit(main())
