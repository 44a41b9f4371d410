"""Walls around one student, inside the box: namespaces, mounts, limits, system calls (Linux).

bubblewrap builds the outer box, in which the fork server has imported everything once. Each
submission is a fork of it, and this module takes that fork into namespaces of its own: its own
processes, so that nothing survives and nobody else is seen; its own network, which leads nowhere;
its own view of the files, in which nothing can be written but a folder of limited size; no
capabilities, and no system call that makes new namespaces or memory nobody counts.
"""

import ctypes
import errno
import os
import resource
import struct
from functools import cache

from course_lib.grading.places import FOLDER, NICE, SECOND_PROC

_NEWNS, _NEWUTS, _NEWIPC = 0x20000, 0x4000000, 0x8000000
_NEWUSER, _NEWPID, _NEWNET = 0x10000000, 0x20000000, 0x40000000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 1, 2, 4, 8
_MS_REMOUNT, _MS_BIND, _MS_REC, _MS_PRIVATE = 32, 4096, 16384, 1 << 18
_MOUNT_SETATTR, _AT_RECURSIVE = 442, 0x8000  # the same number on every machine
_SYS_ADMIN = 21
_PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 4, 24, 36, 38
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 47, 4

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


def show_all_processes() -> None:
    """Mount a second view of processes, whole and read-only, and give up the power to mount.

    Whoever may not see all of /proc may not mount one. bubblewrap, started by root, covers parts of
    it, so that nobody inside could have a /proc of his own; this one has no covers, and students
    never see it. Without the power to mount there were no covers, and nothing is to be done.
    """
    header, sets = struct.pack("Ii", 0x20080522, 0), ctypes.create_string_buffer(24)
    _call("capget", header, sets)
    words = list(struct.unpack("6I", sets.raw))
    if words[0] >> _SYS_ADMIN & 1:
        flags = _MS_RDONLY | _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
        _mount("proc", SECOND_PROC, "proc", flags)
        words = [word & ~(1 << _SYS_ADMIN) if k < 3 else word for k, word in enumerate(words)]
        _call("prctl", _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
        _call("capset", header, struct.pack("6I", *words))


def own_namespaces() -> None:
    """Enter new user, mount, process, network, IPC and host-name namespaces.

    The process space is that of the next fork, whose end is the end of all in it.
    """
    uid, gid = os.getuid(), os.getgid()
    _call("unshare", _NEWUSER | _NEWNS | _NEWPID | _NEWNET | _NEWIPC | _NEWUTS)
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{uid} {uid} 1"),
        ("gid_map", f"{gid} {gid} 1"),
    ):
        with open(f"/proc/self/{name}", "w", encoding="utf-8") as file:
            file.write(text)


def own_session() -> None:
    """Leave the fork server's session and process group, and stand back behind those that grade.

    For the first process of a new process space: no signal and no priority that is meant for a
    whole group or session then reaches anybody outside.
    """
    os.setsid()
    os.setpriority(os.PRIO_PROCESS, 0, NICE)
    with open("/proc/self/oom_score_adj", "w", encoding="utf-8") as file:
        file.write("1000")  # where memory runs out, this one ends first


def own_mounts(folder_bytes: int, covered: list[str]) -> None:
    """Make all there is read-only, then mount what belongs to this student alone.

    That is a folder to write in and one for shared memory, both of limited size, and a /proc with
    this student's processes. The folders in `covered` are replaced by one of the student's own.
    """
    _mount("none", "/", None, _MS_REC | _MS_PRIVATE)
    _make_read_only()
    harmless = _MS_NOSUID | _MS_NODEV
    _mount("tmpfs", FOLDER, "tmpfs", harmless, f"size={folder_bytes},mode=700,nr_inodes=20000")
    os.mkdir(f"{FOLDER}/.tmp")
    for path in covered:
        _mount(f"{FOLDER}/.tmp", path, None, _MS_BIND)
    shared = f"size={folder_bytes},nr_inodes=2000"
    _mount("tmpfs", "/dev/shm", "tmpfs", harmless | _MS_NOEXEC, shared)
    _mount("/dev/null", "/dev/zero", None, _MS_BIND)  # it would give memory that nobody counts
    sealed = harmless | _MS_NOEXEC | _MS_RDONLY
    _mount("tmpfs", "/dev/pts", "tmpfs", sealed, "size=4096")
    _mount("proc", "/proc", "proc", sealed)
    _mount("tmpfs", SECOND_PROC, "tmpfs", sealed, "size=4096")


def _make_read_only() -> None:
    """Every mount, one by one where the kernel is too old to do it at once."""
    attributes = struct.pack("4Q", _MS_RDONLY | _MS_NOSUID, 0, 0, 0)
    done = _libc.syscall(_MOUNT_SETATTR, -1, b"/", _AT_RECURSIVE, attributes, len(attributes))
    if done == 0:
        return
    if ctypes.get_errno() != errno.ENOSYS:
        raise OSError(ctypes.get_errno(), "mount_setattr")
    kept = {"nodev": _MS_NODEV, "noexec": _MS_NOEXEC, "noatime": 1024, "relatime": 1 << 21}
    for point, options in mounts():
        flags = sum(kept.get(option, 0) for option in options)
        _mount("none", point, None, _MS_REMOUNT | _MS_BIND | _MS_RDONLY | _MS_NOSUID | flags)


def mounts(table: str = "/proc/self/mountinfo") -> list[tuple[str, list[str]]]:
    """Every mount point of this process, with its options."""
    with open(table, encoding="utf-8", errors="surrogateescape") as file:
        rows = [line.split() for line in file]
    return [(row[4].encode().decode("unicode_escape"), row[5].split(",")) for row in rows]


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
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_SIGPENDING, 256),
        (resource.RLIMIT_NICE, 0),
        (resource.RLIMIT_RTPRIO, 0),
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
    *("inotify_init", "inotify_init1", "fanotify_init"),  # all of a user's processes share a few
    "setsid",  # the machine is shared out by session, and a student is one
)
NAMESPACES = (_NEWNS, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET, 0x02000000)
SHARED_MEMORY = 0x21  # mmap: shared and of no file, which no limit counts
BUFFERS = (7, 8, 32, 33)  # setsockopt: larger buffers than a socket has by itself
FAMILIES = {1, 2, 10}  # socket: unix, internet; others, such as vsock, know no namespaces
LAST_FAMILY = 10
LOCKS = (6, 7, 37, 38)  # fcntl: locks on parts of files, any number of them
NEWS = (1024, 1026)  # fcntl: a lease makes others wait, a notice tells of them
NO_LONGER = (20, 21)  # madvise: give back what a file has in memory


@cache
def call_filter():
    """A seccomp filter: the calls above fail with EPERM, clone with new namespaces as well.

    So does asking for memory that is shared and belongs to no file, which is counted nowhere once
    it is unmapped, for larger buffers of a socket, or for a socket that leads around the namespace.

    The files of the machine are the same in every box. What one student could do to them that
    another notices is refused, or said to be done: locks, leases, notices, and reading only what
    is in memory already. How long a read takes, nobody can hide.

    Whoever calls by the numbers of another machine, a second door to the same calls, is ended.
    Made once, before the forks that load it.
    """
    import pyseccomp

    refuse = pyseccomp.ERRNO(errno.EPERM)
    made = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    made.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.KILL_PROCESS)
    for name in REFUSED:
        made.add_rule(refuse, name)
    shared = pyseccomp.Arg(3, pyseccomp.MASKED_EQ, SHARED_MEMORY, SHARED_MEMORY)
    made.add_rule(refuse, "mmap", shared)
    at_socket = pyseccomp.Arg(1, pyseccomp.EQ, 1)
    for option in BUFFERS:
        made.add_rule(refuse, "setsockopt", at_socket, pyseccomp.Arg(2, pyseccomp.EQ, option))
    for family in set(range(LAST_FAMILY)) - FAMILIES:
        made.add_rule(refuse, "socket", pyseccomp.Arg(0, pyseccomp.EQ, family))
    made.add_rule(refuse, "socket", pyseccomp.Arg(0, pyseccomp.GT, LAST_FAMILY))
    granted = pyseccomp.ERRNO(0)  # and not kept: nobody else is there
    for lock in LOCKS:
        made.add_rule(granted, "fcntl", pyseccomp.Arg(1, pyseccomp.EQ, lock))
    made.add_rule(granted, "flock")
    for news in NEWS:
        made.add_rule(refuse, "fcntl", pyseccomp.Arg(1, pyseccomp.EQ, news))
    made.add_rule(granted, "fadvise64")
    for advice in NO_LONGER:
        made.add_rule(granted, "madvise", pyseccomp.Arg(2, pyseccomp.EQ, advice))
    made.add_rule(refuse, "preadv2", pyseccomp.Arg(5, pyseccomp.NE, 0))
    for flag in NAMESPACES:
        made.add_rule(refuse, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, flag, flag))
    # The flags of clone3 lie in memory, where no filter sees them; libc falls back to clone.
    made.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")
    return made
