#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts a comparison into one comment of a pull request, or one note of a merge request.

usage: tools/ci/comment.py [options] --repository OWNER/NAME --pull NUMBER FILE
       tools/ci/comment.py [options] --workflow-run EVENT FILE
       tools/ci/comment.py [options] --gitlab PROJECT --pull NUMBER FILE

FILE is what `hotpath compare --format markdown` wrote. Its first line is hidden and has the id of the benchmark: the
comment that begins with the same line is updated, and made if there is none. Only comments of our own are looked at:
anybody may write one that begins so.

EVENT is the event of a GitHub workflow_run, $GITHUB_EVENT_PATH. The pull request is then looked up: the open one whose
head is the repository, branch and commit that the event names. Nothing else is taken for true, as what the run
left behind may be made by anyone. That there is none, as it was closed or has newer commits, is no error. With --pull it
is --commit that tells who comes too late: without it, the comment is written in any case.

The token is in $GITHUB_TOKEN or $GITLAB_TOKEN, the address of the API in $GITHUB_API_URL or $CI_API_V4_URL.

Exits with 0 when the comment is as it should be, or there is no pull request any more; with 2 and one line on standard
error when not.
"""

import argparse
import collections
import email.utils
import http.client
import json
import os
import pathlib
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

MARKER = re.compile(r"<!-- hotpath-compare: [^\n]*[^\s] -->")
COMMIT = re.compile(r"[0-9a-f]{40,64}")
# Replies are lists of up to 100 comments of 64 KB; nothing of ours is larger.
REPLY_MAX = 64 << 20
REDIRECTS_MAX = 5
RETRIES = 4

# Where and how a forge keeps comments: names of environment variables and of the members of its JSON.
Forge = collections.namedtuple(
    "Forge", "name api_variable api token_variable token_header token_format comments update author login limit needs "
    "pull head open")
GITHUB = Forge("GitHub", "GITHUB_API_URL", "https://api.github.com", "GITHUB_TOKEN", "Authorization", "Bearer {}",
               ("/repos/{repository}/issues/{pull}/comments", "/repos/{repository}/issues/comments/{id}"), "PATCH",
               "user", "login", 65536, "permissions: pull-requests: write", "/repos/{repository}/pulls/{pull}",
               ("head", "sha"), "open")
GITLAB = Forge("GitLab", "CI_API_V4_URL", "https://gitlab.com/api/v4", "GITLAB_TOKEN", "PRIVATE-TOKEN", "{}",
               ("/projects/{repository}/merge_requests/{pull}/notes",
                "/projects/{repository}/merge_requests/{pull}/notes/{id}"), "PUT",
               "author", "username", 1000000, "a project access token with the scope api, not CI_JOB_TOKEN",
               "/projects/{repository}/merge_requests/{pull}", ("sha",), "opened")


class Trouble(Exception):
    """What is wrong and what to do, in one line."""


class Uncertain(Trouble):
    """It may have been done, or not: nobody answered."""


class Missing(Trouble):
    """There is no such thing, or no more."""


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self, wanted):
        try:
            value = json.loads(self.body.decode("utf-8"))
        except (ValueError, RecursionError):
            raise Trouble("the answer is not JSON; is the address of the API right?") from None
        if not isinstance(value, wanted):
            raise Trouble("the answer is not what the API promises; is its address right?")
        return value

    def message(self):
        """Why the forge refuses, printable and short; it may be anything. The reason proper may be in a list."""
        try:
            answer = json.loads(self.body.decode("utf-8"))
        except (ValueError, RecursionError):
            return ""
        errors = member(answer, "errors")
        details = [member(error, "message") or error for error in errors[:3]] if isinstance(errors, list) else []
        said = [member(answer, "message"), member(answer, "error_description"), *details]
        return printable(": ".join(str(text) for text in said if text))


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer like any other: it must not take the token elsewhere."""

    def redirect_request(self, *_):
        return None


class Api:
    """The API of a forge: asks with patience, and says clearly what is wrong."""

    def __init__(self, forge, options):
        self.forge = forge
        self.base = (os.environ.get(forge.api_variable) or forge.api).rstrip("/")
        self.token = os.environ.get(forge.token_variable, "")
        self.timeout, self.pause, self.patience = options.timeout, options.pause, options.patience
        self.check()
        # What is not encrypted stays on this machine: no proxy gets it.
        proxies = None if self.base.startswith("https:") else {}
        self.opener = urllib.request.build_opener(NoRedirects, urllib.request.ProxyHandler(proxies))

    def check(self):
        parts = urllib.parse.urlsplit(self.base)
        if parts.scheme != "https" and parts.hostname not in ("127.0.0.1", "localhost", "::1"):
            raise Trouble(f"{self.forge.api_variable} is not an https address: the token would be readable by others")
        if not self.token:
            raise Trouble(f"{self.forge.token_variable} is not set: it needs {self.forge.needs}")
        if not re.fullmatch(r"[\x21-\x7e]+", self.token):
            raise Trouble(f"{self.forge.token_variable} is no token: it has spaces or other letters in it")

    def is_ours(self, url):
        ours, other = urllib.parse.urlsplit(self.base), urllib.parse.urlsplit(url)
        return (ours.scheme, ours.netloc) == (other.scheme, other.netloc)

    def send(self, method, url, body):
        """One request, and its reply whatever the status."""
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(url, data=data, method=method, headers={
            "Accept": "application/json", "Content-Type": "application/json", "User-Agent": "hotpath-compare",
            self.forge.token_header: self.forge.token_format.format(self.token)})
        try:
            with self.opener.open(request, timeout=self.timeout) as answer:
                return Reply(answer.status, answer.headers, read_all(answer, self.timeout))
        except urllib.error.HTTPError as answer:
            with answer:
                return Reply(answer.code, answer.headers, read_all(answer, self.timeout))

    def follow(self, method, url, body):
        """As send, and on to where the forge says that it is now, on the same host."""
        for _ in range(REDIRECTS_MAX):
            reply = self.send(method, url, body)
            if reply.status not in (301, 302, 307, 308):
                return reply
            url = urllib.parse.urljoin(url, reply.headers.get("Location", ""))
            if not self.is_ours(url):
                raise Trouble(f"{self.forge.name} redirects to another host: the token is not sent there")
        raise Trouble(f"{self.forge.name} redirects in circles")

    def wait(self, seconds, why):
        if seconds > self.patience:
            raise Trouble(f"{why}: to wait another {seconds:.0f} s is too long, run it again later")
        self.patience -= seconds
        time.sleep(seconds)

    def retry(self, attempt, why, is_safe):
        """Before the next attempt; or the end, when there were enough, or it may be done already."""
        if not is_safe:
            raise Uncertain(why)
        if attempt == RETRIES:
            raise Trouble(f"{why}, {RETRIES + 1} times: run it again later")
        self.wait(self.pause * 2**attempt, why)

    def ask(self, method, url, body=None):
        """The reply to a request that succeeded. To create something is tried once, as it could be there twice."""
        attempt = 0
        while True:
            try:
                reply = self.follow(method, url, body)
            except (OSError, http.client.HTTPException) as error:
                self.retry(attempt, f"{self.forge.name} cannot be reached ({reason(error)})", method != "POST")
                attempt += 1
                continue
            limited = seconds_to_wait(reply)
            if limited is not None:
                # Not at once, whatever is said: patience must end some time.
                self.wait(max(limited, self.pause, 0.001), f"the rate limit of {self.forge.name} is reached")
            elif reply.status >= 500:
                self.retry(attempt, f"{self.forge.name} answers {reply.status}", method != "POST")
                attempt += 1
            elif reply.status >= 300:
                raise (Missing if reply.status == 404 else Trouble)(self.refusal(reply, method, url))
            else:
                return reply

    def refusal(self, reply, method, url):
        said = f" ({reply.message()})" if reply.message() else ""
        path = urllib.parse.urlsplit(url).path
        if reply.status == 403 and "locked" in said:
            return f"{self.forge.name}: the conversation is locked, so nothing can be written there{said}"
        why = {
            401: f"the token is not valid: set {self.forge.token_variable}",
            403: f"the token may not do this: it needs {self.forge.needs}",
            404: f"there is no {path}, or the token may not see it: it needs {self.forge.needs}",
            410: f"comments are switched off at {path}",
            422: "the comment is not accepted",
        }.get(reply.status, f"{method} {path} is refused with {reply.status}")
        return f"{self.forge.name}: {why}{said}"

    def list(self, path, **query):
        """All items of all pages."""
        url, seen = f"{self.base}{path}?{urllib.parse.urlencode({**query, 'per_page': 100})}", set()
        while url and url not in seen:
            seen.add(url)
            reply = self.ask("GET", url)
            yield from (item for item in reply.json(list) if isinstance(item, dict))
            url = next_page(reply.headers.get("Link", ""), url)
            if url and not self.is_ours(url):
                raise Trouble(f"the next page is said to be on another host than {self.forge.name}'s: not asked for")


def read_all(answer, seconds):
    """The body, unless it is too much, or comes so slowly that it never ends."""
    end, parts, size = time.monotonic() + seconds, [], 0
    while True:
        part = answer.read1(1 << 16)
        size += len(part)
        if size > REPLY_MAX:
            raise Trouble("the answer is too large; is the address of the API right?")
        if not part:
            break
        if time.monotonic() > end:
            raise TimeoutError("timed out")
        parts.append(part)
    if answer.length:
        raise http.client.IncompleteRead(b"", answer.length)
    return b"".join(parts)


def reason(error):
    """In a few words, without a line break."""
    text = getattr(error, "reason", None) or error.args[-1:] and error.args[-1] or type(error).__name__
    return " ".join(str(text).split())[:100]


def printable(text):
    """What others wrote, in one line that is not too long."""
    return "".join(letter if letter.isprintable() else " " for letter in str(text))[:200]


def number(text):
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    return value if 0 <= value < 1e12 else None


def seconds_to_wait(reply):
    """How long a forge wants to be left alone; None when it does not say that this was too much."""
    if reply.status == 422 and "submitted too quickly" in reply.message():
        return 60
    if reply.status not in (403, 429):
        return None
    after = reply.headers.get("Retry-After")
    if after is not None:
        date = email.utils.parsedate_tz(after) if number(after) is None else None
        until = email.utils.mktime_tz(date) - time.time() if date else 60
        return number(after) if number(after) is not None else max(until, 0)
    if reply.headers.get("X-RateLimit-Remaining") == "0":
        reset = number(reply.headers.get("X-RateLimit-Reset"))
        # Their clock may be a little behind ours.
        return max(reset - time.time(), 0) + 1 if reset is not None else 60
    words = ("secondary rate limit", "abuse detection")
    return 60 if reply.status == 429 or any(word in reply.message() for word in words) else None


def next_page(link, url):
    for target, parameters in re.findall(r"<([^>]*)>([^,]*)", link):
        if re.search(r';\s*rel="?next"?\s*(;|$)', parameters):
            return urllib.parse.urljoin(url, target)
    return None


def plain(text):
    """As it was written, whatever a forge makes of line ends."""
    return text.replace("\r\n", "\n").strip()


def units(text):
    """Its length as the strictest count: letters that are not in the basic plane are two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def closing(lines):
    """What must follow these lines so that nothing of them stays open."""
    fence, details = None, 0
    for line in lines:
        mark = re.match(r" {0,3}(`{3,}|~{3,})", line)
        if mark and (not fence or line.strip().startswith(fence) and not line.strip().strip(fence[0])):
            fence = None if fence else mark.group(1)
        elif not fence:
            details += len(re.findall(r"<details\b", line)) - len(re.findall(r"</details>", line))
    return ([fence] if fence else []) + ["", "</details>"] * max(details, 0)


def shortened(text, limit):
    """Whole lines of it, as many as fit, and nothing left open; and a line that says so."""
    if units(text) <= limit:
        return text
    note = ["", f"*Cut here: a comment takes {limit} characters. The whole comparison is in the summary of the job.*"]
    kept, size = [], units("\n".join(note))
    for line in text.split("\n"):
        if size + units(line) + 1 > limit:
            break
        kept.append(line)
        size += units(line) + 1
    while kept and units("\n".join(kept + closing(kept) + note)) > limit:
        kept.pop()
    if not kept:
        raise Trouble(f"the first line alone is more than the {limit} characters of a comment")
    return "\n".join(kept + closing(kept) + note)


def read_text(path, what):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise Trouble(f"{path}: {error.strerror}") from None
    except ValueError:
        raise Trouble(f"{path} is not {what}: it is not UTF-8") from None


def comparison(path):
    """The text of the comment, and its first line."""
    text = plain(read_text(path, "a comparison"))
    marker = text.split("\n", 1)[0]
    if not MARKER.fullmatch(marker):
        raise Trouble(f"{path} is not what hotpath compare --format markdown --id NAME wrote: "
                      "its first line has no <!-- hotpath-compare: NAME -->")
    return text, marker


def member(value, *names):
    """A member of a member of JSON; None if there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def event_of(path):
    try:
        event = json.loads(read_text(path, "an event"))
    except (ValueError, RecursionError):
        raise Trouble(f"{path} is not an event: it is not JSON") from None
    run, repository = member(event, "workflow_run"), member(event, "repository", "full_name")
    if not isinstance(run, dict) or not isinstance(repository, str):
        raise Trouble(f"{path} is not the event of a workflow_run: give $GITHUB_EVENT_PATH of a workflow that has "
                      "on: workflow_run")
    return run, repository


def is_head(pull, run):
    """Whether a pull request is at the very commit that was run. Every part is compared, however it was asked for."""
    return (member(pull, "head", "sha") == member(run, "head_sha") and
            member(pull, "head", "ref") == member(run, "head_branch") and
            member(pull, "head", "repo", "full_name") == member(run, "head_repository", "full_name") and
            isinstance(member(pull, "number"), int))


def pulls_of(api, run, repository):
    """The numbers of the open pull requests that were run."""
    owner, branch = member(run, "head_repository", "owner", "login"), member(run, "head_branch")
    if not owner or not branch or not member(run, "head_sha"):
        return []
    path = f"/repos/{checked_repository(repository)}/pulls"
    found = [pull["number"] for pull in api.list(path, state="open", head=f"{owner}:{branch}") if is_head(pull, run)]
    # GitHub names them when they are of the same repository.
    told = member(run, "pull_requests")
    named = [member(pull, "number") for pull in told] if isinstance(told, list) else []
    return [pull for pull in found if pull in named] or found


def looked_up(api, path):
    """Where the pull request of an event is, and its commit; None if there is none."""
    run, repository = event_of(path)
    commit = str(member(run, "head_sha"))[:12]
    if member(run, "event") != "pull_request":
        print("nothing to comment on: the run was not of a pull request")
        return None
    found = pulls_of(api, run, repository)
    if len(found) > 1:
        raise Trouble(f"the pull requests {', '.join(f'#{pull}' for pull in found)} are all at {commit}: say by "
                      "--repository and --pull which one was compared")
    if not found:
        print(f"nothing to comment on: no open pull request is at {commit}; it was closed, or there are newer commits")
        return None
    return {"repository": repository, "pull": found[0], "commit": member(run, "head_sha")}


def checked_repository(name):
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", name, re.ASCII) or ".." in name:
        raise Trouble(f"'{name}' is not a repository: OWNER/NAME")
    return name


def ours(api, author, path, marker):
    """Our own comments with this first line, the oldest first."""
    found = [item for item in api.list(path)
             if str(member(item, api.forge.author, api.forge.login)).lower() == author.lower()
             and plain(str(item.get("body"))).split("\n", 1)[0] == marker and isinstance(item.get("id"), int)]
    return sorted(found, key=lambda item: item["id"])


def upsert(api, author, place, text, marker):
    """One attempt. Returns what was done."""
    create, change = (path.format(**place, id="{id}") for path in api.forge.comments)
    for item in ours(api, author, create, marker):
        if plain(item["body"]) == text:
            return "is as it was", item
        try:
            url = api.base + change.replace("{id}", str(item["id"]))
            return "updated", api.ask(api.forge.update, url, {"body": text}).json(dict)
        except Missing:
            # Somebody has deleted it meanwhile.
            continue
    return "created", api.ask("POST", api.base + create, {"body": text}).json(dict)


def upsert_surely(api, author, place, text, marker):
    """When nobody has said whether it was created, look."""
    for attempt in range(RETRIES + 1):
        try:
            return upsert(api, author, place, text, marker)
        except Uncertain as trouble:
            api.retry(attempt, str(trouble), True)
    raise AssertionError("the last attempt ends above")


def author_of(api, options):
    """Who we are: what GitHub calls the token of a workflow, which may not ask; GitLab tells."""
    if options.author:
        return options.author
    if api.forge is GITHUB:
        return "github-actions[bot]"
    return str(member(api.ask("GET", api.base + "/user").json(dict), "username"))


def is_current(api, place, commit):
    """Whether it is open and at this commit. Runs do not end in the order of commits, and old ones are run again."""
    told = api.ask("GET", api.base + api.forge.pull.format(**place)).json(dict)
    if member(told, "state") == api.forge.open and member(told, *api.forge.head) == commit:
        return True
    print(f"nothing to comment on: #{place['pull']} is not at {commit[:12]}; it was closed, or there are newer commits")
    return False


def place_of(api, options):
    """What is commented on, and of which commit, if that is known; None for nothing."""
    if options.workflow_run:
        return looked_up(api, options.workflow_run)
    repository = (urllib.parse.quote(options.gitlab, safe="") if options.gitlab else
                  checked_repository(options.repository))
    place = {"repository": repository, "pull": options.pull, "commit": options.commit}
    return place if not options.commit or is_current(api, place, options.commit) else None


def signed(text, commit, limit):
    """It says of which commit it is: should the next one fail to build, the comment stays, and must not pass for its."""
    end = f"\n\nOf commit {commit}." if commit and COMMIT.fullmatch(commit) else ""
    return plain(shortened(text, limit - len(end))) + end


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Trouble(f"{message}; see --help")


def arguments():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS,
                    allow_abbrev=False)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--repository", metavar="OWNER/NAME", help="of GitHub")
    where.add_argument("--gitlab", metavar="PROJECT", help="of GitLab: its number, or its path")
    where.add_argument("--workflow-run", metavar="EVENT", help="look the pull request up")
    parser.add_argument("--pull", type=int, metavar="NUMBER", help="of the pull request, or merge request")
    parser.add_argument("--commit", metavar="SHA", help="comment only if this is still its last commit, and it is open")
    parser.add_argument("--author", metavar="NAME",
                        help="who the token is: github-actions[bot]; on GitLab it is asked for")
    parser.add_argument("--patience", type=float, default=300, metavar="SECONDS",
                        help="how long to wait altogether, when told to or before trying again: 300")
    parser.add_argument("--pause", type=float, default=1, metavar="SECONDS",
                        help="before trying again for the first time; then twice as long each time: 1")
    parser.add_argument("--timeout", type=float, default=30, metavar="SECONDS", help="of one request: 30")
    parser.add_argument("file", metavar="FILE", help="what hotpath compare --format markdown wrote")
    options = parser.parse_args()
    if bool(options.pull) == bool(options.workflow_run) or options.pull is not None and options.pull < 1:
        parser.error("--pull NUMBER belongs to --repository and --gitlab, and to them alone")
    if options.commit and not COMMIT.fullmatch(options.commit):
        parser.error("--commit needs a whole commit, in hexadecimal digits")
    return options


def run():
    options = arguments()
    text, marker = comparison(options.file)
    api = Api(GITLAB if options.gitlab else GITHUB, options)
    place = place_of(api, options)
    if not place:
        return
    text = signed(text, place["commit"], api.forge.limit)
    done, comment = upsert_surely(api, author_of(api, options), place, text, marker)
    print(f"{done}: {printable(comment.get('html_url') or 'note ' + str(comment.get('id')))}")


def main():
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")
    try:
        run()
    except Trouble as trouble:
        print(f"comment.py: {trouble}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
