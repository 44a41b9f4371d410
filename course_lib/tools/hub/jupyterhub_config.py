"""JupyterHub for a class on one server, explained in README.md beside this file.

The course and the hub share one environment, which belongs to root and which students only read.
"""

import sys

c = get_config()  # noqa: F821

STATE = "/var/lib/jupyterhub"  # what the hub remembers; back it up with the homes

# Who may come in: accounts of this server in the group `students`; `lecturers` also administer.
c.JupyterHub.authenticator_class = "pam"
c.PAMAuthenticator.allowed_groups = {"students", "lecturers"}
c.PAMAuthenticator.admin_groups = {"lecturers"}

# What starts for them: each student's own copies of the lessons, under the student's own account.
c.JupyterHub.spawner_class = "systemd"
c.Spawner.cmd = [sys.executable, "-P", "-m", "course_lib.tools.hub"]
c.Spawner.notebook_dir = "~"
c.Spawner.default_url = (
    "/lab/tree/workbook"  # the folder, not a notebook: each open one has a kernel
)
c.Spawner.environment = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA")
}
c.SystemdSpawner.isolate_tmp = True

# How much of the server one student can take, and how long an idle one keeps it.
c.Spawner.mem_limit = "2G"
c.Spawner.cpu_limit = 1.0
c.Spawner.start_timeout = 120
c.Spawner.http_timeout = 120  # a whole class starts in the same minute
c.JupyterHub.concurrent_spawn_limit = 20
c.JupyterHub.services = [
    {
        "name": "idle-culler",
        "command": [sys.executable, "-m", "jupyterhub_idle_culler", "--timeout=3600"],
    }
]
c.JupyterHub.load_roles = [
    {
        "name": "idle-culler",
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
        "services": ["idle-culler"],
    }
]

# Where it answers: on this machine only. The web server in front of it speaks HTTPS to the world.
c.JupyterHub.bind_url = "http://127.0.0.1:8000"
c.JupyterHub.cleanup_servers = False  # students go on working while the hub is restarted
c.JupyterHub.db_url = f"sqlite:///{STATE}/jupyterhub.sqlite"
c.JupyterHub.cookie_secret_file = f"{STATE}/cookie_secret"
c.ConfigurableHTTPProxy.pid_file = f"{STATE}/proxy.pid"
