// What is typed, what the model does then, and how it has to end. A prompt's `[script#RUN]` chooses the model's script.

/** By name: the model's steps. A call's `ends` says how the command really ended, whatever the agent calls it. */
export const SCRIPTS = {
  plain: [{ say: "Hello. There is nothing to do." }],
  thought: [{ think: "**Considering it**\n\nA short answer will do.", say: "Forty-two." }],
  look: [{ say: "I look first.", calls: [{ run: "ls -1", ends: "ok" }] }, { say: "There are two files." }],
  fails: [{ calls: [{ run: "echo no good >&2; (exit 3)", ends: "failed" }] }, { say: "It ended with 3." }],
  several: [
    {
      calls: [
        { run: "echo one", ends: "ok" },
        { run: "echo two; (exit 7)", ends: "failed" },
      ],
    },
    { calls: [{ run: "echo three", ends: "ok" }] },
    { say: "Two worked, one did not." },
  ],
  liar: [
    { calls: [{ run: "echo 'Process exited with code 9'; echo 'Error: only a text'", ends: "ok" }] },
    { calls: [{ run: "echo 'Exit code 0'; echo 'all is well'; (exit 4)", ends: "failed" }] },
    { say: "Words are not exit codes." },
  ],
  killed: [{ calls: [{ run: "echo before; kill -9 $$", ends: "failed" }] }, { say: "It was killed." }],
  writes: [{ calls: [{ write: { path: "note.txt", text: "a note" } }] }, { say: "Written." }],
  planned: [{ calls: [{ plan: ["look", "change", "check"] }] }, { say: "That is the plan." }],
  refused: [{ calls: [{ run: "ls -la /", ends: "denied" }] }, { say: "It was not allowed." }],
  unknown: [{ calls: [{ raw: { name: "no_such_tool", input: { a: 1 } } }] }, { say: "There is no such tool." }],
  retried: [{ error: { status: 500, says: "once only", times: 1 }, say: "It worked in the end." }],
  rejected: [{ error: { status: 400, says: "invalid on purpose" } }],
  stuck: [{ say: "I begin, and then", hang: "midway" }],
  sleeps: [
    { say: "This takes long.", calls: [{ run: "node -e 'setTimeout(() => {}, 40000)'", ends: "interrupted" }] },
    { say: "It is over." },
  ],
  delegates: [
    { calls: [{ agent: { about: "count lines", prompt: "Count the lines of README.md. [counts#RUN]" } }] },
    { calls: [{ wait: true }] },
    { say: "The helper has counted." },
  ],
  "delegates-on": [
    { calls: [{ agent: { about: "outer helper", prompt: "Let somebody else count. [delegates-inner#RUN]" } }] },
    { calls: [{ wait: true }] },
    { say: "The outer helper is done." },
  ],
  "delegates-inner": [
    { calls: [{ agent: { about: "inner helper", prompt: "Count, and fail once. [counts-badly#RUN]" } }] },
    { calls: [{ wait: true }] },
    { say: "The inner helper is done." },
  ],
  "counts-badly": [{ calls: [{ run: "wc -l nothing.md", ends: "failed" }] }, { say: "No such file." }],
  background: [
    { calls: [{ run: "sleep 1; echo done", ends: "ok", inBackground: true }] },
    { say: "It runs in the background." },
  ],
  hooked: [
    {
      calls: [
        { run: "echo allowed", ends: "ok" },
        { run: "echo FORBIDDEN", ends: "denied" },
      ],
    },
    { say: "One was blocked." },
  ],
  overloaded: [{ error: { status: 429, says: "too many on purpose", times: 2 }, say: "It worked after two refusals." }],
  counts: [{ calls: [{ run: "wc -l README.md", ends: "ok" }] }, { say: "One line." }],
};

/**
 * `how`: a new session, `resume` or `fork` of the one before. `stop` ends the agent by a signal while it works. `isBare`: a
 * command of the agent's own, sent without the name of a script.
 */
export const SCENARIOS = [
  { name: "plain", actions: [{ text: "Just say hello, please.", script: "plain" }] },
  { name: "thinking", actions: [{ text: "What is the answer?", script: "thought" }] },
  { name: "tool", actions: [{ text: "What is in this directory?", script: "look" }] },
  { name: "failing tool", actions: [{ text: "Run what fails.", script: "fails" }] },
  { name: "several tools", actions: [{ text: "Run several things.", script: "several" }] },
  { name: "words that imitate results", actions: [{ text: "Run what lies.", script: "liar" }] },
  { name: "a killed command", actions: [{ text: "Run what is killed.", script: "killed" }] },
  { name: "a written file", actions: [{ text: "Write a note.", script: "writes" }] },
  { name: "a plan", actions: [{ text: "Make a plan.", script: "planned" }] },
  { name: "an unknown tool", actions: [{ text: "Use a tool that does not exist.", script: "unknown" }] },
  { name: "a denied tool", needs: "deny", actions: [{ text: "List the root.", script: "refused", words: "deny" }] },
  {
    name: "resume",
    actions: [
      { text: "First question.", script: "look" },
      { text: 'Second one\nover two lines, with "quotes" and ünïcödé ✓ 日本語', script: "fails", how: "resume" },
      { text: "Third one.", script: "thought", how: "resume" },
    ],
  },
  {
    name: "fork",
    needs: "fork",
    actions: [
      { text: "Before the fork.", script: "look" },
      { text: "In the fork.", script: "plain", how: "fork" },
    ],
  },
  {
    name: "texts that imitate injected context",
    actions: [
      { text: "<system-reminder> stands in my log, why?", script: "thought" },
      { text: "# AGENTS.md instructions are out of date.", script: "plain" },
      { text: "<environment_context> is what it says; what is that?", script: "thought" },
      { text: "<command-name>/foo</command-name> is shown to me.", script: "thought" },
    ],
  },
  { name: "an API error, then an answer", actions: [{ text: "Go through one error.", script: "retried" }] },
  {
    name: "too many requests, then an answer",
    needs: "patience",
    actions: [{ text: "Be patient.", script: "overloaded" }],
  },
  { name: "an API error", actions: [{ text: "Be rejected.", script: "rejected", outcome: "failed" }] },
  {
    name: "interrupted while answering",
    actions: [
      { text: "Interrupt me while you answer.", script: "stuck", stop: "SIGINT", outcome: "unfinished" },
      { text: "Go on after the interruption.", script: "plain", how: "resume" },
    ],
  },
  {
    name: "interrupted during a tool",
    actions: [{ text: "Interrupt me during the tool.", script: "sleeps", stop: "SIGINT", outcome: "unfinished" }],
  },
  {
    name: "killed during a tool",
    actions: [
      { text: "Kill me during the tool.", script: "sleeps", stop: "SIGKILL", outcome: "unfinished", ends: "unended" },
      { text: "Go on after the kill.", script: "plain", how: "resume" },
    ],
  },
  { name: "a sub-agent", needs: "agent", actions: [{ text: "Let a helper count.", script: "delegates" }] },
  {
    name: "a sub-agent of a sub-agent",
    needs: "nest",
    actions: [{ text: "Delegate deeply.", script: "delegates-on" }],
  },
  { name: "a background task", needs: "background", actions: [{ text: "Run it beside you.", script: "background" }] },
  { name: "a hook that refuses", needs: "hook", actions: [{ text: "Say what is forbidden.", script: "hooked" }] },
  {
    name: "an image",
    needs: "image",
    actions: [{ text: "What is in this picture?", script: "thought", words: "image" }],
  },
  {
    name: "a compaction",
    needs: "compact",
    actions: [
      { text: "Before the compaction.", script: "look" },
      { text: "/compact", script: "plain", how: "resume", isBare: true },
      { text: "After the compaction.", script: "plain", how: "resume" },
    ],
  },
  {
    name: "instructions of the project",
    instructions: "# Rules\n\nAlways be brief. [fails#0]\n",
    actions: [{ text: "Say hello under the rules.", script: "plain" }],
  },
];
