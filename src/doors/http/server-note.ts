import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { TICKETS } from "./guard.ts";

interface Note {
  url: string;
  token: string;
}

/**
 * Where a running server tells other programs of the same user its address and token: a file only they can read. Where
 * the home cannot be written to there is none, and the server runs all the same.
 */
export class ServerNote {
  readonly path: string;

  constructor(home: string, port: number) {
    this.path = join(home, `serve-${port}.json`);
  }

  write({ url, token }: Note): void {
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      // A new file, so that nobody who has an older one open can read it.
      rmSync(this.path, { force: true });
      writeFileSync(this.path, `${JSON.stringify({ url, token, pid: process.pid })}\n`, { mode: 0o600, flag: "wx" });
    } catch {
      // A home that is read-only.
    }
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }

  /** A new address of the server that runs, for one browser; null if none does, or if it is not ours. */
  async addressOnce(): Promise<string | null> {
    try {
      const { url, token } = JSON.parse(readFileSync(this.path, "utf8")) as Note;
      return await ticketOf(url, token);
    } catch {
      // No server, or a torn file.
      return null;
    }
  }
}

/** Asks a server on this machine for an address that can be opened once. */
function ticketOf(url: string, token: string): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const asked = request(new URL(TICKETS, url), { method: "POST", headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      answer.on("end", () => resolve(answer.statusCode === 200 ? (JSON.parse(text) as Note).url : null));
    });
    asked.on("error", reject);
    asked.end("{}");
  });
}
