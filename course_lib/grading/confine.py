"""Walls around one student, inside the box: namespaces, mounts, limits, system calls (Linux).

bubblewrap builds the outer box, in which the fork server has imported everything once. Each
submission is a fork of it, and this module takes that fork into namespaces of its own: its own
processes, so that nothing survives and nobody else is seen; its own writable folder of limited
size; no capabilities, and no system call that makes new namespaces or memory nobody counts.
"""

import ctypes
import errno
import os
import resource
import struct
from functools import cache

from course_lib.grading.box import FOLDER

_NEWNS, _NEWUTS, _NEWIPC = 0x20000, 0x4000000, 0x8000000
_NEWUSER, _NEWPID = 0x10000000, 0x20000000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 1, 2, 4, 8
_MS_BIND, _MS_REC, _MS_PRIVATE = 4096, 16384, 1 << 18
_PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 4, 24, 36, 38

_libc = ctypes.CDLL(None, use_errno=True)


def _call(name: str, *arguments) -> int:
    result = getattr(_libc, name)(*arguments)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def _mount(source, target, kind, flags, options="") -> None:
    _call(
        "mount",
        source.encode(),
        target.encode(),
        kind.encode() if kind else None,
        ctypes.c_ulong(flags),
        options.encode(),
    )


def adopt_orphans() -> None:
    """Become the parent of grandchildren whose parent ends."""
    _call("prctl", _PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def become(user: int | None) -> None:
    """Become another user of the box, if there is one."""
    if user is not None:
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        _call("prctl", _PR_SET_DUMPABLE, 1, 0, 0, 0)  # else /proc/self would not be ours


def own_namespaces(folder_bytes: int, covered: list[str]) -> None:
    """Enter new user, mount, process, IPC and host-name namespaces, with a folder to write in.

    The process space is that of the next fork, whose end is the end of all in it. Of /proc nothing
    is left: the fork server's shows processes that are none of the student's business. The folders
    in `covered` are replaced by one of the student's own.
    """
    uid, gid = os.getuid(), os.getgid()
    _call("unshare", _NEWUSER | _NEWNS | _NEWPID | _NEWIPC | _NEWUTS)
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{uid} {uid} 1"),
        ("gid_map", f"{gid} {gid} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    _mount("none", "/", None, _MS_REC | _MS_PRIVATE)
    harmless = _MS_NOSUID | _MS_NODEV
    _mount("tmpfs", FOLDER, "tmpfs", harmless, f"size={folder_bytes},mode=700,nr_inodes=20000")
    os.mkdir(f"{FOLDER}/.tmp")
    for path in covered:
        _mount(f"{FOLDER}/.tmp", path, None, _MS_BIND)
    _mount("tmpfs", "/dev/shm", "tmpfs", harmless | _MS_NOEXEC, f"size={folder_bytes}")
    _mount("tmpfs", "/proc", "tmpfs", harmless | _MS_NOEXEC | _MS_RDONLY, "size=4096")


def limit(*, memory: int, cpu_seconds: int, processes: int, file_bytes: int) -> None:
    """Limit this process and all its children; a watchdog outside adds up what they use.

    `memory` is address space, so it includes what the fork server had mapped before.
    """
    for name, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_FSIZE, file_bytes),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_MEMLOCK, 2**16),
    ):
        hard = resource.getrlimit(name)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(name, (value, value))


def seal() -> None:
    """Give up all capabilities, for good, and refuse the system calls that could undo the walls."""
    for capability in range(64):
        if _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) < 0:
            break
    header = struct.pack("Ii", 0x20080522, 0)
    _call("capset", header, bytes(24))
    _call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    call_filter().load()


REFUSED = (
    *("ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "perf_event_open", "bpf"),
    *("mount", "umount2", "pivot_root", "chroot", "setns", "unshare", "mount_setattr"),
    *("open_tree", "move_mount", "fsopen", "open_by_handle_at"),
    *("shmget", "msgget", "semget", "mq_open", "memfd_create", "memfd_secret", "userfaultfd"),
    *("io_uring_setup", "add_key", "request_key", "keyctl"),
)
NAMESPACES = (_NEWNS, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID, 0x40000000, 0x02000000)


@cache
def call_filter():
    """A seccomp filter: the calls above fail with EPERM, clone with new namespaces as well.

    Whoever calls by the numbers of another machine, a second door to the same calls, is ended.
    Made once, before the forks that load it.
    """
    import pyseccomp

    refuse = pyseccomp.ERRNO(errno.EPERM)
    made = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    made.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.KILL_PROCESS)
    for name in REFUSED:
        made.add_rule(refuse, name)
    for flag in NAMESPACES:
        made.add_rule(refuse, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, flag, flag))
    # The flags of clone3 lie in memory, where no filter sees them; libc falls back to clone.
    made.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")
    return made
