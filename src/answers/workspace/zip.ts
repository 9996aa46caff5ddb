import { createReadStream, closeSync, openSync, writeSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { Readable, Transform, Writable } from "node:stream";
import { crc32, createDeflateRaw } from "node:zlib";
import { createHash } from "node:crypto";
import { DaybookError } from "../../base/errors.ts";

interface Entry {
  name: Buffer;
  crc: number;
  packed: number;
  size: number;
  offset: number;
}

/** Above these limits the format needs 64-bit records, which are not supported. */
const MOST_BYTES = 0xffff_fffe;
const MOST_ENTRIES = 0xfffe;
const DEFLATED = 8;
const UTF8_NAMES = 0x0800;
const VERSION = 20;

/** Writes a zip file front to back. Entries are streamed, so sessions of any size need little memory. */
export class ZipWriter {
  readonly #fd: number;
  readonly #date: readonly [date: number, time: number];
  readonly #entries: Entry[] = [];
  #at = 0;

  constructor(path: string, time: number) {
    this.#fd = openSync(path, "wx", 0o600);
    this.#date = dosTime(time);
  }

  /** Adds a file (by path) or a text, and returns its SHA-256. */
  async add(name: string, content: { path: string } | { text: string }): Promise<string> {
    const entry: Entry = { name: Buffer.from(name, "utf8"), crc: 0, packed: 0, size: 0, offset: this.#at };
    if (this.#entries.length >= MOST_ENTRIES) throw tooLarge();
    this.#write(localHeader(entry, this.#date));
    const hash = createHash("sha256");
    const meter = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        entry.crc = crc32(chunk, entry.crc);
        entry.size += chunk.length;
        done(null, chunk);
      },
    });
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        entry.packed += chunk.length;
        try {
          this.#write(chunk);
          done();
        } catch (error) {
          done(error as Error);
        }
      },
    });
    const source = "path" in content ? createReadStream(content.path) : Readable.from([Buffer.from(content.text)]);
    await pipeline(source, meter, createDeflateRaw(), sink);
    if (entry.size > MOST_BYTES) throw tooLarge();
    // The sizes are known now: overwrite the header in place.
    writeSync(this.#fd, localHeader(entry, this.#date), 0, null, entry.offset);
    this.#entries.push(entry);
    return hash.digest("hex");
  }

  finish(): void {
    const start = this.#at;
    for (const entry of this.#entries) this.#write(centralHeader(entry, this.#date));
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x0605_4b50, 0);
    end.writeUInt16LE(this.#entries.length, 8);
    end.writeUInt16LE(this.#entries.length, 10);
    end.writeUInt32LE(this.#at - start, 12);
    end.writeUInt32LE(start, 16);
    this.#write(end);
  }

  close(): void {
    closeSync(this.#fd);
  }

  #write(bytes: Uint8Array): void {
    if (this.#at + bytes.length > MOST_BYTES) throw tooLarge();
    for (let done = 0; done < bytes.length;)
      done += writeSync(this.#fd, bytes, done, bytes.length - done, this.#at + done);
    this.#at += bytes.length;
  }
}

function localHeader(entry: Entry, date: readonly [number, number]): Buffer {
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x0403_4b50, 0);
  head.writeUInt16LE(VERSION, 4);
  common(head, 6, entry, date);
  return Buffer.concat([head, entry.name]);
}

function centralHeader(entry: Entry, date: readonly [number, number]): Buffer {
  const head = Buffer.alloc(46);
  head.writeUInt32LE(0x0201_4b50, 0);
  head.writeUInt16LE((3 << 8) | VERSION, 4);
  head.writeUInt16LE(VERSION, 6);
  common(head, 8, entry, date);
  // A regular file that only its owner may read.
  head.writeUInt32LE((0o100600 << 16) >>> 0, 38);
  head.writeUInt32LE(entry.offset, 42);
  return Buffer.concat([head, entry.name]);
}

function common(head: Buffer, at: number, entry: Entry, [date, time]: readonly [number, number]): void {
  head.writeUInt16LE(UTF8_NAMES, at);
  head.writeUInt16LE(DEFLATED, at + 2);
  head.writeUInt16LE(time, at + 4);
  head.writeUInt16LE(date, at + 6);
  head.writeUInt32LE(entry.crc, at + 8);
  head.writeUInt32LE(entry.packed, at + 12);
  head.writeUInt32LE(entry.size, at + 16);
  head.writeUInt16LE(entry.name.length, at + 20);
}

/** The format has no time zone and no time before 1980; UTC keeps equal inputs equal. */
function dosTime(time: number): [number, number] {
  const at = new Date(Math.max(time, Date.UTC(1980, 0, 1)));
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  const clock = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  return [date & 0xffff, clock];
}

function tooLarge(): DaybookError {
  return new DaybookError("the collection is too large for one zip file", {
    code: "invalid",
    op: "write zip",
    hint: "leave out the raw sessions",
  });
}
