// What a script asks for, in the words of the tools that an agent offers.

/** By name: `isCode` where the tool takes text instead of an object, `space` where its name stands in a namespace. */
export function offeredOf(tools) {
  const offered = new Map();
  const add = (tool, space) => {
    if (tool.type === "namespace") for (const inner of tool.tools) add(inner, { namespace: tool.name });
    else if (tool.name) offered.set(tool.name, { ...tool, isCode: tool.type === "custom", space });
  };
  for (const tool of tools) add(tool);
  return offered;
}

/** One call: `{ run }`, `{ read }`, `{ write }`, `{ edit }`, `{ plan }`, `{ ask }`, `{ agent }`, `{ wait }` or `{ raw }`. */
export function callOf(call, offered, seen, mark) {
  const kind = Object.keys(KINDS).find((name) => call[name] !== undefined);
  if (kind === undefined) throw new Error(`no such call: ${JSON.stringify(call)}`);
  const found = KINDS[kind](call[kind], offered, { mark, seen, cwd: cwdOf(seen.about), call });
  return { ...found, ...(offered.get(found.name)?.space && { space: offered.get(found.name).space }) };
}

/** Agents name their directory in what they send. */
function cwdOf(about) {
  return /<cwd>([^<]+)<\/cwd>/.exec(about)?.[1] ?? /[Ww]orking directory[^/\n]*(\/[^\s`<"\\]+)/.exec(about)?.[1] ?? ".";
}

const firstOf = (offered, names) => names.find((name) => offered.has(name));
const has = (offered, name, word) => JSON.stringify(offered.get(name) ?? {}).includes(`"${word}"`);

/** Some models call tools from code that they write, with one tool. */
function inCode(offered, name, given) {
  const shown = `const r = await tools.${name}(${JSON.stringify(given)});\ntext(typeof r === "string" ? r : JSON.stringify(r));`;
  return offered.get("exec")?.isCode ? { name: "exec", code: shown } : null;
}

/** A file's tool takes its path under one of these names. */
function pathIn(offered, name, path) {
  const key = ["file_path", "filePath", "absolute_path", "path"].find((word) => has(offered, name, word)) ?? "path";
  return { [key]: path };
}

const status = (i) => (i === 0 ? "in_progress" : "pending");

const KINDS = {
  run(command, offered, { mark, call }) {
    const marked = `${command} # ${mark}`;
    if (offered.has("exec_command")) return { name: "exec_command", input: { cmd: marked } };
    const code = inCode(offered, "exec_command", { cmd: marked, yield_time_ms: 30_000 });
    if (code) return code;
    const name = firstOf(offered, ["Bash", "bash", "shell_command", "run_shell_command", "shell"]) ?? "shell";
    const aside = call?.inBackground && has(offered, name, "run_in_background") ? { run_in_background: true } : {};
    return { name, input: { command: marked, description: "Runs a command", ...aside } };
  },
  read(path, offered, { mark, cwd }) {
    const name = firstOf(offered, ["Read", "read", "read_file", "view"]);
    if (!name) return KINDS.run(`cat ${path}`, offered, { mark });
    return { name, input: pathIn(offered, name, `${cwd}/${path}`) };
  },
  write({ path, text }, offered, { mark, cwd }) {
    const patch = `*** Begin Patch\n*** Add File: ${path}\n${text.replace(/^/gm, "+")}\n*** End Patch`;
    if (offered.get("apply_patch")?.isCode) return { name: "apply_patch", code: patch };
    const name = firstOf(offered, ["Write", "write", "write_file"]);
    if (name) return { name, input: { ...pathIn(offered, name, `${cwd}/${path}`), content: text } };
    return inCode(offered, "apply_patch", patch) ?? KINDS.run(`printf '%s' '${text}' > ${path}`, offered, { mark });
  },
  plan(steps, offered, { mark }) {
    const given = { plan: steps.map((step, i) => ({ step, status: status(i) })) };
    if (offered.has("update_plan")) return { name: "update_plan", input: given };
    if (offered.has("TodoWrite"))
      return {
        name: "TodoWrite",
        input: { todos: steps.map((content, i) => ({ content, activeForm: content, status: status(i) })) },
      };
    if (offered.has("TaskCreate"))
      return { name: "TaskCreate", input: { subject: steps[0], description: steps.join(", ") } };
    if (offered.has("todowrite"))
      return {
        name: "todowrite",
        input: { todos: steps.map((content, i) => ({ id: String(i), content, status: status(i), priority: "high" })) },
      };
    return inCode(offered, "update_plan", given) ?? KINDS.run("true", offered, { mark });
  },
  agent({ about, prompt }, offered, { seen, mark }) {
    // The sub-agent's script belongs to the same run.
    const run =
      [
        ...seen.turns
          .map(({ text }) => text)
          .join("\n")
          .matchAll(/\[[a-z-]+#(\d+)\]/g),
      ].at(-1)?.[1] ?? "0";
    const message = prompt.replace("#RUN]", `#${run}]`);
    if (offered.has("spawn_agent")) {
      const named = has(offered, "spawn_agent", "task_name") ? { task_name: about.replaceAll(/\W+/g, "_") } : {};
      return {
        name: "spawn_agent",
        input: { message, ...named, ...(has(offered, "spawn_agent", "fork_turns") && { fork_turns: "none" }) },
      };
    }
    const name = firstOf(offered, ["Agent", "Task", "task"]);
    if (!name) return KINDS.run("true", offered, { mark });
    return {
      name,
      input: { description: about, prompt: message, subagent_type: name === "task" ? "general" : "general-purpose" },
    };
  },
  wait(_, offered, { seen, mark }) {
    const name = firstOf(offered, ["wait_agent", "wait"]);
    if (!name) return KINDS.run("true", offered, { mark });
    const ids = [...seen.about.matchAll(/\\*"agent_id\\*"\s*:\s*\\*"([^"\\]+)/g)].map(([, id]) => id);
    const key = ["targets", "ids"].find((word) => has(offered, name, word));
    return { name, input: { ...(key && { [key]: ids }), timeout_ms: 30_000 } };
  },
  raw: ({ name, input }) => ({ name, input }),
};
