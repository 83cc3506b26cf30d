"""Ways out of the sandbox, tried with real programs: what each one runs.

Scripts find their targets in variables: PROJECT and TEMP may be written, OUTSIDE and HOME may be
read, HIDDEN may not even be read; PID is a process outside, SOCKET, ABSTRACT and PORT are services.
An attempt has come out if it changed something outside, printed the secret or the word ESCAPED,
or ended the process.
"""

from typing import Literal

from msgspec import Struct

Need = Literal["landlock", "landlock+seccomp", "mounts", "bubblewrap"]


class Attempt(Struct, frozen=True):
    group: str
    name: str
    script: str
    need: Need = "landlock"
    """The weakest level that claims to hold it."""
    network: bool = True
    bare: bool = True
    """Whether it comes out where nothing confines it, which proves that it is a real attempt."""


def _python(code: str) -> str:
    prelude = "import ctypes,os,socket,sys;e=os.environ;c=ctypes.CDLL(None,use_errno=True)\n"
    # Newer Pythons show the line that failed, which must not look like a success.
    code = code.replace('"ESCAPED"', '"ESC""APED"')
    return f"$PYTHON -I -S -c '{prelude}{code}'"


def _connects(family: str, address: str, kind: str = "SOCK_STREAM") -> str:
    return _python(
        f"s=socket.socket(socket.{family},socket.{kind});s.settimeout(1)\n"
        f's.connect({address});s.send(b"x");print("ESCAPED")'
    )


def _opens(path: str, flags: str = "os.O_WRONLY") -> str:
    return _python(f'os.open({path},{flags});print("ESCAPED")')


def _calls(x86: int, arm: int, arguments: str) -> str:
    return _python(
        f'n={x86} if os.uname().machine=="x86_64" else {arm}\n'
        f'r=c.syscall(ctypes.c_long(n),{arguments});print("ESCAPED" if r>=0 else "refused")'
    )


_WRITES = {
    "redirection": "echo x > $OUTSIDE/new",
    "appending": "echo x >> $OUTSIDE/kept",
    "emptying by redirection": ": > $OUTSIDE/kept",
    "emptying with truncate": "truncate -s 0 $OUTSIDE/kept",
    "emptying while reading": _python('os.open(e["OUTSIDE"]+"/kept",os.O_RDONLY|os.O_TRUNC)'),
    "dd": "dd if=/dev/zero of=$OUTSIDE/kept bs=1 count=9 conv=notrunc",
    "tee": "echo x | tee $OUTSIDE/new",
    "cp": "cp mine $OUTSIDE/new",
    "install": "install -m 755 mine $OUTSIDE/new",
    "moving out": "mv mine $OUTSIDE/new",
    "moving in": "mv $OUTSIDE/kept here",
    "exchanging": _python(
        'c.renameat2(-100,b"mine",-100,(e["OUTSIDE"]+"/kept").encode(),ctypes.c_uint(2))'
    ),
    "rm": "rm -f $OUTSIDE/kept",
    "rm of a folder": "rm -rf $OUTSIDE/folder",
    "find and delete": "find $OUTSIDE -name kept -delete",
    "mkdir": "mkdir $OUTSIDE/new",
    "touch": "touch $OUTSIDE/new",
    "mkfifo": "mkfifo $OUTSIDE/new",
    "a socket outside": _python('s=socket.socket(socket.AF_UNIX);s.bind(e["OUTSIDE"]+"/s")'),
    "sed in place": "sed -i s/kept/lost/ $OUTSIDE/kept",
    "unpacking": "tar -cf a.tar mine && tar -xf a.tar -C $OUTSIDE",
    "git init": "git init -q $OUTSIDE/new",
    "shell start file": "echo evil >> $HOME/.bashrc",
    "authorized keys": "mkdir -p $HOME/.ssh && echo evil >> $HOME/.ssh/authorized_keys",
    "a job for cron": "mkdir -p $OUTSIDE/cron.d && echo evil > $OUTSIDE/cron.d/job",
    "an autostart entry": "mkdir -p $HOME/.config/autostart && echo x > $HOME/.config/autostart/x",
}
_PATHS = {
    "symbolic link to a folder": "ln -s $OUTSIDE link && echo x > link/new",
    "dangling symbolic link": "ln -s $OUTSIDE/new link && echo x > link",
    "symbolic link outside": "ln -s /etc/passwd $OUTSIDE/new",
    "hard link out": "ln mine $OUTSIDE/new",
    "hard link in": "ln $OUTSIDE/kept mine2 && echo x > mine2",
    "dots": "echo x > $PROJECT/../outside/new",
    "another folder": "cd $OUTSIDE && echo x > new",
    "/proc/self/root": "echo x > /proc/self/root$OUTSIDE/new",
    "/proc/self/cwd": "echo x > /proc/self/cwd/../outside/new",
    "a descriptor opened again": _python(
        'd=os.open(e["OUTSIDE"]+"/kept",os.O_RDONLY);open("/proc/self/fd/%d"%d,"w")'
    ),
    "a descriptor of a folder": _python(
        'd=os.open(e["OUTSIDE"],os.O_PATH);os.open("new",os.O_CREAT|os.O_WRONLY,dir_fd=d)'
    ),
    "the folder of another process": "echo x > /proc/$PID/cwd/new",
}
_READS = {
    "cat": "cat $HIDDEN/key",
    "by a symbolic link": "ln -s $HIDDEN link && cat link/key",
    "by a hard link": "ln $HIDDEN/key mine2 && cat mine2",
    "copied": "cp -r $HIDDEN copy && cat copy/key",
    "moved": "mv $HIDDEN moved && cat moved/key",
    "packed": "tar -cO $HIDDEN 2>/dev/null | cat",
    "by /proc/self/root": "cat /proc/self/root$HIDDEN/key",
    "by the root of another process": "cat /proc/$PID/root$HIDDEN/key",
    "by a descriptor of another process": "cat /proc/$PID/fd/9",
    "the environment of another process": "tr '\\0' '\\n' < /proc/$PID/environ",
    "the memory of another process": _opens('"/proc/"+e["PID"]+"/mem"', "os.O_RDONLY"),
    "the memory map of another process": "grep -q . /proc/$PID/maps && echo ESCAPED",
}
_PROCESSES = {
    "kill": "kill -9 $PID",
    "kill from a program": _python('os.kill(int(e["PID"]),9)'),
    "attaching a debugger": _python(
        'r=c.ptrace(16,int(e["PID"]),0,0);print("ESCAPED" if r==0 else "refused")'
        ';c.ptrace(17,int(e["PID"]),0,0)'
    ),
    "its list of files": "readlink /proc/$PID/fd/9 && echo ESCAPED",
    "its priority to be killed": _opens('"/proc/"+e["PID"]+"/oom_score_adj"'),
    "a daemon": "setsid sh -c 'sleep 0.2; echo x > $OUTSIDE/new' >/dev/null 2>&1 & sleep 0.05",
    "a daemon of a program": _python(
        "r,w=os.pipe()\nif os.fork(): os.read(r,1);os._exit(0)\n"
        'os.setsid()\nif os.fork(): os._exit(0)\nos.write(w,b"x")\n'
        'import time;time.sleep(0.2);open(e["OUTSIDE"]+"/new","w")'
    ),
}
_KERNEL = {
    "settings of the kernel": _opens('"/proc/sys/kernel/core_pattern"'),
    "a device": "mknod disk c 1 3 && echo ESCAPED",
    "a mount": "mount -t tmpfs none $PROJECT && echo ESCAPED && umount $PROJECT",
    "a bind mount": "mkdir m && mount --bind $OUTSIDE m && echo ESCAPED && umount m",
    "a namespace of users": "unshare -U true && echo ESCAPED",
    "a namespace of mounts": "unshare -rm true && echo ESCAPED",
    "the namespace of another process": "nsenter -t $PID -m true && echo ESCAPED",
    "another root": "chroot / true && echo ESCAPED",
    "new privileges": "grep -q 'NoNewPrivs:.*0' /proc/self/status && echo ESCAPED",
    "capabilities of the system": _python(
        'm=[l for l in open("/proc/self/status") if l.startswith("CapEff")][0].split()[1]\n'
        'print("ESCAPED" if int(m,16)>>21&1 else "refused")'
    ),
}
_FILTERED = {
    "a service of this machine": _connects("AF_UNIX", 'e["SOCKET"]'),
    "an abstract service": _connects("AF_UNIX", '"\\0"+e["ABSTRACT"]'),
    "a datagram service": _connects("AF_UNIX", 'e["SOCKET"]+".d"', "SOCK_DGRAM"),
    "packets": _python('socket.socket(17,socket.SOCK_RAW);print("ESCAPED")'),
    "keys of the kernel": _calls(250, 219, "0,-3,1"),
    "a ring of calls": _calls(425, 425, "1,ctypes.create_string_buffer(120)"),
    "limits of another process": _calls(
        302, 261, 'int(e["PID"]),7,None,ctypes.create_string_buffer(16)'
    ),
    "the name of the machine": _python('socket.sethostname(socket.gethostname());print("ESCAPED")'),
}
_OFFLINE = {
    "a connection": _connects("AF_INET", '("127.0.0.1",int(e["PORT"]))'),
    "a datagram": _connects("AF_INET", '("127.0.0.1",int(e["PORT"]))', "SOCK_DGRAM"),
    "a connection by the shell": "bash -c 'echo x > /dev/tcp/127.0.0.1/'$PORT && echo ESCAPED",
}
# Landlock has no say in these; a read-only view of the file system has.
_MARKS = {
    "mode": "chmod 777 $OUTSIDE/kept",
    "mode of a hidden folder": "chmod 755 $HIDDEN",
    "times": "touch -d 2001-01-01 $OUTSIDE/kept",
    "owner": "chown 12345 $OUTSIDE/kept",
}
# The agent's own things, and keys, in a session that was opened around them: PROJECT is a home.
_AROUND = {
    "another configuration": "mv .config c2; mkdir -p .config/parley; echo x > .config/parley/new",
    "keys in another place": "mv .config c2; cat c2/gh/key",
    "keys two folders up": "mv .local l2; cat l2/share/parley/key",
    "the folder above the data": "mv .local/share .local/s2; cat .local/s2/parley/key",
    "the folder of the configuration": "mv .config/parley p2; mkdir .config/parley && echo ESCAPED",
    "exchanging the folder around": "mkdir c2;"
    + _python('c.renameat2(-100,b"c2",-100,b".config",ctypes.c_uint(2))')
    + "; cat c2/gh/key",
    "removing the folder around": "rm -rf .config; test -e .config/parley || echo ESCAPED",
    "a new file of the configuration": "echo x > .config/parley/rules",
    "a new skill": "mkdir -p .config/parley/skills/x && echo x > .config/parley/skills/x/SKILL.md",
    "a changed skill": "echo x > .config/parley/skills/mine/SKILL.md",
    "emptying the configuration": "echo '[hooks]' > .config/parley/config.toml",
    "a hard link to the configuration": "ln .config/parley/config.toml c; echo x >> c",
    "a link in place of the data": "rm -rf .local/share/parley; ln -s $TEMP .local/share/parley",
}
_PROTECTED = {
    "a hook": "printf x > .git/hooks/pre-commit",
    "the settings of git": "printf '[alias]' >> .git/config",
    "a file for an editor": "printf x > .vscode/tasks.json",
    "hooks in another place": "mv .git old && cp -r old .git && printf x > .git/hooks/new",
    "the folder of hooks": "rm -rf .git/hooks",
    "the mode of a hook": "chmod 700 .git/hooks/sample",
}


def _group(name: str, scripts: dict[str, str], **more: object) -> list[Attempt]:
    return [Attempt(name, title, script, **more) for title, script in scripts.items()]  # type: ignore[arg-type]


ATTEMPTS = (
    *_group("writing outside", _WRITES),
    *_group("ways around a path", _PATHS),
    *_group("reading what is hidden", _READS),
    *_group("other processes", _PROCESSES),
    *_group("the kernel", _KERNEL),
    *_group("sockets and calls", _FILTERED, need="landlock+seccomp"),
    *_group("network switched off", _OFFLINE, need="landlock+seccomp", network=False),
    *_group("marks of files outside", _MARKS, need="mounts"),
)
AROUND = tuple(_group("own files in the workspace", _AROUND))
PROTECTED = tuple(_group("protected paths", _PROTECTED, need="mounts"))
