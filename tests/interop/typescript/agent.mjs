// Agents on the official TypeScript SDK, over stdio.
//
// Usage: node agent.mjs KIND [--locked], where KIND is an entry point, `router` for both versions
// behind the SDK's own router, or `router-1` and `router-2` for the router with one version.

import { entry, stdio } from "./entry.mjs";
import { v1App } from "./v1_app.mjs";
import { v2App } from "./v2_app.mjs";

const kind = process.argv[2];
let connector;
if (kind.startsWith("router")) {
  const [one, two] = [await entry("v1"), await entry("v2")];
  connector = two.agentProtocolRouter();
  if (kind !== "router-2") connector.withV1(v1App(one));
  if (kind !== "router-1") connector.withV2(v2App(two));
} else {
  const acp = await entry(kind);
  connector = kind.startsWith("v1") ? v1App(acp) : v2App(acp);
}
const connection = connector.connect(stdio(await entry("v1")));
await connection.closed;
