"""A process that uses the embedded server: `user_of_server.py FOLDER [UID]`.

Prints one line of JSON when the server is there, and lets go of it when its standard input ends. With UID,
root first becomes that user.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

from vmk_mcp.database.binaries import find_wheel_binaries
from vmk_mcp.database.embedded import start_embedded
from vmk_mcp.database.prepare import prepare_databases


def main() -> None:
    folder, *uid = sys.argv[1:]
    # All imports are done before the rights are given up: the interpreter may lie in root's folder.
    binaries = find_wheel_binaries()
    if uid:
        os.setgroups([])
        os.setgid(int(uid[0]))
        os.setuid(int(uid[0]))
    said: list[str] = []
    server = start_embedded(Path(folder), binaries, said.append)
    asyncio.run(prepare_databases(server, said.append))
    report = {"port": server.address.port, "was_created": server.was_created, "uid": os.geteuid()}
    sys.stdout.write(json.dumps(report) + "\n")
    sys.stdout.flush()
    sys.stdin.read()
    server.close()


main()
