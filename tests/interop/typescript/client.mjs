// A client on the official TypeScript SDK that a test plays, line by line, over stdin and stdout.
//
// Usage: node client.mjs ENTRY COMMAND [ARGUMENT...]
//
// Lines in:  {"id", "request", "params"}    call the agent
//            {"notify", "params"}           tell the agent
//            {"answer", "result" | "error"} answer what the agent asked
//            {"abort": id}                  give a request up, by the SDK's own signal
//            {"id", "converse": [cwd, text]}  a whole turn through the SDK's session object
// Lines out: {"id", "result" | "error"}, {"notified", "params"}, {"asked", "method", "params"},
//            {"withdrawn": asked}, and {"exited": code} at the very end.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";

import { entry } from "./entry.mjs";

const [entryName, command, ...args] = process.argv.slice(2);
const acp = await entry(entryName);
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const exited = new Promise((resolve) => child.on("exit", (code) => resolve(code)));
const answers = new Map();
const signals = new Map();
let asked = 0;

function say(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

function plain(error) {
  return { code: error.code ?? null, message: String(error.message ?? error), data: error.data };
}

function leaves(tree) {
  return Object.values(tree).flatMap((value) => (typeof value === "string" ? [value] : leaves(value)));
}

function ask({ method, params, signal }) {
  const number = ++asked;
  return new Promise((resolve, reject) => {
    answers.set(number, { resolve, reject });
    signal.addEventListener("abort", () => say({ withdrawn: number }));
    say({ asked: number, method, params });
  });
}

function hear({ method, params }) {
  say({ notified: method, params });
}

const NOTES = new Set(["session/update", "elicitation/complete", "auth/status_update"]);
const app = acp.client({ name: "interop" });
for (const method of leaves(acp.methods.client)) {
  if (NOTES.has(method)) app.onNotification(method, hear);
  // One unstable method is asked and told; asking is all that is needed here.
  else app.onRequest(method, ask);
}
app.onRequest("*", ask).onNotification("*", hear);

const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
const connection = app.connect(stream);
const agent = connection.agent;

async function request(line) {
  const abort = new AbortController();
  signals.set(line.id, abort);
  const options = { cancellationSignal: abort.signal };
  return await agent.request(line.request, line.params, options);
}

async function converse([cwd, text]) {
  return await agent.buildSession(cwd).withSession(async (session) => {
    const prompted = session.prompt(text);
    prompted.catch(() => {});
    const read = session.readTextUntilIdle ?? session.readText;
    const said = await read.call(session);
    return { sessionId: session.sessionId, said, prompted: await prompted };
  });
}

async function obey(line) {
  if ("request" in line || "converse" in line) {
    try {
      const result = "request" in line ? await request(line) : await converse(line.converse);
      say({ id: line.id, result: result ?? null });
    } catch (error) {
      say({ id: line.id, error: plain(error) });
    }
  } else if ("notify" in line) {
    await agent.notify(line.notify, line.params);
  } else if ("abort" in line) {
    signals.get(line.abort).abort();
  } else if ("error" in line) {
    answers.get(line.answer).reject(new acp.RequestError(line.error.code, line.error.message));
  } else {
    answers.get(line.answer).resolve(line.result);
  }
}

createInterface({ input: process.stdin })
  .on("line", (text) => void obey(JSON.parse(text)))
  .on("close", async () => {
    connection.close();
    child.stdin.end();
    say({ exited: await exited });
    process.exit(0);
  });
