"""A student of a hub without a browser: what JupyterLab does, over HTTP and a websocket."""

import json
import time
import uuid
from http.cookiejar import CookieJar
from urllib.parse import quote, urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

JSON = {"Content-Type": "application/json"}


class Student:
    """One user of a hub, who logs in, starts a server and runs notebooks on it.

    Parameters
    ----------
    url : str
        The hub's address.
    name : str
    timeout : float, default=300
        Seconds to wait for anything: a server that starts, a cell that runs.
    """

    def __init__(self, url: str, name: str, *, timeout: float = 300):
        self.url, self.name, self.timeout = url, name, timeout
        self.cookies, self.token = CookieJar(), {}
        self.opener = build_opener(HTTPCookieProcessor(self.cookies))

    def log_in(self, password: str = "any") -> None:
        """Fill in the form of the login page, then ask for a token to go on with."""
        login = f"{self.url}/hub/login?next=%2Fhub%2Fhome"
        self._send("GET", login)
        form = {"username": self.name, "password": password, "_xsrf": self._xsrf()}
        self._send("POST", login, urlencode(form).encode())
        tokens = f"{self.url}/hub/api/users/{self.name}/tokens"
        headers = JSON | {"X-XSRFToken": self._xsrf()}
        answer = json.loads(self._send("POST", tokens, b'{"note": "trial"}', headers))
        self.token = {"Authorization": f"token {answer['token']}"}
        self.cookies.clear()  # from here on the token speaks for us

    def _xsrf(self) -> str:
        return next(c.value for c in self.cookies if c.name == "_xsrf")

    def _open(self, method: str, address: str, body: bytes | None = None, headers=None):
        """The response to a request, to be read and closed; one that is an error is raised."""
        request = Request(address, body, self.token | (headers or {}), method=method)
        return self.opener.open(request, timeout=self.timeout)

    def _send(self, *request) -> bytes:
        with self._open(*request) as answer:
            return answer.read()

    def start(self) -> float:
        """Start the server; return the seconds until it is ready."""
        begin = time.perf_counter()
        api = f"{self.url}/hub/api/users/{self.name}/server"
        self._send("POST", api)
        events = self._events(f"{api}/progress")
        last = next((e for e in events if e.get("ready") or e.get("failed")), {})
        if not last.get("ready"):
            raise RuntimeError(f"The server of {self.name} did not start: {last.get('message')}")
        return time.perf_counter() - begin

    def call(self, method: str, path: str, content: dict | None = None, *, of: str = "") -> dict:
        """The answer of the student's own server, or of somebody else's; an error is raised."""
        body = None if content is None else json.dumps(content).encode()
        return json.loads(
            self._send(method, f"{self.url}/user/{of or self.name}/{path}", body, JSON)
        )

    def pull(self, repository: str, target: str, branch: str = "main") -> None:
        """Follow a link of nbgitpuller: the repository's branch into the folder `target`."""
        query = f"repo={quote(repository, safe='')}&targetpath={target}&branch={branch}"
        for event in self._events(f"{self.url}/user/{self.name}/git-pull/api?{query}"):
            if event["phase"] == "error":
                raise RuntimeError(f"nbgitpuller: {event['message']}")

    def _events(self, address: str):
        """The messages of an event stream."""
        with self._open("GET", address) as stream:
            for line in stream:
                if line.startswith(b"data:"):
                    yield json.loads(line.removeprefix(b"data:"))

    def run(self, place: str, *, first: str = "") -> int:
        """Open a notebook, run the code `first` and all its cells; return how many ran."""
        notebook = self.call("GET", f"api/contents/{quote(place)}")["content"]
        session = {"path": place, "name": place, "type": "notebook", "kernel": {"name": "python3"}}
        kernel = self.call("POST", "api/sessions", session)["kernel"]["id"]
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        with _Kernel(self, kernel) as running:
            for source in filter(None, [first, *(_source(cell) for cell in cells)]):
                running.execute(source)
        return len(cells)


def _source(cell: dict) -> str:
    """The code of a cell; an error that the lesson shows on purpose stays inside it."""
    source = "".join(cell["source"])
    if "raises-exception" in cell["metadata"].get("tags", ()):
        return f"try:\n    get_ipython().run_cell({source!r})\nexcept Exception:\n    pass"
    return source


class _Kernel:
    """The websocket of a kernel, as a context manager."""

    def __init__(self, student: Student, kernel: str):
        self.student, self.id = student, kernel

    def __enter__(self) -> "_Kernel":
        import websocket

        address = f"{self.student.url}/user/{self.student.name}/api/kernels/{self.id}/channels"
        self.socket = websocket.create_connection(
            address.replace("http", "ws", 1),
            timeout=self.student.timeout,
            header=self.student.token,
        )
        return self

    def __exit__(self, *_error) -> None:
        self.socket.close()

    def execute(self, code: str) -> None:
        """Run some code and wait until the kernel is idle again; its error becomes ours."""
        request = _request(code)
        self.socket.send(json.dumps(request))
        waiting_for = {"execute_reply", "idle"}
        while waiting_for:
            received = self.socket.recv()
            if isinstance(received, bytes):  # the pictures of widgets; nothing we wait for
                continue
            message = json.loads(received)
            if message["parent_header"].get("msg_id") != request["header"]["msg_id"]:
                continue
            content = message["content"]
            if message["msg_type"] == "error":
                raise RuntimeError(
                    f"{self.student.name}: {content['ename']}: {content['evalue']}\nin: {code}"
                )
            waiting_for -= {message["msg_type"], content.get("execution_state")}


def _request(code: str) -> dict:
    header = {"msg_id": uuid.uuid4().hex, "msg_type": "execute_request", "version": "5.3"}
    header |= {"username": "", "session": uuid.uuid4().hex}
    content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}}
    content |= {"allow_stdin": False, "stop_on_error": True}
    return {
        **{"header": header, "parent_header": {}, "metadata": {}, "content": content},
        **{"channel": "shell", "buffers": []},
    }
