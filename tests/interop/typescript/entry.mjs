// The entry points of the SDK by the names that the tests use, and a stream over stdio.

import { Readable, Writable } from "node:stream";

const ENTRIES = {
  v1: "@agentclientprotocol/sdk",
  v1u: "@agentclientprotocol/sdk/unstable",
  v2: "@agentclientprotocol/sdk/experimental/v2",
  v2u: "@agentclientprotocol/sdk/experimental/v2/unstable",
};

export function entry(name) {
  return import(ENTRIES[name]);
}

export function stdio(acp) {
  return acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin));
}
