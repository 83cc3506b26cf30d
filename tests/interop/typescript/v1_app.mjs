// An agent on version 1 of the official TypeScript SDK; the first word of a prompt says what it does.

import { randomUUID } from "node:crypto";

const CAPABILITIES = {
  loadSession: true,
  promptCapabilities: { image: true, audio: true, embeddedContext: true },
  mcpCapabilities: { http: true },
  sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {} },
  auth: { logout: {} },
};
const MODES = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "code", name: "Code" },
  ],
};

function quiet(currentValue) {
  return { type: "boolean", id: "quiet", name: "Quiet", currentValue };
}

export function v1App(acp) {
  const { agent, client } = acp.methods;
  const open = new Set();
  const cancels = new Map();
  const heard = [];
  let locked = process.argv.includes("--locked");
  let about;

  function opened(sessionId) {
    open.add(sessionId);
    return { sessionId, modes: MODES, configOptions: [quiet(false)] };
  }

  async function update(ctx, sessionId, sessionUpdate, rest) {
    await ctx.client.notify(client.session.update, { sessionId, update: { sessionUpdate, ...rest } });
  }

  function say(ctx, sessionId, text) {
    return update(ctx, sessionId, "agent_message_chunk", { content: { type: "text", text } });
  }

  const actions = {
    async hello(ctx, id) {
      await say(ctx, id, "hello");
    },
    async blocks(ctx, id) {
      for (const content of ctx.params.prompt) await update(ctx, id, "agent_message_chunk", { content });
    },
    async everything(ctx, id) {
      for (const [kind, rest] of EVERYTHING) await update(ctx, id, kind, rest);
      return "max_tokens";
    },
    async permission(ctx, id) {
      const toolCall = { toolCallId: "call-p", title: "Write", kind: "edit" };
      const options = [
        { optionId: "y", name: "Yes", kind: "allow_once" },
        { optionId: "n", name: "No", kind: "reject_once" },
      ];
      const asked = { sessionId: id, toolCall, options };
      const { outcome } = await ctx.client.request(client.session.requestPermission, asked);
      await say(ctx, id, outcome.optionId ?? outcome.outcome);
    },
    async files(ctx, id, path) {
      const where = { sessionId: id, path };
      const { content } = await ctx.client.request(client.fs.readTextFile, { ...where, line: 2, limit: 1 });
      await ctx.client.request(client.fs.writeTextFile, { ...where, content: content.toUpperCase() });
      await say(ctx, id, content);
    },
    async terminal(ctx, id) {
      const terminal = await ctx.client.createTerminal({ sessionId: id, command: "run", args: ["a"] });
      await terminal.kill();
      const { signal } = await terminal.waitForExit();
      const { output } = await terminal.currentOutput();
      await terminal.release();
      await say(ctx, id, `${output}|${signal}`);
    },
    async form(ctx, id) {
      const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
      const asked = { mode: "form", sessionId: id, message: "Who are you?", requestedSchema };
      const answer = await ctx.client.request(client.elicitation.create, asked);
      await say(ctx, id, JSON.stringify(answer));
    },
    async extensions(ctx, id) {
      await ctx.client.notify("_interop/told", { n: 1 });
      await say(ctx, id, JSON.stringify(await ctx.client.request("_interop/ask", { n: 2 })));
    },
    async wait(ctx, id) {
      await update(ctx, id, "tool_call", { toolCallId: "call-w", title: "Wait" });
      await say(ctx, id, "Waiting");
      await new Promise((resolve) => cancels.set(id, resolve));
      return "cancelled";
    },
    async stranger(ctx, id) {
      await update(ctx, id, "_made_up", { value: 1 });
      await say(ctx, id, "done");
    },
    async fail() {
      throw new Error("a secret detail");
    },
    async login() {
      throw acp.RequestError.authRequired();
    },
  };

  const app = acp.agent({ name: "interop" });
  app.onRequest(agent.initialize, ({ params }) => {
    about = params;
    return {
      protocolVersion: acp.PROTOCOL_VERSION,
      agentInfo: { name: "typescript", version: "2.4.0" },
      agentCapabilities: CAPABILITIES,
      authMethods: [{ id: "key", name: "A key" }],
    };
  });
  app.onRequest(agent.authenticate, () => void (locked = false));
  app.onRequest(agent.logout, () => void (locked = true));
  app.onRequest(agent.session.new, ({ params }) => {
    if (locked) throw acp.RequestError.authRequired();
    heard.push(`new ${params.cwd} ${params.mcpServers.map((server) => server.name)}`);
    return opened(randomUUID());
  });
  app.onRequest(agent.session.load, async (ctx) => {
    const id = ctx.params.sessionId;
    if (id !== "stored") throw acp.RequestError.sessionNotFound(id);
    await update(ctx, id, "user_message_chunk", { content: { type: "text", text: "What was said" } });
    await say(ctx, id, "What was answered");
    const { sessionId, ...rest } = opened(id);
    return rest;
  });
  app.onRequest(agent.session.resume, ({ params }) => {
    const { sessionId, ...rest } = opened(params.sessionId);
    return rest;
  });
  app.onRequest(agent.session.list, ({ params }) =>
    params.cursor
      ? { sessions: [] }
      : { sessions: [{ sessionId: "stored", cwd: "/", title: "A stored one" }], nextCursor: "2" },
  );
  app.onRequest(agent.session.close, ({ params }) => void heard.push(`closed ${open.delete(params.sessionId)}`));
  app.onRequest(agent.session.delete, ({ params }) => void heard.push(`deleted ${params.sessionId}`));
  app.onRequest(agent.session.setMode, async (ctx) => {
    const { sessionId, modeId } = ctx.params;
    await update(ctx, sessionId, "current_mode_update", { currentModeId: modeId });
  });
  app.onRequest(agent.session.setConfigOption, ({ params }) => ({ configOptions: [quiet(params.value)] }));
  app.onRequest(agent.session.prompt, async (ctx) => {
    const id = ctx.params.sessionId;
    if (!open.has(id)) throw acp.RequestError.sessionNotFound(id);
    const [word, rest] = ctx.params.prompt[0].text.split(" ");
    return { stopReason: (await actions[word](ctx, id, rest)) ?? "end_turn" };
  });
  app.onNotification(agent.session.cancel, ({ params }) => cancels.get(params.sessionId)?.());
  app.onRequest("*", ({ method, params }) => {
    if (method === "_interop/echo") return { echo: params };
    if (method === "_interop/heard") return { heard };
    if (method === "_interop/client") return about;
    throw acp.RequestError.methodNotFound(method);
  });
  app.onNotification("*", ({ method, params }) => void heard.push(`${method} ${JSON.stringify(params)}`));
  if (agent.session.fork) {
    app.onRequest(agent.session.fork, ({ params }) => opened(`${params.sessionId}-fork`));
  }
  return app;
}

const EVERYTHING = [
  ["user_message_chunk", { content: { type: "text", text: "You" } }],
  ["agent_thought_chunk", { content: { type: "text", text: "Hm" } }],
  ["agent_message_chunk", { content: { type: "text", text: "Hello" }, messageId: "m-1" }],
  ["tool_call", { toolCallId: "call-1", title: "Edit", kind: "edit", status: "pending", name: "edit_file" }],
  [
    "tool_call_update",
    {
      toolCallId: "call-1",
      status: "completed",
      content: [{ type: "diff", path: "/a", oldText: "old\n", newText: "new\n" }],
      locations: [{ path: "/a", line: 3 }],
      rawOutput: [1],
    },
  ],
  ["plan", { entries: [{ content: "First", priority: "high", status: "completed" }] }],
  ["available_commands_update", { availableCommands: [{ name: "bye", description: "Says goodbye" }] }],
  ["current_mode_update", { currentModeId: "code" }],
  ["config_option_update", { configOptions: [quiet(true)] }],
  ["session_info_update", { title: "A title" }],
  ["usage_update", { used: 10, size: 100, cost: { amount: 0.5, currency: "USD" } }],
  ["notice", { title: "A notice", severity: "warning" }],
  ["compaction_update", { compactionId: "c-1", status: "in_progress" }],
  ["compaction_summary_chunk", { compactionId: "c-1", content: { type: "text", text: "In short" } }],
  ["compaction_update", { compactionId: "c-1", status: "completed" }],
];
