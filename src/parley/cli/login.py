"""Asks for a provider and its key in the terminal, and keeps the key where the agent finds it.

The keyring of the system keeps it if there is one that works, else the configuration file, which
is private then. The key is never shown, and nothing is sent anywhere.
"""

import getpass
import os
import sys

from parley.coder.config import Config
from parley.coder.config_change import store_in_file
from parley.coder.config_file import read_config_file
from parley.coder.keys import is_plausible, put_into_keyring
from parley.coder.vendors import VENDORS, Vendor

_TRIES = 3


def log_in(config: Config) -> int:
    """Ask, and store; the exit status."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("parley acp: `--login` needs a terminal", file=sys.stderr)
        print("try: run `parley acp --login` yourself", file=sys.stderr)
        return 2
    try:
        vendor = _vendor()
        key = _key(vendor) if vendor is not None else None
    except EOFError:
        key = vendor = None
    if vendor is None or key is None:
        print("Nothing was changed.")
        return 1
    print(f"The key is in {_stored(config, vendor, key)}.")
    for variable in vendor.key_variables:
        if os.environ.get(variable):
            print(f"{variable} is set in the environment, and is used instead of it.")
    print(f"{vendor.title} can be used now; if an agent runs already, let it look again.")
    return 0


def _vendor() -> Vendor | None:
    print("Whose models do you want to use?")
    for number, vendor in enumerate(VENDORS, 1):
        print(f"  {number}  {vendor.title}")
    for _ in range(_TRIES):
        answer = input("Number or name: ").strip().lower()
        for number, vendor in enumerate(VENDORS, 1):
            if answer in (str(number), vendor.name, vendor.title.lower()):
                return vendor
        print(f"Please enter a number from 1 to {len(VENDORS)}.")
    return None


def _key(vendor: Vendor) -> str | None:
    for _ in range(_TRIES):
        key = getpass.getpass(f"Key for {vendor.title} (it is not shown): ").strip()
        if is_plausible(key):
            return key
        print("That is not a key: it must be one word without blanks.")
    return None


def _stored(config: Config, vendor: Vendor, key: str) -> str:
    """Keep the key; where it is now.

    Raises:
        ConfigError: it can be kept nowhere.
    """
    path = config.folders.config
    table = read_config_file(path).providers.get(vendor.name)
    # A key in the file comes before one in the keyring, so it is replaced where it stands.
    in_file = table is not None and table.key is not None
    if not in_file and put_into_keyring(vendor.name, key):
        store_in_file(path, vendor.name, {"keyring": True})
        return "the keyring"
    store_in_file(path, vendor.name, {"key": key})
    return f"{path}, which only you can read"
