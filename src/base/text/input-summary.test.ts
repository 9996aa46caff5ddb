import { describe, expect, it } from "vitest";
import { expectLinear } from "../../../test/linear.ts";
import { scriptedCommands, inputSummary } from "./input-summary.ts";

describe("the summary of a tool input", () => {
  it("is the command that a script runs, not the script", () => {
    // As Codex 0.166 writes it.
    const code = String.raw`const r = await tools.exec_command({"cmd":"node -e \"setTimeout(()=>console.log('woke'),45000)\""});
text(r.output);
text({exit_code: r.exit_code});`;
    expect(inputSummary(code)).toBe(`node -e "setTimeout(()=>console.log('woke'),45000)"`);
    const two = `await tools.exec_command({ cmd: "ls" });\nawait tools.exec_command({ workdir: 1, cmd: "npm test" });`;
    expect(inputSummary(two)).toBe("ls; npm test");
  });

  it("is the text itself if it runs no command", () => {
    for (const text of ["*** Begin Patch", 'say "cmd": "ls"', "await tools.update_plan({ plan: [] });"]) {
      expect(inputSummary(text)).toBe(text);
    }
    expect(scriptedCommands("tools.exec_command({cmd: command})")).toEqual([]);
  });

  it("takes linear time on pathological text", () => {
    for (const unit of ["tools.x({", 'tools.x({cmd:"', "tools.", 'cmd:"\\']) {
      expectLinear(unit, 400_000, inputSummary);
    }
  });
});
