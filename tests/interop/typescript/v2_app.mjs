// An agent on version 2 of the official TypeScript SDK; the first word of a prompt says what it does.

import { randomUUID } from "node:crypto";

function options(mode, quiet) {
  const choices = [
    { value: "ask", name: "Ask" },
    { value: "code", name: "Code" },
  ];
  return [
    { type: "select", configId: "mode", name: "Mode", category: "mode", currentValue: mode, options: choices },
    { type: "boolean", configId: "quiet", name: "Quiet", currentValue: quiet },
  ];
}

function text(words) {
  return { type: "text", text: words };
}

export function v2App(acp) {
  const { agent, client } = acp.methods;
  const open = new Map();
  const heard = [];
  let locked = process.argv.includes("--locked");
  let about;

  function opened(sessionId) {
    open.set(sessionId, { mode: "ask", quiet: false, abort: new AbortController() });
    return {
      configOptions: options("ask", false),
      availableCommands: [{ type: "command", name: "greet", description: "Greets", input: { type: "text", hint: "whom" } }],
    };
  }

  function find(sessionId) {
    const session = open.get(sessionId);
    if (!session) throw acp.RequestError.sessionNotFound(sessionId);
    return session;
  }

  function update(ctx, sessionId, sessionUpdate, rest) {
    return ctx.client.notify(client.session.update, { sessionId, update: { sessionUpdate, ...rest } });
  }

  function say(ctx, id, words) {
    const content = typeof words === "string" ? text(words) : words;
    return update(ctx, id, "agent_message_chunk", { messageId: `a-${randomUUID()}`, content });
  }

  async function asking(ctx, id, method, params, options) {
    await update(ctx, id, "state_update", { state: "requires_action" });
    const answer = await ctx.client.request(method, params, options);
    await update(ctx, id, "state_update", { state: "running" });
    return answer;
  }

  const actions = {
    async hello(ctx, id) {
      await say(ctx, id, "hello");
    },
    async blocks(ctx, id) {
      for (const block of ctx.params.prompt) await say(ctx, id, block);
    },
    async everything(ctx, id) {
      for (const [kind, rest] of EVERYTHING) await update(ctx, id, kind, rest);
      return { stopReason: "max_tokens" };
    },
    async permission(ctx, id, kind) {
      const subject =
        kind === "command"
          ? { type: "command", command: "rm -r build", cwd: "/" }
          : kind === "strange"
            ? { type: "_strange", value: 1 }
            : { type: "tool_call", toolCall: { toolCallId: "call-p", title: "Write", kind: "edit" } };
      const choices = [
        { optionId: "y", name: "Yes", kind: "allow_once" },
        { optionId: "n", name: "No", kind: "reject_once" },
      ];
      const { outcome } = await asking(
        ctx,
        id,
        client.session.requestPermission,
        { sessionId: id, title: "May I?", description: "Really", subject, options: choices },
        { cancellationSignal: find(id).abort.signal },
      );
      await say(ctx, id, outcome.optionId ?? outcome.outcome);
    },
    async form(ctx, id) {
      const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
      const scope = { sessionId: id };
      const asked = { mode: "form", ...scope, message: "Who are you?", requestedSchema };
      await say(ctx, id, JSON.stringify(await asking(ctx, id, client.elicitation.create, asked)));
    },
    async url(ctx, id) {
      const where = { elicitationId: "e-1", url: "https://example.org/in" };
      const asked = { mode: "url", sessionId: id, message: "There", ...where };
      const { action } = await asking(ctx, id, client.elicitation.create, asked);
      await ctx.client.notify(client.elicitation.complete, { elicitationId: "e-1" });
      await say(ctx, id, action);
    },
    async extensions(ctx, id) {
      await ctx.client.notify("_interop/told", { n: 1 });
      await say(ctx, id, JSON.stringify(await ctx.client.request("_interop/ask", { n: 2 })));
    },
    async wait(ctx, id) {
      await update(ctx, id, "tool_call_update", { toolCallId: "call-w", title: "Wait", status: "in_progress" });
      await say(ctx, id, "Waiting");
      const { signal } = find(id).abort;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      await update(ctx, id, "tool_call_update", { toolCallId: "call-w", status: "cancelled" });
      return { stopReason: "cancelled" };
    },
    async strange(ctx, id) {
      await update(ctx, id, "_made_up", { value: [1, null] });
      await say(ctx, id, { type: "_hologram", depth: 3 });
      return { stopReason: "_tired" };
    },
    async fail() {
      return { stopReason: "error", error: { code: -32603, message: "It broke" } };
    },
  };

  const app = acp.agent({ name: "interop" });
  app.onRequest(agent.initialize, ({ params }) => {
    about = params;
    return {
      protocolVersion: acp.PROTOCOL_VERSION,
      info: { name: "typescript", version: "2.4.0" },
      capabilities: {
        session: {
          prompt: { image: {}, audio: {}, embeddedContext: {} },
          mcp: { stdio: {}, http: {} },
          delete: {},
          ...(agent.session.fork ? { fork: {} } : {}),
        },
      },
      authMethods: [{ type: "agent", methodId: "key", name: "A key" }],
    };
  });
  app.onRequest(agent.auth.login, () => void (locked = false));
  app.onRequest(agent.auth.logout, () => void (locked = true));
  app.onRequest(agent.session.new, ({ params }) => {
    if (locked) throw acp.RequestError.authRequired();
    heard.push(`new ${params.cwd} ${(params.mcpServers ?? []).map((server) => server.name)}`);
    const sessionId = randomUUID();
    return { sessionId, ...opened(sessionId) };
  });
  app.onRequest(agent.session.resume, async (ctx) => {
    const { sessionId: id, replayFrom } = ctx.params;
    if (id !== "stored") throw acp.RequestError.sessionNotFound(id);
    if (replayFrom) {
      await update(ctx, id, "user_message", { messageId: "u-1", content: [text("What was said")] });
      await update(ctx, id, "agent_message", { messageId: "a-1", content: [text("What was answered")] });
    }
    await update(ctx, id, "state_update", { state: "idle" });
    return opened(id);
  });
  app.onRequest(agent.session.list, ({ params }) =>
    params.cursor
      ? { sessions: [] }
      : { sessions: [{ sessionId: "stored", cwd: "/", title: "A stored one" }], nextCursor: "2" },
  );
  app.onRequest(agent.session.close, ({ params }) => void heard.push(`closed ${open.delete(params.sessionId)}`));
  app.onRequest(agent.session.delete, ({ params }) => void heard.push(`deleted ${params.sessionId}`));
  app.onRequest(agent.session.setConfigOption, ({ params }) => {
    const session = find(params.sessionId);
    session[params.configId] = params.value;
    return { configOptions: options(session.mode, session.quiet) };
  });
  app.onRequest(agent.session.prompt, (ctx) => {
    const id = ctx.params.sessionId;
    find(id).abort = new AbortController();
    const messageId = `u-${randomUUID()}`;
    // Behind the answer, so that the work comes after it on the wire.
    setImmediate(() => void work(ctx, id, messageId));
    return { messageId };
  });

  async function work(ctx, id, messageId) {
    const [word, rest] = ctx.params.prompt[0].text.split(" ");
    await update(ctx, id, "user_message", { messageId, content: ctx.params.prompt });
    await update(ctx, id, "state_update", { state: "running" });
    let ending;
    try {
      ending = await actions[word](ctx, id, rest);
    } catch {
      ending = { stopReason: find(id).abort.signal.aborted ? "cancelled" : "end_turn" };
    }
    await update(ctx, id, "state_update", { state: "idle", stopReason: "end_turn", ...ending });
  }

  app.onNotification(agent.session.cancel, ({ params }) => open.get(params.sessionId)?.abort.abort());
  app.onRequest("*", ({ method, params }) => {
    if (method === "_interop/echo") return { echo: params };
    if (method === "_interop/heard") return { heard };
    if (method === "_interop/client") return about;
    throw acp.RequestError.methodNotFound(method);
  });
  app.onNotification("*", ({ method, params }) => void heard.push(`${method} ${JSON.stringify(params)}`));
  if (agent.session.fork) {
    app.onRequest(agent.session.fork, ({ params }) => {
      const sessionId = `${params.sessionId}-fork`;
      return { sessionId, ...opened(sessionId) };
    });
  }
  return app;
}

const EVERYTHING = [
  ["agent_thought_chunk", { messageId: "t-1", content: text("Hm") }],
  ["agent_message_chunk", { messageId: "m-1", content: text("Hel") }],
  ["agent_message_chunk", { messageId: "m-1", content: text("lo") }],
  ["agent_thought", { messageId: "t-1", content: [text("Hm hm")] }],
  ["tool_call_update", { toolCallId: "call-1", title: "Edit", kind: "edit", status: "in_progress", name: "edit_file" }],
  ["tool_call_content_chunk", { toolCallId: "call-1", content: { type: "content", content: text("Working") } }],
  [
    "tool_call_content_chunk",
    {
      toolCallId: "call-1",
      content: {
        type: "diff",
        changes: [{ operation: "modify", path: "/a" }],
        patch: { format: "git_patch", text: "diff --git /a /a\n--- /a\n+++ /a\n@@ -1 +1 @@\n-old\n+new\n" },
      },
    },
  ],
  ["terminal_update", { terminalId: "term-1", command: "make", cwd: "/src" }],
  ["terminal_output_chunk", { terminalId: "term-1", data: Buffer.from("built\n").toString("base64") }],
  ["terminal_update", { terminalId: "term-1", exitStatus: { exitCode: 0 } }],
  ["tool_call_update", { toolCallId: "call-1", status: "completed", rawOutput: [1] }],
  ["plan_update", { plan: { type: "items", planId: "p-1", entries: [{ content: "First", priority: "high", status: "completed" }] } }],
  ["available_commands_update", { availableCommands: [{ type: "command", name: "bye", description: "Says goodbye" }] }],
  ["config_option_update", { configOptions: options("code", true) }],
  ["session_info_update", { title: "A title" }],
  ["usage_update", { used: 10, size: 100, cost: { amount: 0.5, currency: "USD" } }],
  ["notice", { title: "A notice", severity: "warning" }],
  ["compaction_update", { compactionId: "c-1", status: "in_progress" }],
  ["compaction_summary_chunk", { compactionId: "c-1", content: text("In short") }],
  ["compaction_update", { compactionId: "c-1", status: "completed" }],
];
