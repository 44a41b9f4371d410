"""Walls around one student, inside the box: namespaces, mounts, limits, system calls (Linux).

bubblewrap builds the outer box, in which the fork server has imported everything once. Each
submission is a fork of it, and this module takes that fork into namespaces of its own: its own
processes, so that nothing survives and nobody else is seen; its own writable folder of limited
size; no capabilities, and no system call that makes new namespaces or memory nobody counts.
"""

import ctypes
import errno
import os
import platform
import resource
import struct

FOLDER = "/student"  # the only place a student can write to; /tmp lies within
_NEWNS, _NEWUTS, _NEWIPC = 0x20000, 0x4000000, 0x8000000
_NEWUSER, _NEWPID = 0x10000000, 0x20000000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 1, 2, 4, 8
_MS_BIND, _MS_REC, _MS_PRIVATE = 4096, 16384, 1 << 18
(
    _PR_SET_DUMPABLE,
    _PR_SET_SECCOMP,
    _PR_CAPBSET_DROP,
    _PR_SET_CHILD_SUBREAPER,
    _PR_SET_NO_NEW_PRIVS,
) = 4, 22, 24, 36, 38

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
    _refuse_calls()


# System calls, by machine: (number on x86_64, number on aarch64); None where it does not exist.
_REFUSED = {
    "ptrace": (101, 117),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "setns": (308, 268),
    "unshare": (272, 97),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "userfaultfd": (323, 282),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "mount_setattr": (442, 442),
    "pidfd_getfd": (438, 438),
}
_MACHINES = {"x86_64": (0, 0xC000003E, 56), "aarch64": (1, 0xC00000B7, 220)}
_CLONE3 = 435


def _refuse_calls() -> None:
    """A seccomp filter: the calls above fail with EPERM, clone with new namespaces as well."""
    if platform.machine() not in _MACHINES:
        return
    column, machine, clone = _MACHINES[platform.machine()]
    load, equal, at_least, any_bit, give = 0x20, 0x15, 0x35, 0x45, 0x06
    allow, kill = 0x7FFF0000, 0x80000000
    refuse, missing = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
    numbers = sorted(entry[column] for entry in _REFUSED.values())
    namespaces = _NEWNS | _NEWUTS | _NEWIPC | _NEWUSER | _NEWPID | 0x40000000 | 0x02000000
    program = [
        (load, 0, 0, 4),
        (equal, 1, 0, machine),
        (give, 0, 0, kill),
        (load, 0, 0, 0),
        (at_least, 0, 1, 0x40000000),  # the x32 numbers, a second door to the same calls
        (give, 0, 0, refuse),
        (equal, 0, 1, _CLONE3),  # its flags lie in memory; libc falls back to clone
        (give, 0, 0, missing),
        *(line for n in numbers for line in ((equal, 0, 1, n), (give, 0, 0, refuse))),
        (equal, 0, 3, clone),
        (load, 0, 0, 16),
        (any_bit, 0, 1, namespaces),
        (give, 0, 0, refuse),
        (give, 0, 0, allow),
    ]
    code = b"".join(struct.pack("HBBI", *line) for line in program)
    buffer = ctypes.create_string_buffer(code)
    filter_ = struct.pack("HxxxxxxP", len(program), ctypes.addressof(buffer))
    _call("prctl", _PR_SET_SECCOMP, 2, filter_, 0, 0)
