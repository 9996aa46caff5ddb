/**
 * A text in pieces of bytes, which are read faster than the characters of a string: the low byte of each character, so
 * that what is found by bytes above 127 must be looked at again in the text.
 */
const CHUNK = 64 * 1024;

/** Buffers that are not in use. More than one, because a rule may search the text it has decoded. */
const spares: Buffer[] = [];

/** Lends a buffer for pieces of a text. */
export function inChunks(use: (bytes: Buffer) => void): void {
  const bytes = spares.pop() ?? Buffer.alloc(CHUNK);
  use(bytes);
  spares.push(bytes);
}

/** Fills the buffer with the text from this place on; returns the number of characters. */
export function writeChunk(bytes: Buffer, text: string, from: number): number {
  const piece = from === 0 && text.length <= CHUNK ? text : text.slice(from, from + CHUNK);
  return bytes.write(piece, "latin1");
}
