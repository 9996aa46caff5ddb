import { describe, expect, it } from "vitest";
import { fromCommand, fromPatch, fromText } from "./settlement.ts";
import { messageIn, whyFailed } from "./why.ts";

describe("the reason of a failure", () => {
  it("is what the command printed, in every dialect", () => {
    const said = [
      JSON.stringify({ output: "oops\n", metadata: { exit_code: 3, duration_seconds: 0.1 } }),
      "Exit code: 3\nWall time: 0.1 seconds\nOutput:\noops\n",
      "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 3\nOriginal token count: 1\nOutput:\noops\n",
      "Command: /bin/bash -lc 'echo\nOutput:\nno'\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\noops\n",
    ];
    for (const text of said) expect(fromText(text)).toMatchObject({ status: "failed", exitCode: 3, error: "oops" });
    const item = { status: "failed", exit_code: 3, aggregated_output: "fine\noops\n" };
    expect(fromCommand(item)?.error).toBe("fine\noops");
    // Older events have the streams apart.
    expect(fromCommand({ ...item, stdout: "fine\n", stderr: "oops\n" })?.error).toBe("oops");
    expect(fromPatch({ success: false, stdout: "no such file", stderr: "" })?.error).toBe("no such file");
  });

  it("is not given if the command succeeded or printed nothing", () => {
    expect(fromText("Exit code: 0\nWall time: 0.1 seconds\nOutput:\nfine\n").error).toBeNull();
    expect(fromText("Exit code: 1\nWall time: 0.1 seconds\nOutput:\n\n").error).toBeNull();
    expect(fromText("Exit code: 1").error).toBeNull();
    expect(fromCommand({ exit_code: 0, aggregated_output: "fine" })?.error).toBeNull();
  });

  it("is the end of a long output, in whole lines", () => {
    const lines = Array.from({ length: 90 }, (_, i) => `line ${i}`);
    const reason = whyFailed(`${lines.join("\n")}\nValueError: x\n`) ?? "";
    expect(reason.length).toBeLessThan(250);
    expect(reason).toMatch(/^…\nline \d+\n[\s\S]*\nline 89\nValueError: x$/);
    expect(whyFailed("y".repeat(1000))).toBe(`…${"y".repeat(240)}`);
    expect(whyFailed("y".repeat(240))).toBe("y".repeat(240));
  });

  it("is the message inside a Rust error, not the command before it", () => {
    const wrapped = (message: string): string =>
      `exec_command failed for \`/bin/bash -lc 'one\ntwo'\`: CreateProcess { message: "${message}" }`;
    expect(messageIn(wrapped(String.raw`Rejected(\"rejected by user\")`))).toBe("rejected by user");
    expect(messageIn(wrapped(String.raw`Rejected(\"Unable to spawn:\\nNo \\\"x\\\" in \\u{2019}PATH\")`))).toBe(
      'Unable to spawn:\nNo "x" in ’PATH',
    );
    expect(messageIn(wrapped(String.raw`no \u{2018}shell\u{2019} at C:\\bin`))).toBe("no ‘shell’ at C:\\bin");
    expect(messageIn("write_stdin failed: Unknown process id 999\nmore")).toBe(
      "write_stdin failed: Unknown process id 999",
    );
    expect(messageIn("z".repeat(9000)).length).toBeLessThan(500);
  });
});
